import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { narrow, privateFileMode } from '../private-files.ts';
import { explained, unusable } from './database.ts';
import { claim, realFile } from './sqlite.ts';

/**
 * Puts a copy that `npm run backup` made in the place of the database at `url`. What is there is kept as `FILE.former`.
 * A log of the former database must not stay: SQLite would play it over the copy.
 * @throws {DatabaseError} where the copy is damaged or a bot runs on the database; nothing is changed then.
 */
export function restoreDatabase(url: string, copy: string): { readonly former: string | undefined } {
  const file = realFile(url.slice('sqlite:'.length));
  const fresh = `${file}.restoring`;
  let release = () => {};
  try {
    release = claim(file);
    copyFileSync(copy, fresh);
    narrow(fresh, privateFileMode);
    check(fresh, copy);
    flush(fresh);
    const former = existsSync(file) ? `${file}.former` : undefined;
    if (former) setAside(file, former);
    for (const end of ['-wal', '-shm', '-journal']) rmSync(file + end, { force: true });
    renameSync(fresh, file);
    flush(dirname(file));
    return { former };
  } catch (error) {
    throw explained(error, url);
  } finally {
    rmSync(fresh, { force: true });
    release();
  }
}

/** Looks at the copy of a copy: SQLite writes files beside what it opens. */
function check(file: string, copy: string): void {
  const database = new DatabaseSync(file);
  try {
    const [result] = database.prepare('pragma quick_check(1)').all();
    if (result?.quick_check !== 'ok') throw unusable(copy, 'damaged');
  } catch (error) {
    throw explained(error, copy);
  } finally {
    database.close();
  }
}

/** With what its log holds, as far as it can be read. */
function setAside(file: string, former: string): void {
  try {
    const database = new DatabaseSync(file);
    database.exec('pragma wal_checkpoint(truncate)');
    database.close();
  } catch {
    // A damaged one is why somebody restores another.
  }
  renameSync(file, former);
}

function flush(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
