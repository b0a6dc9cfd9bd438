import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { backup, DatabaseSync } from 'node:sqlite';
import { ConfigError, readSetting } from '../config.ts';
import { explained, isOfDatabase } from '../store/index.ts';
import { script } from './script.ts';

/** `npm run backup -- FILE`: a consistent copy of the database, while the bot runs or not. */
async function copyTo(target: string | undefined): Promise<string> {
  if (!target) throw new ConfigError(['usage: npm run backup -- FILE']);
  if (existsSync(target)) throw new ConfigError([`${target} is there already; name a new file`]);
  const file = readSetting(process.env, 'DATABASE_URL').slice('sqlite:'.length);
  if (!existsSync(file)) throw new ConfigError([`${file}: there is no database yet`]);
  // The copy holds what the database holds: it is nobody else's to read either.
  process.umask(0o077);
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    await backup(database, target);
  } catch (error) {
    // Half a copy looks like a whole one.
    await rm(target, { force: true });
    throw isOfDatabase(error) ? new ConfigError([explained(error, target).message]) : error;
  } finally {
    database.close();
  }
  return `${file} is copied to ${target}; to go back to it, stop the bot and put it in the place of ${file}`;
}

await script(() => copyTo(process.argv[2]));
