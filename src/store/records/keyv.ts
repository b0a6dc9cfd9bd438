import Keyv, { KeyvBridgeAdapter } from 'keyv';
import type { Database } from '../database.ts';
import { readyQuery } from '../ready-query.ts';

/** A namespace of values in the `keyv` table; `add` and `change` are safe where several processes write the same key. */
export class Records extends Keyv {
  readonly #table: KeyvTable;
  readonly #inNamespace: (key: string) => string;

  constructor(database: Database, namespace: string, now: () => number) {
    const table = keyvTable(database, now);
    // The table checks expiry with its own clock; Keyv's check would use another one.
    super({ store: new KeyvBridgeAdapter(table), namespace, checkExpired: false });
    this.#table = table;
    this.#inNamespace = (key) => `${namespace}${separator}${key}`;
  }

  /** Stores a value for `life` milliseconds, or for good, unless there is one. @returns whether it was stored. */
  add(key: string, value: unknown, life?: number): Promise<boolean> {
    return this.#table.add(this.#inNamespace(key), encoded(value), life);
  }

  /** Stores the same value under several keys for `life` milliseconds, by one query. */
  async setAll(keys: readonly string[], value: unknown, life: number): Promise<void> {
    await this.#table.setAll(keys.map(this.#inNamespace), encoded(value), life);
  }

  /** Whether one of these keys has a value, by one query. */
  async hasAny(keys: readonly string[]): Promise<boolean> {
    return (await this.having(keys)).size > 0;
  }

