import type { Clock } from '../../../lib/clock.ts';
import { randomId } from '../../../lib/text.ts';
import type { OutgoingFile } from '../../../port/index.ts';
import type { ByteRange, ConsoleFilesTable, Database, FileStore } from '../../../store/index.ts';

/** How long an uploaded file waits to be sent before it is deleted, in milliseconds. */
const uploadLifetime = 24 * 60 * 60 * 1000;
/** Content without a row may belong to an upload under way while it's younger than this, in milliseconds. */
const youngestContent = 3_600_000;

export type FileRow = ConsoleFilesTable;
/** A file's properties, without its content. */
type FileAbout = Pick<OutgoingFile, 'name' | 'contentType' | 'kind' | 'description' | 'seconds'>;

/** A file is larger than allowed. */
export class FileTooLargeError extends Error {
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`the file has more than ${maxBytes} bytes`);
    this.name = 'FileTooLargeError';
    this.maxBytes = maxBytes;
  }
}

/** Files of messages: rows in the database, content in a file store under their ids. */
export class Files {
  readonly #database: Database;
  readonly #content: FileStore;
  readonly #clock: Clock;

  constructor(database: Database, content: FileStore, clock: Clock) {
    this.#database = database;
    this.#content = content;
    this.#clock = clock;
  }

  /**
   * Stores a file that belongs to no message yet.
   * @throws {FileTooLargeError} if it is larger than `maxBytes`; nothing is stored.
   */
  async save(content: AsyncIterable<Uint8Array>, about: FileAbout, maxBytes: number): Promise<FileRow> {
    const id = randomId();
    const size = await this.#content.write(id, upTo(maxBytes, content));
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

  /** Opens a stored file or a part of it; undefined if its content is missing. */
  async open(id: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    return (await this.#content.has(id)) ? this.#content.read(id, range) : undefined;
  }

  /** Deletes files and their rows. */
  async delete(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#database.deleteFrom('console_files').where('id', 'in', ids).execute();
    for (const id of ids) await this.#content.remove(id);
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
    const rows = await this.#database.selectFrom('console_files').select('id').execute();
    await this.#content.sweep(new Set(rows.map((row) => row.id)), youngestContent);
  }
}

async function* upTo(maxBytes: number, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of content) {
    size += piece.byteLength;
    if (size > maxBytes) throw new FileTooLargeError(maxBytes);
    yield piece;
  }
}
