import type { Config } from '../config/config.ts';
import { DamagedError, Vault, VaultError, vaultOf } from '../secrets/vault.ts';
import { DatabaseError, inspectDatabase, type StoredValue, storedValues } from '../store/index.ts';
import { type Finding, fine, wrong } from './finding.ts';

/** Looks at the database without changing it. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const { DATABASE_URL: url } = config;
  try {
    const { exists, pending } = inspectDatabase(url);
    if (!exists) return [fine('database', `${url} will be created at the first start`)];
    const later = pending > 0 ? `; ${pending} table changes will be made at the next start` : '';
    return [fine('database', `${url} is whole${later}`), ...checkTokens(config)];
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return [wrong('database', error.message, 'fix that, or set DATABASE_URL to another file')];
  }
}

/** Whether the tokens of Slack installations can be opened. */
function checkTokens({ DATABASE_URL: url, ENCRYPTION_KEY: secret }: Config): Finding[] {
  const subject = 'tokens of installations';
  const tokens = storedValues(url, 'slack', 'installation ').flatMap(sealedToken);
  if (tokens.length === 0) return [];
  const vault = vaultOf(url, secret);
  try {
    for (const { token, about } of tokens) vault.open(token, about);
    return [fine(subject, `${tokens.length} can be decrypted`)];
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    const mend =
      error instanceof DamagedError
        ? "the bot can't answer there until then"
        : "the bot won't start without the right key";
    return [wrong(subject, error.message, mend)];
  }
}

/** The sealed token of an installation, and what it is kept for, as `Installations` names it. */
function sealedToken({ key, value }: StoredValue) {
  const { token } = (value ?? {}) as { readonly token?: unknown };
  return typeof token === 'string' && Vault.isSealed(token) ? [{ about: `slack ${key}`, token }] : [];
}
