import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import {
  giveName,
  giveToOwnerOf,
  narrow,
  privateFileMode,
  privateFolderMode,
} from '../../secrets/private-files.ts';
import { explainDatabaseError } from '../database.ts';
import { formerEnd, freeName } from '../sqlite/database-file.ts';
import { claim, realFile } from '../sqlite/dialect.ts';
import { checkTables } from './inspect.ts';

/** What SQLite would play over a database that has the name of the one they belong to. */
const logs = ['-wal', '-journal'];

/**
 * Puts a copy that `npm run backup` made in the place of the database at `url`. What is there is kept beside it, with
 * its log, under a name of its own each time; a database is there at every moment.
 * @throws {DatabaseError} where the copy is damaged, none of troupe's or of a newer one, or a bot runs on the database;
 * nothing is changed then.
 */
export async function restoreDatabase(
  url: string,
  copy: string,
): Promise<{ readonly former: string | undefined }> {
  let release = () => {};
  let fresh: string | undefined;
  try {
    const given = url.slice('sqlite:'.length);
    mkdirSync(dirname(given), { recursive: true, mode: privateFolderMode });
    const file = realFile(given);
    release = claim(file);
    fresh = `${file}.restoring`;
    forget(fresh);
    await copyPrivately(realpathSync(copy), fresh);
    prepare(fresh, copy);
    giveToOwnerOf(existsSync(file) ? file : dirname(file), fresh);
    const former = keepFormer(file);
    renameSync(fresh, file);
    flush(dirname(file));
    return { former };
  } catch (error) {
    throw explainDatabaseError(error, url);
  } finally {
    if (fresh !== undefined) forget(fresh);
    release();
  }
}

/** Nobody else may read it, not even while it is made, whoever may read the copy, whose log lies beside the file itself. */
async function copyPrivately(copy: string, fresh: string): Promise<void> {
  for (const end of ['', '-wal']) {
    if (end !== '' && !existsSync(copy + end)) continue;
    const written = createWriteStream(fresh + end, { flags: 'wx', mode: privateFileMode });
    await pipeline(createReadStream(copy + end), written);
  }
}

/**
 * Looks at the copy of a copy, since SQLite writes files beside what it opens; what its log holds is written into it. What
 * had not been sent when it was made may have been sent since: it must not be paid for again.
 */
function prepare(fresh: string, copy: string): void {
  try {
    const database = new DatabaseSync(fresh);
    try {
      checkTables(database, copy);
      database.exec("update renders set state = 'uncertain' where state = 'reserved'");
      database.exec('pragma wal_checkpoint(truncate)');
    } finally {
      database.close();
    }
    flush(fresh);
  } catch (error) {
    throw explainDatabaseError(error, copy);
  }
}

/** Gives the database another name beside its own, and takes away the logs, which go with the other name. */
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
  flush(dirname(file));
  return isThere ? former : undefined;
}

/** As far as that can be done. */
function writeLog(file: string): void {
  try {
    const database = new DatabaseSync(file);
    try {
      database.exec('pragma wal_checkpoint(truncate)');
    } finally {
      database.close();
    }
  } catch {
    // A damaged one is why somebody restores another: its log is kept beside it.
  }
}

function forget(fresh: string): void {
  for (const end of ['', '-shm', ...logs]) rmSync(fresh + end, { force: true });
}

function flush(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
