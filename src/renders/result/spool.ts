import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * Results on disk, on their way from the service to a platform: downloaded once, never held in memory, and still there
 * when the platform is back, even if the service has deleted them.
 */
export class Spool {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes a result; it is there whole or not at all. Answers its size in bytes. */
  async write(id: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const unfinished = `${this.#file(id)}.part`;
    try {
      await pipeline(content, createWriteStream(unfinished, { flush: true, mode: 0o600 }));
      const { size } = await stat(unfinished);
      await rename(unfinished, this.#file(id));
      return size;
    } finally {
      await rm(unfinished, { force: true });
    }
  }

  read(id: string): AsyncIterable<Uint8Array> {
    return createReadStream(this.#file(id));
  }

  /** Whether it is there. @throws where that cannot be known: the disk is away. */
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

  /** Deletes what nobody needs: left by a crash, or what could not be deleted then. Young files may be under way. */
  async sweep(needed: ReadonlySet<string>, before: number): Promise<void> {
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
