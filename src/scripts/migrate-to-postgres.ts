import { stderr } from 'node:process';
import { ConfigError, readSetting } from '../config/config.ts';
import { countLiving } from '../coordination/postgres.ts';
import { isPostgresUrl, shownUrl } from '../lib/database-url.ts';
import { Vault } from '../secrets/vault.ts';
import { DatabaseError, type Moved, moveToPostgres, storedValues } from '../store/index.ts';
import { script } from './script.ts';

const usage =
  'usage: DATABASE_URL=postgres://… npm run migrate-to-postgres [-- sqlite:FILE]; without an argument, sqlite:data/troupe.db';

/** `npm run migrate-to-postgres -- sqlite:FILE`: copies a SQLite database to the PostgreSQL database of `DATABASE_URL`. */
async function migrate(from = 'sqlite:data/troupe.db'): Promise<string> {
  const to = readSetting(process.env, 'DATABASE_URL');
  if (!isPostgresUrl(to) || !/^sqlite:.+/.test(from) || from === 'sqlite::memory:')
    throw new ConfigError([usage]);
  stderr.write(`Copying ${from} to ${shownUrl(to)} …\n`);
  try {
    const moved = await moveToPostgres({ from, to, livingOn: countLiving });
    return [...report(moved), '', ...(await next(from, to))].join('\n');
  } catch (error) {
    throw error instanceof DatabaseError ? new ConfigError([error.message]) : error;
  }
}

/** What has arrived, and was counted there. */
function report({ tables, files, ledger }: Moved): readonly string[] {
  const rows: (readonly [string, string])[] = [...tables].map(([name, count]) => [name, String(count)]);
  rows.push(['files', `${files.count} (${(files.bytes / 1e6).toFixed(1)} MB)`]);
  const width = Math.max(...rows.map(([name]) => name.length));
  const credits = (millionths: number) => (millionths / 1e6).toFixed(2);
  return [
    ...rows.map(([name, count]) => `${name.padEnd(width)}  ${count}`),
    `The ledger’s credits: ${credits(ledger.low)} to ${credits(ledger.high)}`,
  ];
}

async function next(from: string, to: string): Promise<readonly string[]> {
  const file = from.slice('sqlite:'.length);
  return [
    `All of it is in ${shownUrl(to)} now; the counts and sums are the same in both. ${file} is as it was: don’t start a bot with it again.`,
    ...(await key(from, file)),
    'Start the bot with this DATABASE_URL.',
  ];
}

/** What was encrypted with the key file can be read elsewhere only with the same key. */
async function key(from: string, file: string): Promise<readonly string[]> {
  const secret = readSetting(process.env, 'ENCRYPTION_KEY');
  const vault = new Vault({ secret, file: undefined });
  const tokens = (await storedValues(from, 'slack', 'installation '))
    .map(({ value }) => (value as { readonly token?: unknown } | null)?.token)
    .filter((token) => typeof token === 'string');
  if (tokens.every((token) => !Vault.isSealed(token) || vault.isCurrent(token))) return [];
  const line = `echo "ENCRYPTION_KEY=$(cat '${file}.key')" >> .env`;
  return [
    secret === undefined
      ? `The tokens of Slack installations are encrypted with the key in ${file}.key. Every process needs it as ENCRYPTION_KEY: ${line}`
      : `Tokens of Slack installations are encrypted with another key than ENCRYPTION_KEY. If it’s the one in ${file}.key, set that: ${line}`,
  ];
}

await script(() => migrate(process.argv[2]));
