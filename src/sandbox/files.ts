import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Account } from './account.ts';

const contentTypes = { png: 'image/png', mp4: 'video/mp4' } as const;

/** A finished image or video. */
export interface StoredFile {
  /** Unguessable: whoever knows it may fetch the file, as with a signed address. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly contentType: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly owner: Account;
}

/** How much is kept, and for how long. */
export interface FileLimits {
  readonly bytes: number;
  readonly files: number;
  readonly milliseconds: number;
}

const usualLimits: FileLimits = { bytes: 512 * 1024 * 1024, files: 1_000, milliseconds: 24 * 3_600_000 };
const maxGone = 10_000;

/** Finished files in a temporary folder, made with the first one and removed at the end; the oldest make room. */
export class FileStore {
  readonly #clock: Clock;
  readonly #limits: FileLimits;
  readonly #files = new Map<string, StoredFile>();
  readonly #gone = new Set<string>();
  #folder: Promise<string> | undefined;
  readonly #writing = new Set<Promise<string>>();
  #closed = false;
  #bytes = 0;

  constructor(clock: Clock, limits: Partial<FileLimits> = {}) {
    this.#clock = clock;
    this.#limits = { ...usualLimits, ...limits };
  }

  /** Rejects once the store is closed. */
  async put(bytes: Uint8Array, extension: keyof typeof contentTypes, owner: Account): Promise<StoredFile> {
    const name = `${randomBytes(18).toString('base64url')}.${extension}`;
    const writing = this.#write(name, bytes);
    this.#writing.add(writing);
    const path = await writing.finally(() => this.#writing.delete(writing));
    const file: StoredFile = {
      name,
      path,
      size: bytes.byteLength,
      contentType: contentTypes[extension],
      expiresAt: this.#clock.now() + this.#limits.milliseconds,
      owner,
    };
    this.#files.set(name, file);
    this.#bytes += file.size;
    await this.#makeRoom();
    return file;
  }

  /** `gone` for what was here once, undefined for what never was. */
  async find(name: string): Promise<StoredFile | 'gone' | undefined> {
    const file = this.#files.get(name);
    if (file && file.expiresAt <= this.#clock.now()) await this.drop(name);
    return this.#files.get(name) ?? (this.#gone.has(name) ? 'gone' : undefined);
  }

  async read(file: StoredFile): Promise<Buffer> {
    return readFile(file.path);
  }

  async drop(name: string): Promise<void> {
    const file = this.#files.get(name);
    if (!file) return;
    this.#files.delete(name);
    this.#bytes -= file.size;
    this.#gone.add(name);
    const [oldest] = this.#gone;
    if (this.#gone.size > maxGone && oldest !== undefined) this.#gone.delete(oldest);
    await rm(file.path, { force: true });
  }

  /** Removes everything, when what is being written is there. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#writing);
    const folder = await this.#folder?.catch(() => undefined);
    this.#files.clear();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  async #write(name: string, bytes: Uint8Array): Promise<string> {
    if (this.#closed) throw new Error('The file store is closed.');
    this.#folder ??= mkdtemp(join(tmpdir(), 'troupe-sandbox-'));
    const path = join(await this.#folder, name);
    await writeFile(path, bytes);
    return path;
  }

  /** The newest file stays, however large it is. */
  async #makeRoom(): Promise<void> {
    for (const file of [...this.#files.values()].slice(0, -1)) {
      const full = this.#bytes > this.#limits.bytes || this.#files.size > this.#limits.files;
      if (!full && file.expiresAt > this.#clock.now()) return;
      await this.drop(file.name);
    }
  }
}
