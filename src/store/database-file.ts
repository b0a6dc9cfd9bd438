import { type BigIntStats, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

/** What the name of a database, or of a log, ends with once another database has its place. */
export const formerEnd = '.former';

/** What tells a file from another that takes its name; undefined where there is none. */
export function identityOf(file: string): string | undefined {
  return named(statSync(file, { bigint: true, throwIfNoEntry: false }));
}

function named(stats: BigIntStats | undefined): string | undefined {
  return stats && `${stats.dev} ${stats.ino}`;
}

/**
 * Keeps a log from being played over another database: SQLite leaves it beside whatever has the name of the one it
 * belongs to, which had `identity`. Call when that is closed.
 */
export function putStrayLogAside(file: string, identity: string | undefined): void {
  if (identityOf(file) === identity || !existsSync(`${file}-wal`)) return;
  renameSync(`${file}-wal`, `${file}-wal${formerEnd}`);
  rmSync(`${file}-shm`, { force: true });
}

/**
 * Tells when the file of the database at `url` isn't the one any more that was opened: a system lets a process write
 * on in a file that was deleted, and all of it is lost when the process ends. Call when the database is open.
 */
export function databaseFileWatch(url: string): () => Promise<string | undefined> {
  const file = url.slice('sqlite:'.length);
  if (file === ':memory:') return async () => undefined;
  const opened = identityOf(file);
  return async () => {
    const now = await stat(file, { bigint: true }).catch(() => undefined);
    return named(now) === opened
      ? undefined
      : `${file} was deleted or replaced: what is written now is lost when troupe stops. Stop it and put a backup in its place: npm run restore -- BACKUP`;
  };
}
