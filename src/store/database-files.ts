import { randomId } from '../lib/text.ts';
import type { Database } from './database.ts';
import { databaseNow } from './driver.ts';
import type { ByteRange, FileKind, FileStore, FileStores } from './files.ts';

/** A file that should be there isn't, or not all of it. */
class FileMissingError extends Error {
  override name = 'FileMissingError';
}

/**
 * Files in the database, in chunks, so that each of the bot's processes can read them. A file is a row, invisible until
 * all of its chunks are there; no connection is kept while the reader or the writer waits for the other side.
 */
export class DatabaseFiles implements FileStore {
  readonly #database: Database;
  readonly #kind: FileKind;

  constructor(database: Database, kind: FileKind) {
    this.#database = database;
    this.#kind = kind;
  }

  async write(id: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    const key = randomId();
    const written_at = databaseNow(this.#database);
    const row = { key, kind: this.#kind, id, size: null, written_at };
    await this.#database.insertInto('files').values(row).execute();
    try {
      let size = 0;
      for await (const chunk of chunksOf(content)) {
        await this.#append(key, chunk);
        size += chunk.content.byteLength;
      }
      await this.#finish(key, id, size);
      return size;
    } catch (error) {
      // What can't be deleted now is swept later.
      await this.#delete(key).catch(() => {});
      throw error;
    }
  }

  #append(key: string, { start, content }: Chunk): Promise<void> {
    return this.#database.transaction().execute(async (transaction) => {
      await transaction.insertInto('file_chunks').values({ file: key, start, content }).execute();
      const written_at = databaseNow(this.#database);
      const { numUpdatedRows } = await transaction
        .updateTable('files')
        .set({ written_at })
        .where('key', '=', key)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) throw new FileMissingError('a file was deleted while it was being written');
    });
  }

  /** Makes a file visible, in the place of one that was there. */
  #finish(key: string, id: string, size: number): Promise<void> {
    return this.#database.transaction().execute(async (transaction) => {
      const former = await this.#find(id, transaction);
      if (former) await deleteFile(transaction, former.key);
      const { numUpdatedRows } = await transaction
        .updateTable('files')
        .set({ size })
        .where('key', '=', key)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) throw new FileMissingError('a file was deleted while it was being written');
    });
  }

  async *read(id: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const file = await this.#find(id);
    if (!file) throw new FileMissingError('a file is not in the database');
    const end = Math.min(file.size, (range?.end ?? file.size - 1) + 1);
    let position = range?.start ?? 0;
    while (position < end) {
      const chunk = await this.#chunkAt(file.key, position);
      const part = chunk?.content.subarray(position - chunk.start, end - chunk.start);
      if (!part?.byteLength) throw new FileMissingError('part of a file is not in the database');
      position += part.byteLength;
      yield part;
    }
  }

  #chunkAt(file: string, position: number): Promise<Chunk | undefined> {
    return this.#database
      .selectFrom('file_chunks')
      .select(['start', 'content'])
      .where('file', '=', file)
      .where('start', '<=', position)
      .orderBy('start', 'desc')
      .limit(1)
      .executeTakeFirst();
  }

  async has(id: string): Promise<boolean> {
    return (await this.#find(id)) !== undefined;
  }

  /** The one that's complete; a unique index allows no second one. */
  #find(id: string, database = this.#database) {
    return database
      .selectFrom('files')
      .select(['key', 'size'])
      .where('kind', '=', this.#kind)
      .where('id', '=', id)
      .where('size', 'is not', null)
      .$narrowType<{ size: number }>()
      .executeTakeFirst();
  }

  async remove(id: string): Promise<void> {
    const file = await this.#find(id);
    if (file) await this.#delete(file.key);
  }

  async sweep(needed: ReadonlySet<string>, age: number): Promise<void> {
    const old = await this.#database
      .selectFrom('files')
      .select(['key', 'id', 'size'])
      .where('kind', '=', this.#kind)
      .where('written_at', '<', databaseNow(this.#database, -age))
      .execute();
    // One at a time: each may have thousands of chunks.
    for (const { key, id, size } of old) if (size === null || !needed.has(id)) await this.#delete(key);
  }

  #delete(key: string): Promise<void> {
    return this.#database.transaction().execute((transaction) => deleteFile(transaction, key));
  }
}

async function deleteFile(database: Database, key: string): Promise<void> {
  await database.deleteFrom('files').where('key', '=', key).execute();
  await database.deleteFrom('file_chunks').where('file', '=', key).execute();
}

/** All files in the database. */
export function databaseFiles(database: Database): FileStores {
  return (kind) => new DatabaseFiles(database, kind);
}

/** Bytes of a chunk; the last one of a file has fewer. Small, so that none keeps the event loop busy for long. */
export const chunkBytes = 256 * 1024;

/** Bytes of a file and where in it they are. */
export interface Chunk {
  readonly start: number;
  readonly content: Uint8Array;
}

/** Content that comes in any pieces, as chunks of {@link chunkBytes}; the next piece is taken when a chunk has been. */
export async function* chunksOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Chunk> {
  let start = 0;
  let chunk = Buffer.allocUnsafe(chunkBytes);
  let filled = 0;
  for await (const piece of content) {
    let taken = 0;
    while (taken < piece.byteLength) {
      const part = piece.subarray(taken, taken + chunkBytes - filled);
      chunk.set(part, filled);
      filled += part.byteLength;
      taken += part.byteLength;
      if (filled < chunkBytes) continue;
      yield { start, content: chunk };
      start += filled;
      chunk = Buffer.allocUnsafe(chunkBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield { start, content: chunk.subarray(0, filled) };
}