  /** Those of these keys that have a value, by one query. */
  async having(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const stored = new Set(await this.#table.having(keys.map(this.#inNamespace)));
    return new Set(keys.filter((key) => stored.has(this.#inNamespace(key))));
  }

  /** The values from one key to another, by their characters; the first of them, at most so many. */
  async range<T>(first: string, last: string, most = 1_000): Promise<readonly T[]> {
    const values = await this.#table.range(this.#inNamespace(first), this.#inNamespace(last), most);
    return values.flatMap((value) => decoded<T>(value) ?? []);
  }

  /** The values of all keys with this prefix, by one query. */
  async startingWith<T>(prefix: string): Promise<readonly T[]> {
    const values = await this.#table.range(this.#inNamespace(prefix), this.#inNamespace(endOf(prefix)));
    return values.flatMap((value) => decoded<T>(value) ?? []);
  }

  /** All keys with one of these prefixes, by one query for a hundred prefixes. */
  async keysStartingWith(prefixes: readonly string[]): Promise<readonly string[]> {
    const begin = this.#inNamespace('').length;
    const keys: string[] = [];
    for (let from = 0; from < prefixes.length; from += mostRanges) {
      const ranges = prefixes.slice(from, from + mostRanges).map(this.#inNamespace);
      keys.push(...(await this.#table.keysStartingWith(ranges)));
    }
    return keys.map((key) => key.slice(begin));
  }

  /**
   * Changes a value and keeps it for another `life` milliseconds. `work` makes the new value from the one that's there,
   * once more where another process changed that meanwhile; if it returns undefined nothing is changed.
   * @returns what `work` returned last.
   */
  async change<T>(
    key: string,
    life: number,
    work: (before: T | undefined) => T | undefined,
  ): Promise<T | undefined> {
    const stored = this.#inNamespace(key);
    for (;;) {
      const before = await this.#table.read(stored);
      const after = work(before && !before.isExpired ? decoded<T>(before.value) : undefined);
      if (after === undefined) return undefined;
      const isDone = before
        ? await this.#table.replace(stored, before.value, encoded(after), life)
        : await this.#table.add(stored, encoded(after), life);
      if (isDone) return after;
    }
  }
}

/**
 * Keyv over the `keyv` table. Published adapters need a second database driver, and
 * those for this Keyv version are pre-releases.
 */
export function openKeyv(database: Database, namespace: string, now: () => number = Date.now): Records {
  return new Records(database, namespace, now);
}

/** Keyv stores a value as its own JSON text inside ours. */
function encoded(value: unknown): string {
  return JSON.stringify(JSON.stringify({ value }));
}

function decoded<T>(stored: string): T | undefined {
  return (JSON.parse(JSON.parse(stored)) as { readonly value?: T }).value;
}

/** So many ranges of keys are looked up at a time, which every database takes. */
const mostRanges = 100;

/** Keyv's separator between a namespace and a key. */
const separator = '::';

/** The range of stored keys in a namespace with this prefix. */
export function keyRange(namespace: string, prefix: string) {
  const begin = `${namespace}${separator}${prefix}`;
  const keyOf = (stored: string) => stored.slice(namespace.length + separator.length);
  return { begin, end: endOf(begin), keyOf };
}

/** What comes after all keys with this prefix. */
function endOf(prefix: string): string {
  return `${prefix}\uffff`;
}

type KeyvTable = ReturnType<typeof keyvTable>;

function keyvTable(database: Database, now: () => number) {
  const select = readyQuery(
    database,
    database.selectFrom('keyv').select(['value', 'expires']).where('key', '=', ''),
  );
  const row = { key: '', value: '', expires: 0 };
  const insertion = database.insertInto('keyv').columns(['key', 'value', 'expires']);
  const insert = insertion.values(row);
  const written = (rows: typeof insertion) =>
    rows.onConflict((conflict) =>
      conflict.column('key').doUpdateSet(({ ref }) => ({
        value: ref('excluded.value'),
        expires: ref('excluded.expires'),
      })),
    );
  const write = readyQuery(database, written(insert));
  const add = readyQuery(
    database,
    insert.onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(({ ref }) => ({ value: ref('excluded.value'), expires: ref('excluded.expires') }))
        .where('keyv.expires', '<=', 0),
    ),
  );
  const replace = readyQuery(
    database,
    database.updateTable('keyv').set({ value: '', expires: 0 }).where('key', '=', '').where('value', '=', ''),
  );
  const read = async (key: string) => {
    const [found] = (await select(key)).rows;
    return found && { ...found, isExpired: found.expires !== null && found.expires <= now() };
  };
  /** No condition of a query for many ranges of keys: SQLite would read all that hasn't expired rather than look them up. */
  const unexpired = (rows: readonly { readonly key: string; readonly expires: number | null }[]) =>
    rows.filter(({ expires }) => expires === null || expires > now()).map(({ key }) => key);
  return {
    read,
    async add(key: string, value: string, life?: number) {
      return isDone(await add(key, value, life === undefined ? null : now() + life, now()));
    },
    /** False where there's no longer the value `before`. */
    async replace(key: string, before: string, after: string, life: number) {
      return isDone(await replace(after, now() + life, key, before));
    },
    async setAll(keys: readonly string[], value: string, life: number) {
      const expires = now() + life;
      // In one order, so that of two who store the same keys neither waits for the other.
      const rows = [...new Set(keys)].toSorted().map((key) => ({ key, value, expires }));
      await written(insertion.values(rows)).execute();
    },
    async having(keys: readonly string[]) {
      const found = database.selectFrom('keyv').select(['key', 'expires']).where('key', 'in', keys);
      return unexpired(await found.execute());
    },
    async keysStartingWith(prefixes: readonly string[]) {
      const found = database
        .selectFrom('keyv')
        .select(['key', 'expires'])
        .where(({ eb, or, and }) =>
          or(prefixes.map((prefix) => and([eb('key', '>=', prefix), eb('key', '<', endOf(prefix))]))),
        );
      return unexpired(await found.execute());
    },
    async range(first: string, last: string, most?: number) {
      const found = database
        .selectFrom('keyv')
        .select('value')
        .where('key', '>=', first)
        .where('key', '<=', last)
        .where(({ eb, or }) => or([eb('expires', 'is', null), eb('expires', '>', now())]))
        .orderBy('key');
      const rows = await (most === undefined ? found : found.limit(most)).execute();
      return rows.map(({ value }) => value);
    },
    async get(key: string) {
      const found = await read(key);
      return found && !found.isExpired ? JSON.parse(found.value) : undefined;
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

function isDone({ numAffectedRows = 0n }: { readonly numAffectedRows?: bigint }): boolean {
  return numAffectedRows > 0n;
}
