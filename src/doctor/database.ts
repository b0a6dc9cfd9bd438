import type { Config } from '../config/config.ts';
import { countLiving } from '../coordination/postgres.ts';
import { isPostgresUrl, shownUrl } from '../lib/database-url.ts';
import { DamagedError, Vault, VaultError, vaultOf } from '../secrets/vault.ts';
import {
  DatabaseError,
  inspectDatabase,
  inspectPostgres,
  isDiskFull,
  lookInto,
  type PostgresState,
  type StoredValue,
  storedValues,
  unusable,
} from '../store/index.ts';
import { caution, type Finding, fine, wrong } from './finding.ts';

/** Looks at the database; nothing in it is changed afterwards. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const { DATABASE_URL: url } = config;
  try {
    if (isPostgresUrl(url)) return [...(await checkPostgres(url)), ...(await checkTokens(config))];
    const { exists, pending } = inspectDatabase(url);
    if (isDiskFull(url)) throw unusable(url, 'full');
    if (!exists) return [fine('database', `${url} will be created at the first start.`)];
    return [fine('database', `${url} is in good order.${later(pending)}`), ...(await checkTokens(config))];
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return [wrong('database', error.message, 'fix that, or set DATABASE_URL to another database')];
  }
}

function later(pending: number): string {
  if (pending === 0) return '';
  return ` ${pending === 1 ? '1 table change' : `${pending} table changes`} will be made at the next start.`;
}

async function checkPostgres(url: string): Promise<Finding[]> {
  return lookInto(url, async (database) => {
    const state = await inspectPostgres(database, url);
    const living = await countLiving(database);
    const running = living === 1 ? '1 process of the bot is' : `${living || 'No'} processes of the bot are`;
    const found = `${shownUrl(url)} is PostgreSQL ${state.version}. ${running} running on it.`;
    return [fine('database', `${found}${later(state.pending)}`), ...clockOf(state), ...durabilityOf(state)];
  });
}

/** How far the clocks may be apart, in milliseconds. */
const mostApart = 2_000;

/** This machine's clock decides about budgets, expiry and order; the server's decides about what processes compare. */
function clockOf({ ahead }: PostgresState): Finding[] {
  if (Math.abs(ahead) <= mostApart) return [];
  const seconds = (Math.abs(ahead) / 1_000).toFixed(1);
  const found = `This machine’s clock is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the database server’s.`;
  return [caution('clock', found, 'set both by NTP')];
}

function durabilityOf({ isDurable }: PostgresState): Finding[] {
  if (isDurable) return [];
  const found = 'The database server doesn’t flush what it confirms to its disk (fsync = off).';
  return [caution('durability', found, 'set fsync = on: a power cut can damage the whole database')];
}

/** Whether the tokens of Slack installations can be opened. */
async function checkTokens({ DATABASE_URL: url, ENCRYPTION_KEY: secret }: Config): Promise<Finding[]> {
  const subject = 'tokens of installations';
  const tokens = (await storedValues(url, 'slack', 'installation ')).flatMap(sealedToken);
  if (tokens.length === 0) return [];
  const vault = vaultOf(url, secret);
  try {
    for (const { token, about } of tokens) vault.open(token, about);
    return [fine(subject, `${tokens.length} can be decrypted.`)];
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    const mend =
      error instanceof DamagedError
        ? 'do one of these: the bot can’t answer there until then'
        : 'set the right key: the bot won’t start without it';
    return [wrong(subject, error.message, mend)];
  }
}

/** The sealed token of an installation, and what it is kept for, as `Installations` names it. */
function sealedToken({ key, value }: StoredValue) {
  const { token } = (value ?? {}) as { readonly token?: unknown };
  return typeof token === 'string' && Vault.isSealed(token) ? [{ about: `slack ${key}`, token }] : [];
}
