import { statSync } from 'node:fs';
import { ConfigError, readSetting } from '../config/config.ts';
import { asArgument, isPostgresUrl } from '../lib/database-url.ts';
import { afterRestore, DatabaseError, restoreDatabase } from '../store/index.ts';
import { script } from './script.ts';

function inPostgres(url: string, copy: string): readonly string[] {
  return [
    'DATABASE_URL is a PostgreSQL database, which its own programs restore. They ask for the password, unless ~/.pgpass has it. Stop every process of the bot, and create an empty database. Then:',
    `  pg_restore --no-owner --exit-on-error --dbname=${asArgument(url)} '${copy}'`,
    // As a restore of SQLite's does.
    'The bot went on after the copy was made: what was under way then mustn’t be paid for, said or posted again.',
    ...afterRestore.map((statement) => `  psql ${asArgument(url)} --command "${statement}"`),
  ];
}

/** `npm run restore -- FILE`: replaces the database by a copy made with `npm run backup`. */
async function restore(copy: string | undefined): Promise<string> {
  if (!copy) throw new ConfigError(['usage: npm run restore -- FILE']);
  const url = readSetting(process.env, 'DATABASE_URL');
  if (isPostgresUrl(url)) throw new ConfigError(inPostgres(url, copy));
  if (!statSync(copy, { throwIfNoEntry: false })?.isFile()) throw new ConfigError([`${copy}: no such file`]);
  if (url === 'sqlite::memory:') throw new ConfigError([`DATABASE_URL: ${url} has no file to put a copy in`]);
  try {
    const { former } = await restoreDatabase(url, copy);
    return `${copy} is the database now${former ? `; the one before is kept as ${former}` : ''}. Start the bot.`;
  } catch (error) {
    throw error instanceof DatabaseError ? new ConfigError([error.message]) : error;
  }
}

await script(() => restore(process.argv[2]));
