import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isPostgresUrl } from '../lib/database-url.ts';
import { flushFolder, giveName, isFault, narrow, notOurs, privateFileMode } from './private-files.ts';

/** A sealed text can't be opened; the message tells the operator why and what to do. */
export class VaultError extends Error {
  override name = 'VaultError';
}

/** One sealed text was changed or truncated; others can still be opened. */
export class DamagedError extends VaultError {
  override name = 'DamagedError';
}

/** A key and its id. */
interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Sealed text: `v1.KEY.NONCE.CONTENT`, the last two in base64url. */
const sealed = /^v1\.([\da-f]{8})\.([\w-]{16})\.([\w-]{22,})$/;
const cipher = 'aes-256-gcm';
const tagBytes = 16;

interface VaultDependencies {
  /** `ENCRYPTION_KEY`, if set. */
  readonly secret: string | undefined;
  /** The key file, created when first needed; undefined: a key that ends with the process. */
  readonly file: string | undefined;
}

/**
 * Seals secrets for the database (AES-256-GCM), each for one location in it: moved or changed, it can't be opened.
 * The key is `ENCRYPTION_KEY`, otherwise a file beside the database; texts sealed with the file's key can still be
 * opened if `ENCRYPTION_KEY` is set later.
 */
export class Vault {
  readonly #dependencies: VaultDependencies;
  #keys: readonly Key[] | undefined;

  constructor(dependencies: VaultDependencies) {
    this.#dependencies = dependencies;
  }

  /** Seals a secret; `about` names its location. */
  seal(secret: string, about: string): string {
    const key = this.#key();
    const nonce = randomBytes(12);
    const sealing = createCipheriv(cipher, key.bytes, nonce).setAAD(Buffer.from(aboutOf(about)));
    const content = Buffer.concat([sealing.update(secret, 'utf8'), sealing.final(), sealing.getAuthTag()]);
    return ['v1', key.id, nonce.toString('base64url'), content.toString('base64url')].join('.');
  }

  /** @throws {VaultError} if another key sealed it; {@link DamagedError} if it isn't what was sealed here. */
  open(text: string, about: string): string {
    const [, id, nonce = '', content = ''] = sealed.exec(text) ?? [];
    if (id === undefined) throw damaged(about);
    const key = this.#known().find((one) => one.id === id);
    if (!key) throw new VaultError(`ENCRYPTION_KEY: ${about} ${this.#missingKey()}; nothing was changed`);
    const bytes = Buffer.from(content, 'base64url');
    try {
      const opening = createDecipheriv(cipher, key.bytes, Buffer.from(nonce, 'base64url'))
        .setAAD(Buffer.from(aboutOf(about)))
        .setAuthTag(bytes.subarray(-tagBytes));
      return opening.update(bytes.subarray(0, -tagBytes), undefined, 'utf8') + opening.final('utf8');
    } catch (cause) {
      throw damaged(about, cause);
    }
  }

  /** Whether a text is sealed with the current key; if not, it should be sealed again. */
  isCurrent(text: string): boolean {
    return sealed.exec(text)?.[1] === this.#key().id;
  }

  /** Whether a text was sealed, even if it is damaged since. */
  static isSealed(text: string): boolean {
    return text.startsWith('v1.');
  }

  /** What happened to the key of a sealed text, and what to do. */
  #missingKey(): string {
    const { secret, file } = this.#dependencies;
    if (secret === undefined && file !== undefined && this.#known().length === 0)
      return `was encrypted with a key that is gone: its key file (${file}) isn't there; put it back, or set ENCRYPTION_KEY if that was the key`;
    return `was encrypted with another key; set that key, or put back the key file (${file ?? 'none'})`;
  }

  /** The sealing key; created if there is none yet. */
  #key(): Key {
    const [known] = this.#known();
    if (known) return known;
    const { file } = this.#dependencies;
    const made = keyOf(file === undefined ? newKey() : keepKeyFile(file, newKey()));
    this.#keys = [made];
    return made;
  }

  /** First `ENCRYPTION_KEY`, then the key file's. */
  #known(): readonly Key[] {
    if (this.#keys && this.#keys.length > 0) return this.#keys;
    const { secret, file } = this.#dependencies;
    const secrets = [secret, file === undefined ? undefined : readKeyFile(file)];
    this.#keys = secrets.filter((one) => one !== undefined).map(keyOf);
    return this.#keys;
  }
}

function damaged(about: string, cause?: unknown): DamagedError {
  return new DamagedError(`${about} is damaged; restore a backup, or install the app there again`, { cause });
}

const newKey = () => randomBytes(32).toString('base64url');

const aboutOf = (about: string) => `troupe v1 ${about}`;

function keyOf(secret: string): Key {
  const derive = (info: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, '', info, bytes));
  return { id: derive('troupe key id', 4).toString('hex'), bytes: derive('troupe tokens', 32) };
}

/**
 * The vault of the database at `url` (`sqlite:FILE`, `sqlite::memory:`, or `postgres://…`, where every machine would
 * have a key file of its own, and so `secret` is required).
 */
export function vaultOf(url: string, secret: string | undefined): Vault {
  const file = url.slice('sqlite:'.length);
  const hasNone = file === ':memory:' || isPostgresUrl(url);
  return new Vault({ secret, file: hasNone ? undefined : keyFileOf(file) });
}

/** Minimum length of a key, in characters. */
const shortest = 32;

/**
 * Reads the key of a key file and makes the file private; undefined if there is no file.
 * @throws {VaultError} if it is too short for a key, or another user of the machine created it.
 */
function readKeyFile(file: string): string | undefined {
  try {
    const key = readFileSync(file, 'utf8').trim();
    const fault = notOurs(file);
    if (fault !== undefined) throw new VaultError(fault);
    if (key.length < shortest)
      throw new VaultError(
        `${file}: this is no key file, perhaps because it was cut off; restore it, or delete it if no token was encrypted with it yet`,
      );
    narrow(file, privateFileMode);
    return key;
  } catch (error) {
    if (isFault(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Where a new key is before it's whole; left there by a process that was killed, it may be the key itself. */
export const unfinishedKey = (file: string) => `${file}.new`;

/** Where the key is of what's sealed in a database file. */
export const keyFileOf = (database: string) => `${database}.key`;

/**
 * Saves a new key to a file before it is used, atomically even in a power cut. An existing file is left alone, and
 * its key returned.
 */
export function keepKeyFile(file: string, key: string): string {
  const unfinished = unfinishedKey(file);
  // Left by an interrupted start.
  rmSync(unfinished, { force: true });
  writeToDisk(unfinished, `${key}\n`);
  try {
    giveName(unfinished, file);
    flushFolder(dirname(file));
    return key;
  } catch (error) {
    const other = isFault(error, 'EEXIST') ? readKeyFile(file) : undefined;
    if (other === undefined) throw error;
    return other;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function writeToDisk(file: string, content: string): void {
  const opened = openSync(file, 'wx', privateFileMode);
  try {
    writeSync(opened, content);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
