import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ByteRange, FileStore, FileStores } from './file-store.ts';

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
      await flushed(this.#folder);
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

/** Brings a folder's names to the disk: the row that tells of a file must not outlive it in a power cut. */
async function flushed(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A folder for each kind, within the bot's data folder. */
export function folderFiles(dataFolder: string): FileStores {
  return (kind) => new FolderFiles(join(dataFolder, kind));
}
