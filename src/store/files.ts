import { accessSync, constants, createReadStream, createWriteStream, lstatSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { folderFlushed } from '../secrets/private-files.ts';
import { unusable } from './database-error.ts';

/** The kinds of kept files; also the names of their folders. */
export const fileKinds = ['spool', 'versions', 'console-files'] as const;

/**
 * `spool`: results until they're posted; `versions`: images that their message doesn't show at the moment;
 * `console-files`: what the console's messages have.
 */
export type FileKind = (typeof fileKinds)[number];

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

/** Files in a folder of this machine, for a bot of one process. */
export class FolderFiles implements FileStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(id: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const unfinished = `${this.#file(id)}.part`;
    try {
      await pipeline(content, createWriteStream(unfinished, { flush: true, mode: 0o600 }));
      const { size } = await stat(unfinished);
      await rename(unfinished, this.#file(id));
      // The row that tells of it must not outlive it in a power cut.
      await folderFlushed(this.#folder);
      return size;
    } finally {
      await rm(unfinished, { force: true });
    }
  }

  read(id: string, range?: ByteRange): AsyncIterable<Uint8Array> {
    return createReadStream(this.#file(id), range);
  }

  async has(id: string): Promise<boolean> {
    try {
      await stat(this.#file(id));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.#file(id), { force: true });
  }

  async sweep(needed: ReadonlySet<string>, age: number): Promise<void> {
    // By the disk's own clock.
    const before = Date.now() - age;
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      if (needed.has(name)) continue;
      const file = join(this.#folder, name);
      const stats = await stat(file).catch(() => undefined);
      if (stats && stats.mtimeMs < before) await rm(file, { force: true });
    }
  }

  #file(id: string): string {
    return join(this.#folder, id);
  }
}

/**
 * Checks that files can be kept in the folders that are there: root may have put them back from a backup.
 * @throws {DatabaseError}
 */
export function requireOpenFolders(dataFolder: string): void {
  for (const folder of fileKinds.map((kind) => join(dataFolder, kind))) {
    if (!lstatSync(folder, { throwIfNoEntry: false })) continue;
    try {
      accessSync(`${folder}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw unusable(folder, 'closedFolder', error);
    }
  }
}

/** A folder for each kind, within the bot's data folder. */
export function folderFiles(dataFolder: string): FileStores {
  return (kind) => new FolderFiles(join(dataFolder, kind));
}
