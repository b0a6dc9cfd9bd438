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

/** A name that nothing has yet, with none of these ends: what was kept before stays, it may be what somebody needs yet. */
export function freeName(base: string, ends: readonly string[] = ['']): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base}-${count}`;
    if (!ends.some((end) => existsSync(name + end))) return name;
  }
}

/**
 * Keeps a log from being played over another database: SQLite leaves it beside whatever has the name of the one it
 * belongs to, which had `identity`. Call when that is closed.
 */
export function putStrayLogAside(file: string, identity: string | undefined): void {
  if (identityOf(file) === identity || !existsSync(`${file}-wal`)) return;
  renameSync(`${file}-wal`, freeName(`${file}-wal${formerEnd}`));
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
