import { type BigIntStats, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isPostgresUrl } from '../../lib/database-url.ts';

/** File name suffix of a database, or log, that another database has replaced. */
export const formerEnd = '.former';

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
 * Checks whether the database file at `url` is still the one that was opened: a process can keep writing to a deleted
 * file, and all of it is lost when the process ends. Call when the database is open. PostgreSQL's has no file of ours.
 */
export function databaseFileWatch(url: string): () => Promise<string | undefined> {
  const file = url.slice('sqlite:'.length);
  if (file === ':memory:' || isPostgresUrl(url)) return async () => undefined;
  const opened = identityOf(file);
  return async () => {
    const now = await stat(file, { bigint: true }).catch(() => undefined);
    return named(now) === opened
      ? undefined
      : `${file} was deleted or replaced: what is written now is lost when troupe stops. Stop it and put a backup in its place: npm run restore -- BACKUP`;
  };
}
