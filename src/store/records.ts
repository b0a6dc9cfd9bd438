import Keyv, { jsonSerializer, KeyvBridgeAdapter } from 'keyv';
import type { OnConflictBuilder } from 'kysely';
import { BoundedMap } from '../lib/bounded-map.ts';
import { systemClock } from '../lib/clock.ts';
import { isLocal, nowOrLater } from '../lib/local-faults.ts';
import {
  type Capabilities,
  type Capability,
  type Draft,
  type Drafts,
  everyWorkspace,
  type Place,
  type PlatformName,
} from '../port/index.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';
import { readyQuery } from './transactions.ts';

/** What needs only single values, by their keys. Lifetimes in milliseconds. */
export interface KeyValueStore {
  get<T>(key: string): Promise<T | undefined>;
  set(key: string, value: unknown, lifetime?: number): Promise<unknown>;
  /** Whether there was anything. */
  delete(key: string): Promise<boolean>;
}

/**
 * A namespace of values in the `keyv` table. Keyv reads, writes and deletes them by their keys; what's safe where several
 * processes write the same key, and what's about many keys, is asked of the table itself.
 */
export class Records extends Keyv {
  readonly #table: KeyvTable;
  readonly #now: () => number;
  readonly #own: string;
  /** Before every key of this namespace. */
  readonly #prefix: string;

  constructor(database: Database, namespace: string, now: () => number) {
    const table = tableOf(database);
    const store = {
      async get(key: string) {
        const found = await table.read(key);
        return found && !isExpired(found, now()) ? { value: valueIn(found.value) } : undefined;
      },
      async set(key: string, { value }: { readonly value: unknown }, life?: number) {
        await table.write(key, stored(value), life === undefined ? null : now() + life);
        return true;
      },
      delete: (key: string) => table.delete(key),
      // Keyv asks for it, and leaves other namespaces alone.
      clear: async () => {},
    };
    // Values are stored as they are, and expire by the database's time or a test's: Keyv's checks would use another one.
    super({ store: new KeyvBridgeAdapter(store), namespace, checkExpired: false, serialization: false });
    this.#table = table;
    this.#now = now;
    this.#own = namespace;
    this.#prefix = `${namespace}${separator}`;
  }

