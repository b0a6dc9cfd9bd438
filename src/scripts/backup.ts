import { closeSync, existsSync, fstatSync, openSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { ConfigError, readSetting } from '../config/config.ts';
import { asArgument, isPostgresUrl } from '../lib/database-url.ts';
import { flushFolder, isFault, privateFileMode } from '../secrets/private-files.ts';
import { explained, isOfDatabase, logs, requireIntact, unusable } from '../store/index.ts';
import { script } from './script.ts';

/** All pages in one step: between steps, the bot's writes would restart the copy each time. */
const everyPage = 2 ** 31 - 1;

/** `npm run backup -- FILE`: makes a consistent copy of the database, even while the bot is running. */
async function copyTo(target: string | undefined): Promise<string> {
  if (!target) throw new ConfigError(['usage: npm run backup -- FILE']);
  // SQLite would apply the log of a copy that's gone to this one. An empty one is left where somebody looked into a copy.
  const bytesIn = (file: string) => statSync(file, { throwIfNoEntry: false })?.size;
  const taken = existsSync(target) ? target : logs.map((end) => target + end).find(bytesIn);
  if (taken !== undefined) throw new ConfigError([`${taken} already exists; choose another name`]);
  const url = readSetting(process.env, 'DATABASE_URL');
  if (isPostgresUrl(url))
    throw new ConfigError([
      `DATABASE_URL is a PostgreSQL database, which its own program copies while the bot runs; it asks for the password, unless ~/.pgpass has it: pg_dump --format=custom --file='${target}' ${asArgument(url)}`,
    ]);
  const file = url.slice('sqlite:'.length);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new ConfigError([`${file}: there is no database yet`]);
  // The copy contains the same data: only its owner may read it.
  process.umask(0o077);
  // A partial copy must not look complete, even after a crash: only a complete one gets the final name.
  const part = `${target}.part`;
  using database = read(file, url);
  await remove(part);
  // Held open, so that no other file gets its number.
  const begun = begin(part, target);
  const isOurs = () => statSync(part, { throwIfNoEntry: false })?.ino === fstatSync(begun).ino;
  try {
    await backup(database, part, { rate: everyPage });
    if (!isOurs())
      throw new ConfigError([`${target}: another copy to this name has begun; nothing is left of this one`]);
    await rename(part, target);
    flushFolder(dirname(target));
  } catch (error) {
    // What can't be removed now, the next run removes.
    if (isOurs()) await remove(part).catch(() => {});
    throw isOfDatabase(error) ? new ConfigError([explained(error, target).message]) : error;
  } finally {
    closeSync(begun);
  }
  return `${file} is copied to ${target}; to go back to it, stop the bot and run \`npm run restore -- ${target}\``;
}

/** How long to wait for another process, in milliseconds. */
const patience = 5_000;

/** Opens the database and reads it, as no restore takes a damaged one: what's wrong from then on is wrong with the copy. */
function read(file: string, url: string): DatabaseSync {
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: patience });
    requireIntact(database, url);
    return database;
  } catch (error) {
    throw new ConfigError([explained(error, url).message]);
  }
}

/** Creates the file: if somebody else created it, they could read everything. */
function begin(part: string, target: string): number {
  try {
    return openSync(part, 'wx', privateFileMode);
  } catch (error) {
    if (isFault(error, 'EEXIST'))
      throw new ConfigError([
        `${part}: another user just created this file; choose a folder only you can write to`,
      ]);
    throw new ConfigError([unusable(target, 'closed', error).message]);
  }
}

async function remove(part: string): Promise<void> {
  for (const end of ['', '-journal']) await rm(part + end, { force: true });
}

await script(() => copyTo(process.argv[2]));
