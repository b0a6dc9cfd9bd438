import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, once } from '../../lib/clock.ts';
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
  readonly #files = new Map<string, StoredFile>();
  readonly #gone = new BoundedMap<string, true>({ most: maxGone });
  readonly #folder: () => Promise<string>;
  readonly #isTemporary: boolean;
  readonly #writing = new Set<Promise<string>>();
  #opened = false;
  #closed = false;
  #bytes = 0;

  constructor(clock: Clock, limits: Partial<FileLimits> = {}, persistentFolder?: string) {
    this.#clock = clock;
    this.#limits = { ...defaultLimits, ...limits };
    this.#isTemporary = persistentFolder === undefined;
    this.#folder = once(async () => {
      this.#opened = true;
      if (persistentFolder === undefined) return mkdtemp(join(tmpdir(), 'troupe-sandbox-'));
      await mkdir(persistentFolder, { recursive: true });
      return persistentFolder;
    });
  }

  /** Loads the files of earlier processes; incomplete ones are deleted. */
  async load(): Promise<void> {
    const folder = await this.#folder();
    const found = await Promise.all((await readdir(folder)).map((name) => this.#read(folder, name)));
    const files = found.filter((file) => file !== undefined);
    for (const file of files.sort((one, other) => one.expiresAt - other.expiresAt)) this.#add(file);
    await this.#makeRoom();
  }

  /** Stores a file; rejects after the store is closed. */
  async put(bytes: Uint8Array, extension: keyof typeof contentTypes, owner: Account): Promise<StoredFile> {
    if (this.#closed) throw new Error('The file store is closed.');
    const name = `${randomBytes(18).toString('base64url')}.${extension}`;
    const now = this.#clock.now();
    const writing = this.#folder().then((folder) => write(join(folder, name), bytes, now));
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

  async drop(name: string): Promise<void> {
    const file = this.#files.get(name);
    if (!file) return;
    this.#files.delete(name);
    this.#bytes -= file.size;
    this.#gone.set(name, true);
    await rm(file.path, { force: true });
  }

  /** Waits for pending writes, and removes a temporary folder. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#writing);
    this.#files.clear();
    if (!this.#opened || !this.#isTemporary) return;
    const folder = await this.#folder().catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  async #read(folder: string, name: string): Promise<StoredFile | undefined> {
    const path = join(folder, name);
    const extension = extname(name);
    if (extension !== '.png' && extension !== '.mp4') {
      await rm(path, { force: true });
      return undefined;
    }
    const { size, mtimeMs } = await stat(path);
    const expiresAt = Math.round(mtimeMs) + this.#limits.milliseconds;
    const contentType = extension === '.png' ? contentTypes.png : contentTypes.mp4;
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

async function write(path: string, bytes: Uint8Array, now: number): Promise<string> {
  await writeFile(`${path}.part`, bytes);
  await utimes(`${path}.part`, now / 1_000, now / 1_000);
  await rename(`${path}.part`, path);
  return path;
}