  /** The same namespace in a transaction. */
  within(transaction: Database): Records {
    return new Records(transaction, this.#own, this.#now);
  }

  /** Stores a value for `life` milliseconds, or for good, unless there is one. @returns whether it was stored. */
  add(key: string, value: unknown, life?: number): Promise<boolean> {
    const now = this.#now();
    return this.#table.add(this.#prefix + key, stored(value), life === undefined ? null : now + life, now);
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
    for (;;) {
      const before = await this.#table.read(this.#prefix + key);
      const isThere = before && !isExpired(before, this.#now());
      const after = work(isThere ? (valueIn(before.value) as T) : undefined);
      if (after === undefined) return undefined;
      const isDone = before
        ? await this.#table.replace(this.#prefix + key, before.value, stored(after), this.#now() + life)
        : await this.add(key, after, life);
      if (isDone) return after;
    }
  }

  /** Stores the same value under several keys for `life` milliseconds, by one query. */
  setAll(keys: readonly string[], value: unknown, life: number): Promise<void> {
    const [text, expires] = [stored(value), this.#now() + life];
    // In one order, so that of two who store the same keys neither waits for the other.
    const sorted = [...new Set(keys)].toSorted();
    return this.#table.writeAll(sorted.map((key) => ({ key: this.#prefix + key, value: text, expires })));
  }

  /** Whether one of these keys has a value, by one query. */
  async hasAny(keys: readonly string[]): Promise<boolean> {
    return (await this.having(keys)).size > 0;
  }

  /** Those of these keys that have a value, by one query. */
  async having(keys: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(this.#unexpired(await this.#table.having(keys.map((key) => this.#prefix + key))));
  }

  /** All keys with one of these prefixes, by one query for a hundred prefixes. */
  async keysStartingWith(prefixes: readonly string[]): Promise<readonly string[]> {
    const found: (readonly string[])[] = [];
    for (let from = 0; from < prefixes.length; from += mostRanges) {
      const some = prefixes.slice(from, from + mostRanges).map((prefix) => this.#prefix + prefix);
      found.push(this.#unexpired(await this.#table.startingWith(some)));
    }
    return found.flat();
  }

  /** All keys with this prefix whose values have this text in them, in any case, and maybe more; by one query. */
  async keysNaming(prefix: string, text: string): Promise<readonly string[]> {
    return this.#unexpired(await this.#table.naming(this.#prefix + prefix, text));
  }

  /** Deletes all keys with this prefix, some at a time. */
  async deleteStartingWith(prefix: string): Promise<void> {
    const begin = this.#prefix + prefix;
    while ((await this.#table.deleteSome(begin, endOf(begin), mostDeleted)) === mostDeleted);
  }

  /** The values of all keys with this prefix, by one query. */
  startingWith<T>(prefix: string): Promise<readonly T[]> {
    return this.range<T>(prefix, endOf(prefix), Number.MAX_SAFE_INTEGER);
  }

  /** All keys with this prefix and their values, in the order of their keys; some at a time, so that others get their turn. */
  async *entries<T>(prefix: string): AsyncGenerator<readonly [key: string, value: T]> {
    let first = this.#prefix + prefix;
    const last = endOf(first);
    for (;;) {
      const rows = await this.#table.range(first, last, this.#now(), readAtOnce);
      for (const { key, value } of rows) yield [key.slice(this.#prefix.length), valueIn(value) as T];
      const final = rows[readAtOnce - 1];
      if (!final) return;
      first = `${final.key}\u0001`;
      // SQLite answers at once.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** The values from one key to another, by their characters; the first of them, at most so many. */
  async range<T>(first: string, last: string, most = 1_000): Promise<readonly T[]> {
    const bounds = [this.#prefix + first, this.#prefix + last] as const;
    const rows = await this.#table.range(...bounds, this.#now(), most);
    return rows.flatMap(({ value }) => (valueIn(value) as T | undefined) ?? []);
  }

  /** Keys of this namespace without it: those of rows that haven't expired. */
  #unexpired(rows: readonly { readonly key: string; readonly expires: number | null }[]): string[] {
    const now = this.#now();
    return rows.flatMap((row) => (isExpired(row, now) ? [] : row.key.slice(this.#prefix.length)));
  }
}

/** Opens a namespace. Published adapters of Keyv need a second database driver. */
export function openKeyv(database: Database, namespace: string, now: () => number = Date.now): Records {
  return new Records(database, namespace, now);
}

function stored(value: unknown): string {
  return JSON.stringify({ value });
}

/** The value in a row of the `keyv` table. The first release wrote Keyv's own JSON text inside ours, and reads both, too. */
export function valueIn(text: string): unknown {
  const kept = JSON.parse(text);
  return (typeof kept === 'string' ? jsonSerializer.parse<{ value?: unknown }>(kept) : kept)?.value;
}

function isExpired({ expires }: { readonly expires: number | null }, now: number): boolean {
  return expires !== null && expires <= now;
}

/** So many ranges of keys are looked up at a time, which every database takes. */
const mostRanges = 100;
/** So many keys are deleted at a time: PostgreSQL ends a statement that takes some seconds. */
const mostDeleted = 1_000;
/** So many values are read at a time: some are long. */
const readAtOnce = 20;

/** Keyv's separator between a namespace and a key. */
const separator = '::';

/** The range of stored keys in a namespace with this prefix. */
export function keyRange(namespace: string, prefix: string) {
  const begin = `${namespace}${separator}${prefix}`;
  const keyOf = (key: string) => key.slice(namespace.length + separator.length);
  return { begin, end: endOf(begin), keyOf };
}

/** What comes after all keys with this prefix. */
function endOf(prefix: string): string {
  return `${prefix}\uffff`;
}

type KeyvTable = ReturnType<typeof makeTable>;

/** A bot has some fifteen namespaces: the queries are compiled once for all of them. */
const tables = new WeakMap<Database, KeyvTable>();

function tableOf(database: Database): KeyvTable {
  const table = tables.get(database) ?? makeTable(database);
  tables.set(database, table);
  return table;
}

/** The `keyv` table. Times are milliseconds since the epoch. */
function makeTable(database: Database) {
  const keyv = database.selectFrom('keyv');
  const columns = database.insertInto('keyv').columns(['key', 'value', 'expires']);
  const anew = columns.values({ key: '', value: '', expires: 0 });
  const read = readyQuery(database, keyv.select(['value', 'expires']).where('key', '=', ''));
  const overwriting = (conflict: OnConflictBuilder<Tables, 'keyv'>) =>
    conflict
      .column('key')
      .doUpdateSet(({ ref }) => ({ value: ref('excluded.value'), expires: ref('excluded.expires') }));
  const write = readyQuery(database, anew.onConflict(overwriting));
  const add = readyQuery(
    database,
    anew.onConflict((conflict) => overwriting(conflict).where('keyv.expires', '<=', 0)),
  );
  const replace = readyQuery(
    database,
    database.updateTable('keyv').set({ value: '', expires: 0 }).where('key', '=', '').where('value', '=', ''),
  );
  const remove = readyQuery(database, database.deleteFrom('keyv').where('key', '=', ''));
  const isDone = ({ numAffectedRows = 0n }: { readonly numAffectedRows?: bigint }) => numAffectedRows > 0n;
  return {
    read: async (key: string) => (await read(key)).rows[0],
    write,
    /** Writes unless there's a value that hasn't expired by now. */
    add: async (key: string, value: string, expires: number | null, now: number) =>
      isDone(await add(key, value, expires, now)),
    /** False where there's no longer the value `before`. */
    replace: async (key: string, before: string, after: string, expires: number) =>
      isDone(await replace(after, expires, key, before)),
    delete: async (key: string) => isDone(await remove(key)),
    /** How many there were of those from `first` on and before `last`, at most so many. */
    async deleteSome(first: string, last: string, most: number) {
      const some = keyv.select('key').where('key', '>=', first).where('key', '<', last).limit(most);
      const { numDeletedRows } = await database
        .deleteFrom('keyv')
        .where('key', 'in', some)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
    async writeAll(rows: readonly { key: string; value: string; expires: number }[]) {
      await columns.values(rows).onConflict(overwriting).execute();
    },
    // In the queries for many keys there's no condition about time: SQLite would read all that hasn't expired rather than
    // look the keys up.
    having: (keys: readonly string[]) => keyv.select(['key', 'expires']).where('key', 'in', keys).execute(),
    startingWith: (prefixes: readonly string[]) =>
      keyv
        .select(['key', 'expires'])
        .where(({ eb, or, and }) =>
          or(prefixes.map((prefix) => and([eb('key', '>=', prefix), eb('key', '<', endOf(prefix))]))),
        )
        .execute(),
    naming: (prefix: string, text: string) =>
      keyv
        .select(['key', 'expires'])
        .where('key', '>=', prefix)
        .where('key', '<', endOf(prefix))
        // What JSON escapes, and a database may in a pattern, is any character.
        .where('value', 'like', `%${JSON.stringify(text).slice(1, -1).replaceAll('\\', '_')}%`)
        .execute(),
    range: (first: string, last: string, now: number, most: number) =>
      keyv
        .select(['key', 'value'])
        .where('key', '>=', first)
        .where('key', '<=', last)
        .where(({ eb, or }) => or([eb('expires', 'is', null), eb('expires', '>', now)]))
        .orderBy('key')
        .limit(most)
        .execute(),
  };
}

/** True on the first call for a key in any process, and again once `life` milliseconds have passed. */
export type FirstTime = (key: string, life: number) => Promise<boolean>;

/** Remembers across restarts what was posted, so that it isn't repeated. */
export function createFirstTime(records: Pick<Records, 'add'>): FirstTime {
  return (key, life) => records.add(key, true, life);
}

/** How long a form can be submitted after it was opened, in milliseconds. */
const draftLife = 3_600_000;

/** How many forms of a person wait: each holds a message with its text files, and costs nothing. */
const mostDrafts = 20;

/** The dispatcher's `Drafts` over a namespace of Keyv. */
export function createDrafts(records: Records, newId: () => string): Drafts {
  return {
    async keep(draft) {
      const id = newId();
      await records.set(id, draft, draftLife);
      let opened: readonly string[] = [];
      await records.change<readonly string[]>(`of ${draft.requester}`, draftLife, (before = []) => {
        opened = [...before, id];
        return opened.slice(-mostDrafts);
      });
      for (const oldest of opened.slice(0, -mostDrafts)) await records.delete(oldest);
      return id;
    },
    find: (id) => records.get<Draft>(id),
  };
}

const day = 86_400_000;
/** How long a finding is trusted, in milliseconds: platforms change, and permissions may be granted later. */
const believedFor: Record<Capability, number> = { works: 90 * day, refused: 7 * day };

/** How many findings are remembered for while the database is away. */
const remembered = 5_000;

/** Nothing is known any more of what worked in a server or workspace. */
export function forgetCapabilities(database: Database, { platform, workspace }: Place): Promise<void> {
  return openKeyv(database, capabilitiesOf(platform)).deleteStartingWith(`${workspace} `);
}

const capabilitiesOf = (platform: PlatformName) => `capability-${platform}`;

/** Stores what a feature was found to do in a workspace. @throws what the database says where it takes nothing. */
export async function storeCapability(
  database: Database,
  { platform, workspace }: Place,
  [feature, seen]: readonly [string, Capability],
  now: () => number,
): Promise<void> {
  const records = openKeyv(database, capabilitiesOf(platform), now);
  await records.set(`${workspace} ${feature}`, seen, believedFor[seen]);
}

/**
 * One platform's capability findings, stored in the database. A post doesn't fail because they can't be read: while
 * the database is away those count that this process has seen, and what's found out is stored later.
 */
export function createCapabilities(
  database: Database,
  platform: PlatformName,
  now: () => number,
): Capabilities {
  const keyv = openKeyv(database, capabilitiesOf(platform), now);
  const lastSeen = new BoundedMap<string, Capability | undefined>({ most: remembered });
  const read = (workspace: string, feature: string) => keyv.get<Capability>(`${workspace} ${feature}`);
  return {
    async find(workspace, feature) {
      const key = `${workspace} ${feature}`;
      try {
        const seen = (await read(workspace, feature)) ?? (await read(everyWorkspace, feature));
        lastSeen.set(key, seen);
        return seen;
      } catch (error) {
        if (!isLocal(error)) throw error;
        return lastSeen.get(key);
      }
    },
    async note(workspace, feature, seen) {
      lastSeen.set(`${workspace} ${feature}`, seen);
      const store = () => storeCapability(database, { platform, workspace }, [feature, seen], now);
      await nowOrLater(store, { clock: systemClock });
    },
  };
}
