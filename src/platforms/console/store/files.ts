import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../../lib/clock.ts';
import type { OutgoingFile } from '../../../port/index.ts';
import type { ConsoleFilesTable, Database } from '../../../store/index.ts';

/** How long an uploaded file waits to be sent before it is deleted, in milliseconds. */
const uploadLifetime = 24 * 60 * 60 * 1000;

export type FileRow = ConsoleFilesTable;
/** A file's properties, without its content. */
export type FileAbout = Pick<OutgoingFile, 'name' | 'contentType' | 'kind' | 'description' | 'seconds'>;

/** A file is larger than allowed. */
export class FileTooLargeError extends Error {
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`the file has more than ${maxBytes} bytes`);
    this.name = 'FileTooLargeError';
    this.maxBytes = maxBytes;
  }
}

/** Files of messages: rows in the database, content in a folder under their ids. */
export class Files {
  readonly #database: Database;
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #newId: () => string;
  /** Ids of files that are still being received and have no row yet. */
  readonly #receiving = new Set<string>();

  constructor(database: Database, folder: string, clock: Clock, newId: () => string) {
    this.#database = database;
    this.#folder = folder;
    this.#clock = clock;
    this.#newId = newId;
  }

  /**
   * Stores a file that belongs to no message yet.
   * @throws {FileTooLargeError} if it is larger than `maxBytes`; nothing is stored.
   */
  async save(content: AsyncIterable<Uint8Array>, about: FileAbout, maxBytes: number): Promise<FileRow> {
    const id = this.#newId();
    this.#receiving.add(id);
    try {
      return await this.#save(id, content, about, maxBytes);
    } finally {
      this.#receiving.delete(id);
    }
  }

  async #save(
    id: string,
    content: AsyncIterable<Uint8Array>,
    about: FileAbout,
    maxBytes: number,
  ): Promise<FileRow> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    let size = 0;
    const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        size += chunk.byteLength;
        if (size > maxBytes) throw new FileTooLargeError(maxBytes);
        yield chunk;
      }
    };
    try {
      await pipeline(content, counted, createWriteStream(this.#path(id), { flags: 'wx', mode: 0o600 }));
    } catch (error) {
      await this.#unlink([id]);
      throw error;
    }
    const row: FileRow = {
      id,
      message: null,
      position: 0,
      name: about.name,
      content_type: about.contentType,
      kind: about.kind,
      description: about.description,
      size,
      seconds: about.seconds ?? null,
      created_at: this.#clock.now(),
    };
    await this.#database.insertInto('console_files').values(row).execute();
    return row;
  }

  find(id: string): Promise<FileRow | undefined> {
    return this.#database.selectFrom('console_files').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** The files of these messages, in order. */
  async of(messages: readonly number[]): Promise<FileRow[]> {
    if (messages.length === 0) return [];
    return this.#database
      .selectFrom('console_files')
      .selectAll()
      .where('message', 'in', messages)
      .orderBy('position')
      .execute();
  }

  /** Opens a stored file, from `start` to `end`, both inclusive; undefined if its content is missing. */
  async open(
    id: string,
    range?: { readonly start: number; readonly end: number },
  ): Promise<Readable | undefined> {
    try {
      return (await open(this.#path(id))).createReadStream(range);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Deletes files and their rows. */
  async delete(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#database.deleteFrom('console_files').where('id', 'in', ids).execute();
    await this.#unlink(ids);
  }

  /** Deletes uploads that were never sent, and content without a row. */
  async sweep(): Promise<void> {
    const stale = await this.#database
      .selectFrom('console_files')
      .select('id')
      .where('message', 'is', null)
      .where('created_at', '<', this.#clock.now() - uploadLifetime)
      .execute();
    await this.delete(stale.map((row) => row.id));
    // The folder is read before the rows: a file without a row is then left over, unless it is still being
    // received.
    const names = await readdir(this.#folder).catch(() => []);
    const receiving = new Set(this.#receiving);
    const rows = await this.#database.selectFrom('console_files').select('id').execute();
    const known = new Set(rows.map((row) => row.id));
    await this.#unlink(names.filter((name) => !known.has(name) && !receiving.has(name)));
  }

  async #unlink(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => rm(this.#path(id), { force: true })));
  }

  #path(id: string): string {
    return join(this.#folder, id);
  }
}
