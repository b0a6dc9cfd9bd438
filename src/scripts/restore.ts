import { existsSync } from 'node:fs';
import { ConfigError, readSetting } from '../config.ts';
import { DatabaseError, restoreDatabase } from '../store/index.ts';
import { script } from './script.ts';

/** `npm run restore -- FILE`: puts a copy made by `npm run backup` in the place of the database. */
function restore(copy: string | undefined): string {
  if (!copy) throw new ConfigError(['usage: npm run restore -- FILE']);
  if (!existsSync(copy)) throw new ConfigError([`${copy}: there is no such file`]);
  const url = readSetting(process.env, 'DATABASE_URL');
  try {
    const { former } = restoreDatabase(url, copy);
    return `${copy} is the database now${former ? `; the one before is kept as ${former}` : ''}. Start the bot.`;
  } catch (error) {
    throw error instanceof DatabaseError ? new ConfigError([error.message]) : error;
  }
}

await script(() => restore(process.argv[2]));
