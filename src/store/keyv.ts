import Keyv, { KeyvBridgeAdapter } from 'keyv';
import type { Database } from './database.ts';
import { readyQuery } from './ready-query.ts';

/**
 * Keyv over the `keyv` table. Published adapters need a second database driver, and those for this Keyv version are
 * pre-releases.
 */
export function openKeyv(database: Database, namespace: string, now: () => number = Date.now): Keyv {
  const store = new KeyvBridgeAdapter(keyvStore(database, now));
  // The store checks expiry with its own clock; Keyv's check would use another one.
  return new Keyv({ store, namespace, checkExpired: false });
}

/** Keyv's separator between a namespace and a key. */
const separator = '::';

/** The range of stored keys in a namespace with this prefix. */
export function keyRange(namespace: string, prefix: string) {
  const begin = `${namespace}${separator}${prefix}`;
  const keyOf = (stored: string) => stored.slice(namespace.length + separator.length);
  return { begin, end: `${begin}\uffff`, keyOf };
}

/** The keys of a namespace with this prefix. */
export async function keysIn(
  database: Database,
  namespace: string,
  prefix: string,
): Promise<readonly string[]> {
  const { begin, end, keyOf } = keyRange(namespace, prefix);
  const rows = await database
    .selectFrom('keyv')
    .select('key')
    .where('key', '>=', begin)
    .where('key', '<', end)
    .execute();
  return rows.map(({ key }) => keyOf(key));
}

function keyvStore(database: Database, now: () => number) {
  const read = readyQuery(
    database,
    database.selectFrom('keyv').select(['value', 'expires']).where('key', '=', ''),
  );
  const write = readyQuery(
    database,
    database
      .insertInto('keyv')
      .columns(['key', 'value', 'expires'])
      .values({ key: '', value: '', expires: 0 })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet(({ ref }) => ({
          value: ref('excluded.value'),
          expires: ref('excluded.expires'),
        })),
      ),
  );
  return {
    async get(key: string) {
      const [row] = (await read(key)).rows;
      if (!row || (row.expires !== null && row.expires <= now())) return undefined;
      return JSON.parse(row.value);
    },
    async set(key: string, value: unknown, ttl?: number) {
      await write(key, JSON.stringify(value), ttl === undefined ? null : now() + ttl);
      return true;
    },
    async delete(key: string) {
      const { numDeletedRows } = await database.deleteFrom('keyv').where('key', '=', key).executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async clear() {
      await database.deleteFrom('keyv').execute();
    },
  };
}
