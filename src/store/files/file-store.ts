import type { FileKind } from '../file-kinds.ts';

/** Part of a file, in bytes; both ends belong to it. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Files that wait for something, under ids: a result until it's posted, for example. They're read and written in
 * pieces, never held in memory as a whole.
 */
export interface FileStore {
  /** Writes a file; it's there whole or not at all. One that was there is replaced. Returns its size in bytes. */
  write(id: string, content: AsyncIterable<Uint8Array>): Promise<number>;
  /** Reads a file or a part of it. The reader gets an error where it's missing, never less than the whole. */
  read(id: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Whether it's there. @throws if that can't be known, for example because the disk or the database is away. */
  has(id: string): Promise<boolean>;
  /** Deletes a file, if it's there. */
  remove(id: string): Promise<void>;
  /**
   * Deletes what isn't `needed`: left by a crash, or what couldn't be deleted then. What was written less than `age`
   * milliseconds ago stays: it may be under way.
   */
  sweep(needed: ReadonlySet<string>, age: number): Promise<void>;
}

/** Where the files of each kind are. */
export type FileStores = (kind: FileKind) => FileStore;
