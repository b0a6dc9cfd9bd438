import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { Account } from '../account/account.ts';

const contentTypes = { png: 'image/png', mp4: 'video/mp4' } as const;

/** A finished image or video. */
export interface StoredFile {
  /** Random and unguessable, like a signed URL: downloads need no key. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly contentType: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The account whose faults apply; undefined for files of an earlier process. */
  readonly owner: Account | undefined;
}

/** Limits of the file store. */
export interface FileLimits {
  readonly bytes: number;
  readonly files: number;
  readonly milliseconds: number;
}

const defaultLimits: FileLimits = { bytes: 512 * 1024 * 1024, files: 1_000, milliseconds: 24 * 3_600_000 };
const maxGone = 10_000;

/**
 * Stores finished files in a persistent folder, or in a temporary one that is removed on close. When it is
 * full, the oldest are deleted. A file's modification time is when it was finished.
 */
export class FileStore {
  readonly #clock: Clock;
  readonly #limits: FileLimits;
  readonly #persistentFolder: string | undefined;
  readonly #files = new Map<string, StoredFile>();
  readonly #gone = new Set<string>();
  #folder: Promise<string> | undefined;
  readonly #writing = new Set<Promise<string>>();
  #closed = false;
  #bytes = 0;

  constructor(clock: Clock, limits: Partial<FileLimits> = {}, persistentFolder?: string) {
    this.#clock = clock;
    this.#limits = { ...defaultLimits, ...limits };
    this.#persistentFolder = persistentFolder;
  }

  /** Loads the files of earlier processes; incomplete ones are deleted. */
  async load(): Promise<void> {
    const folder = await this.#open();
    const found = await Promise.all((await readdir(folder)).map((name) => this.#read(folder, name)));
    const files = found.filter((file) => file !== undefined);
    for (const file of files.sort((one, other) => one.expiresAt - other.expiresAt)) this.#add(file);
    await this.#makeRoom();
  }

  /** Stores a file; rejects after the store is closed. */
  async put(bytes: Uint8Array, extension: keyof typeof contentTypes, owner: Account): Promise<StoredFile> {
    const name = `${randomBytes(18).toString('base64url')}.${extension}`;
    const now = this.#clock.now();
    const writing = this.#write(name, bytes, now);
    this.#writing.add(writing);
    const path = await writing.finally(() => this.#writing.delete(writing));
    const file: StoredFile = {
      name,
      path,
      size: bytes.byteLength,
      contentType: contentTypes[extension],
      expiresAt: now + this.#limits.milliseconds,
      owner,
    };
    this.#add(file);
    await this.#makeRoom();
    return file;
  }

  /** Finds a file; `gone` if it was deleted or expired, undefined if it never existed. */
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

  /** Waits for pending writes, and removes a temporary folder. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#writing);
    const folder = await this.#folder?.catch(() => undefined);
    this.#files.clear();
    if (folder !== undefined && this.#persistentFolder === undefined) {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #open(): Promise<string> {
    this.#folder ??=
      this.#persistentFolder === undefined
        ? mkdtemp(join(tmpdir(), 'troupe-sandbox-'))
        : created(this.#persistentFolder);
    return this.#folder;
  }

  async #write(name: string, bytes: Uint8Array, now: number): Promise<string> {
    if (this.#closed) throw new Error('The file store is closed.');
    const path = join(await this.#open(), name);
    await writeFile(`${path}.part`, bytes);
    await utimes(`${path}.part`, now / 1_000, now / 1_000);
    await rename(`${path}.part`, path);
    return path;
  }

  async #read(folder: string, name: string): Promise<StoredFile | undefined> {
    const path = join(folder, name);
    const contentType = Object.entries(contentTypes).find(([extension]) =>
      name.endsWith(`.${extension}`),
    )?.[1];
    if (contentType === undefined) {
      await rm(path, { force: true });
      return undefined;
    }
    const { size, mtimeMs } = await stat(path);
    const expiresAt = Math.round(mtimeMs) + this.#limits.milliseconds;
    return { name, path, size, contentType, expiresAt, owner: undefined };
  }

  #add(file: StoredFile): void {
    this.#files.set(file.name, file);
    this.#bytes += file.size;
  }

  /** Deletes the oldest files; the newest stays, however large. */
  async #makeRoom(): Promise<void> {
    for (const file of [...this.#files.values()].slice(0, -1)) {
      const full = this.#bytes > this.#limits.bytes || this.#files.size > this.#limits.files;
      if (!full && file.expiresAt > this.#clock.now()) return;
      await this.drop(file.name);
    }
  }
}

async function created(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return folder;
}
