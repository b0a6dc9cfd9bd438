import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { type Clock, systemClock } from '../../lib/clock.ts';
import {
  giveToOwnerOf,
  narrow,
  notOurs,
  privateFileMode,
  privateFolderMode,
} from '../../secrets/private-files.ts';
import { fileKinds } from '../file-kinds.ts';
import { formerEnd } from './database-file.ts';
import { OneConnectionDriver } from './driver.ts';
import { walOf } from './wal.ts';

/** The driver queues for its one connection by itself, first come, first served. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * Kysely's SQLite dialect over Node's built-in SQLite, so that nothing has to be compiled or downloaded. Without
 * `claims` the file is shared with the process that has claimed it.
 */
export function nodeSqliteDialect(
  file: string,
  clock: Clock = systemClock,
  claims = true,
  diskOf: typeof walOf = walOf,
): Dialect {
  return {
    createDriver: () => new OneConnectionDriver(() => openFile(file, claims), clock, diskOf),
    createAdapter: () => new Adapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (database) => new SqliteIntrospector(database),
  };
}

function openFile(
  file: string,
  claims: boolean,
): { readonly database: DatabaseSync; readonly release: () => void } {
  if (file === ':memory:') return { database: new DatabaseSync(file, { timeout: 0 }), release: () => {} };
  mkdirSync(dirname(file), { recursive: true, mode: privateFolderMode });
  const real = realFile(file);
  const release = claims ? claim(real) : () => {};
  try {
    makePrivate(real);
    return { database: new DatabaseSync(real, { timeout: 0 }), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** The canonical path of the file, so that all its aliases share one lock. */
export function realFile(file: string): string {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return join(realpathSync(dirname(resolve(file))), basename(file));
  if (!stats.isSymbolicLink()) return realpathSync(file);
  return realFile(resolve(dirname(file), readlinkSync(file)));
}

/** SQLite's companion files; new ones get the database's mode. */
const besides = ['', '-wal', '-shm', '-journal', '-lock', '-lock-journal'];

/** Why a database must not be used: another user created one of its files, which SQLite would read. */
export function faultOfOwner(file: string): string | undefined {
  for (const end of besides) {
    const fault = notOurs(file + end);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function requireOwn(file: string): void {
  const fault = faultOfOwner(file);
  if (fault !== undefined) throw new Error(fault);
}

/** Makes the database readable only by its owner. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', privateFileMode));
  requireOwn(file);
  for (const end of besides) narrow(file + end, privateFileMode);
  const folder = dirname(file);
  // A shared folder, such as the working directory or /tmp, stays as it is.
  if (readdirSync(folder).every((name) => isOurs(name, basename(file)))) narrow(folder, privateFolderMode);
}

/** Whether the bot created this entry of its data folder. */
function isOurs(name: string, database: string): boolean {
  return (
    besides.some((end) => name === database + end) ||
    name === `${database}.key` ||
    name.startsWith(`${database}${formerEnd}`) ||
    name.startsWith(`${database}-wal${formerEnd}`) ||
    [...fileKinds, 'sandbox'].some((folder) => folder === name)
  );
}

/**
 * Locks a database file for this process, until the returned function is called or the process ends in any way. Two
 * bots on one file would each continue the same renders and pay for them twice; SQLite itself would allow that.
 */
export function claim(file: string): () => void {
  // Before root hands the lock to the database's owner, which would hide who holds it.
  requireOwn(file);
  closeSync(openSync(`${file}-lock`, 'a', privateFileMode));
  giveToOwnerOf(existsSync(file) ? file : dirname(file), `${file}-lock`);
  const lock = new DatabaseSync(`${file}-lock`, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    throw error;
  }
  return () => lock.close();
}
