import { statSync } from 'node:fs';
import { ConfigError, readSetting } from '../config/config.ts';
import { DatabaseError, restoreDatabase } from '../store/index.ts';
import { script } from './script.ts';

/** `npm run restore -- FILE`: replaces the database by a copy made with `npm run backup`. */
async function restore(copy: string | undefined): Promise<string> {
  if (!copy) throw new ConfigError(['usage: npm run restore -- FILE']);
  if (!statSync(copy, { throwIfNoEntry: false })?.isFile()) throw new ConfigError([`${copy}: no such file`]);
  const url = readSetting(process.env, 'DATABASE_URL');
  if (url === 'sqlite::memory:') throw new ConfigError([`DATABASE_URL: ${url} has no file to put a copy in`]);
  try {
    const { former } = await restoreDatabase(url, copy);
    return `${copy} is the database now${former ? `; the one before is kept as ${former}` : ''}. Start the bot.`;
  } catch (error) {
    throw error instanceof DatabaseError ? new ConfigError([error.message]) : error;
  }
}

await script(() => restore(process.argv[2]));
