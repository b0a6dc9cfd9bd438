import {
  type BigIntStats,
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isPostgresUrl } from '../../lib/database-url.ts';
import {
  giveToOwnerOf,
  makePrivateFolder,
  narrow,
  notOurs,
  privateFileMode,
  privateFolderMode,
} from '../../secrets/private-files.ts';
import { keyFileOf, unfinishedKey } from '../../secrets/vault.ts';
import { fileKinds } from '../files.ts';

/** File name suffix of a database, or log, that another database has replaced. */
export const formerEnd = '.former';

/** File name suffix of a copy on its way to be the database. */
export const restoringEnd = '.restoring';

/** Log files that SQLite would apply to any database with their database's name. */
export const logs = ['-wal', '-journal'];

/** Identifies a file even if another takes its name; undefined if there is none. */
export function identityOf(file: string): string | undefined {
  return named(statSync(file, { bigint: true, throwIfNoEntry: false }));
}

function named(stats: BigIntStats | undefined): string | undefined {
  return stats && `${stats.dev} ${stats.ino}`;
}

/** An unused name, also with these suffixes: earlier backups stay, because somebody may still need them. */
export function freeName(base: string, ends: readonly string[] = ['']): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base}-${count}`;
    if (!ends.some((end) => existsSync(name + end))) return name;
  }
}

/**
 * Prevents a log from being applied to another database: SQLite leaves it beside any file with the name of the log's
 * own database, which had `identity`. Call when that database is closed.
 */
export function putStrayLogAside(file: string, identity: string | undefined): void {
  if (identityOf(file) === identity || !existsSync(`${file}-wal`)) return;
  renameSync(`${file}-wal`, freeName(`${file}-wal${formerEnd}`));
  rmSync(`${file}-shm`, { force: true });
}

/**
 * Checks whether the database file at `url` and its log are still those that were opened: a process can keep writing to a
 * deleted file, and all of it is lost when the process ends, or what is in the log when it's killed. Call when the database
 * is open. PostgreSQL's has no file of ours.
 */
export function databaseFileWatch(url: string): () => Promise<string | undefined> {
  const file = url.slice('sqlite:'.length);
  if (file === ':memory:' || isPostgresUrl(url)) return async () => undefined;
  const opened = (path: string) => {
    const identity = identityOf(path);
    return async () => named(await stat(path, { bigint: true }).catch(() => undefined)) === identity;
  };
  const [isFileThere, isLogThere] = [opened(file), opened(`${realFile(file)}-wal`)];
  return async () => {
    if (!(await isFileThere()))
      return `${file} was deleted or replaced: what is written now is lost when troupe stops. Stop it and put a backup in its place: npm run restore -- BACKUP`;
    if (!(await isLogThere()))
      return `${file}-wal was deleted or replaced: what was written lately is in no backup, and lost if troupe is killed. Stop troupe, which saves it, and start it again`;
    return undefined;
  };
}

/** Opens a database file, and claims it unless it's shared with the process that has; call `release` when it's closed. */
export function openFile(
  file: string,
  claims: boolean,
): { readonly database: DatabaseSync; readonly release: () => void } {
  if (file === ':memory:') return { database: new DatabaseSync(file, { timeout: 0 }), release: () => {} };
  makePrivateFolder(dirname(file));
  const real = realFile(file);
  const release = claims ? claim(real) : () => {};
  try {
    closeSync(openSync(real, 'a', privateFileMode));
    requireOwn(real);
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

/** Why a file must not be used: it's none, or another user created one of its files, which SQLite would read. */
export function faultOfFile(file: string): string | undefined {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    return 'it isn’t a file; DATABASE_URL has to name one';
  for (const end of besides) {
    const fault = notOurs(file + end);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function requireOwn(file: string): void {
  const fault = faultOfFile(file);
  if (fault !== undefined) throw new Error(fault);
}

/** Makes the database readable only by its owner: a former version left it open. */
export function makePrivate(file: string): void {
  for (const end of besides) narrow(file + end, privateFileMode);
  const folder = dirname(file);
  // A shared folder, such as the working directory or /tmp, stays as it is.
  if (readdirSync(folder).every((name) => isOurs(name, basename(file)))) narrow(folder, privateFolderMode);
}

/** Whether the bot created this entry of its data folder. */
function isOurs(name: string, database: string): boolean {
  return (
    besides.some((end) => name === database + end) ||
    name === keyFileOf(database) ||
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
    takeBackNames(file);
  } catch (error) {
    lock.close();
    throw error;
  }
  try {
    forgetUnfinished(file);
  } catch {
    // In a shared folder other users' files may have these names, which keeps nobody from starting.
  }
  return () => lock.close();
}

/** Removes what a killed process has left half made: it holds what's private, and nobody would look for it. */
export function forgetUnfinished(file: string): void {
  for (const end of ['', '-shm', ...logs]) rmSync(file + restoringEnd + end, { force: true });
  rmSync(unfinishedKey(keyFileOf(file)), { force: true });
}

/**
 * A restore that was killed has given the database a second name, which would be taken for another database, and perhaps its
 * logs, too: what they hold would be missing.
 */
function takeBackNames(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats || stats.nlink === 1) return;
  const folder = dirname(file);
  const kept = readdirSync(folder).filter((name) => name.startsWith(basename(file) + formerEnd));
  for (const former of kept.map((name) => join(folder, name))) {
    if (identityOf(former) !== identityOf(file)) continue;
    for (const end of logs)
      if (existsSync(former + end) && !existsSync(file + end)) renameSync(former + end, file + end);
    rmSync(former);
  }
}
