import { createReadStream, createWriteStream, existsSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import {
  flush,
  flushFolder,
  giveName,
  giveToOwnerOf,
  makePrivateFolder,
  narrow,
  privateFileMode,
} from '../../secrets/private-files.ts';
import { explainDatabaseError, unusable } from '../database-error.ts';
import type { Database } from '../database.ts';
import { isPosted } from '../job-progress.ts';
import { recordsInFile } from '../migrations/index.ts';
import {
  claim,
  forgetUnfinished,
  formerEnd,
  freeName,
  logs,
  realFile,
  restoringEnd,
} from '../sqlite/database-file.ts';
import { isBusy } from '../sqlite/wal.ts';
import { checkTables } from './inspect.ts';

/**
 * Replaces the database at `url` by a copy from `npm run backup`. The old one is kept next to it, with its log, under
 * a new name each time; there is a database at every moment.
 * @throws {DatabaseError} if the copy is damaged, not troupe's or from a newer version, or the database is in use by a bot
 * or another program's; nothing is changed then.
 */
export async function restoreDatabase(
  url: string,
  copy: string,
): Promise<{ readonly former: string | undefined }> {
  let release = () => {};
  let claimed: string | undefined;
  try {
    const given = url.slice('sqlite:'.length);
    makePrivateFolder(dirname(given));
    const file = realFile(given);
    release = claim(file);
    claimed = file;
    if (isAnothers(file)) throw unusable(url, 'foreign');
    const fresh = file + restoringEnd;
    // SQLite would apply a log there to the copy.
    forgetUnfinished(file);
    await copyPrivately(realpathSync(copy), fresh);
    prepare(fresh, copy);
    giveToOwnerOf(existsSync(file) ? file : dirname(file), fresh);
    const former = keepFormer(file);
    renameSync(fresh, file);
    flushFolder(dirname(file));
    return { former };
  } catch (error) {
    throw explainDatabaseError(error, url);
  } finally {
    if (claimed !== undefined) forgetUnfinished(claimed);
    release();
  }
}

/**
 * Only the owner may read it, even while it is being made, whatever the mode of the copy, whose log is beside the
 * file.
 */
async function copyPrivately(copy: string, fresh: string): Promise<void> {
  for (const end of ['', '-wal']) {
    if (end !== '' && !existsSync(copy + end)) continue;
    const written = createWriteStream(fresh + end, { flags: 'wx', mode: privateFileMode });
    await pipeline(createReadStream(copy + end), written);
  }
}

/** Checks a copy of the copy, because SQLite writes files beside what it opens; merges its log, and makes it safe to go on with. */
function prepare(fresh: string, copy: string): void {
  try {
    const database = new DatabaseSync(fresh);
    try {
      checkTables(database, copy);
      for (const statement of afterRestore) database.exec(statement);
      database.exec('pragma wal_checkpoint(truncate)');
    } finally {
      database.close();
    }
    flush(fresh);
  } catch (error) {
    throw explainDatabaseError(error, copy);
  }
}

/**
 * Whether a file is another program's database. One that can't be read is the reason to restore another.
 * @throws where somebody has locked it.
 */
function isAnothers(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    return recordsInFile(database).isForeign;
  } catch (error) {
    if (isBusy(error)) throw error;
    return false;
  }
}

/** Renames the database and its logs to a backup name, and returns that. */
function keepFormer(file: string): string | undefined {
  const former = freeName(file + formerEnd, ['', ...logs]);
  const isThere = existsSync(file);
  if (isThere) {
    writeLog(file);
    giveName(file, former);
    narrow(former, privateFileMode);
  }
  for (const end of logs.filter((end) => existsSync(file + end))) renameSync(file + end, former + end);
  rmSync(`${file}-shm`, { force: true });
  flushFolder(dirname(file));
  return isThere ? former : undefined;
}

/** Merges the log into the database if possible. */
function writeLog(file: string): void {
  try {
    using database = new DatabaseSync(file);
    database.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // A damaged one is the reason to restore another: its log is kept next to it.
  }
}

/** Where it's on record until when a restored database knows what was posted. */
const restoredKey = 'restored';

/**
 * What makes a copy that was restored safe to go on with, in the SQL of both databases: the bot went on after the copy was
 * made. Requests that weren't sent then may have been since, and aren't paid for again. Answers under way have ended since,
 * one way or the other, and questions of the bot's may be answered. What waited to be posted may have been: it's looked for first, from the last time that's on record.
 * A session on Discord would bring again what was answered since.
 */
export const afterRestore = [
  "update renders set state = 'uncertain' where state = 'reserved'",
  "update jobs set state = 'failed' where state in ('running', 'asking', 'asked')",
  "delete from keyv where key like '%gateway session %'",
  `insert into keyv (key, value) select '${restoredKey}', cast(max(created_at) as text) from jobs where true having count(*) > 0 on conflict (key) do update set value = excluded.value`,
] as const;

/**
 * When a post under a key may have begun that isn't on record, in milliseconds since the epoch; undefined if it certainly
 * hasn't. The keys of a job's posts begin with its id, or with that of its event.
 */
export type BegunBefore = (key: string) => number | undefined;

/** What keeps a post from being made twice besides its record. */
export interface PostGuards {
  /** Awaited right before each post, so that a process that others took for dead makes none. */
  readonly expectLiving?: (() => Promise<void>) | undefined;
  /** What a database that was restored may have lost. */
  readonly begunBefore?: BegunBefore | undefined;
}

/**
 * Finds out which posts may have been made although the database says nothing of them: those of jobs whose results waited
 * when the copy was made that it was restored from.
 */
export async function begunBefore(database: Database): Promise<BegunBefore> {
  const row = await database
    .selectFrom('keyv')
    .select('value')
    .where('key', '=', restoredKey)
    .executeTakeFirst();
  if (!row) return () => undefined;
  const at = Number(row.value);
  const open = await database
    .selectFrom('jobs')
    .select(['id', 'event_id'])
    .where('created_at', '<=', at)
    .where(({ not }) => not(isPosted))
    .execute();
  const prefixes = open.flatMap(({ id, event_id: event }) => [`${id}:`, `${event}:`]);
  return (key) => (prefixes.some((prefix) => key.startsWith(prefix)) ? at : undefined);
}
