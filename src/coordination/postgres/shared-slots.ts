import { CompiledQuery, sql } from 'kysely';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Clock } from '../../lib/clock.ts';
import { inTime } from '../../lib/in-time.ts';
import { type Database, databaseNow } from '../../store/index.ts';
import type { Slots } from '../coordination.ts';

/** Keys have at most 255 characters (the library's table); what's longer is told apart by its end. */
const longestName = 240;
/** How long a use waits for the database, in milliseconds: people wait for what it's used for. */
const patience = 250;
/** For so long a database that's slow or away isn't asked again, in milliseconds. */
const silence = 5_000;
/** How often the machine's clock is compared with the database's, in milliseconds. */
const comparedEvery = 10 * 60_000;

/**
 * Makes {@link Slots} that all processes on a database share, in its table `rates`. While the database is slow or away,
 * each process keeps the limits for itself.
 */
export function sharedSlots(
  database: Database,
  clock: Clock,
): (name: string, count: number, milliseconds: number) => Slots {
  // A slot is a key with a single point, so that no two uses of one are closer together than its time.
  const one = { points: 1, duration: 1, keyPrefix: '' };
  const shared = new RateLimiterPostgres({
    ...one,
    storeClient: { query: querying(database, clock) },
    storeType: 'client',
    tableName: 'rates',
    tableCreated: true,
    // Old rows go with the database's others (src/store/sweep.ts).
    clearExpiredByTimeout: false,
  });
  const own = new RateLimiterMemory(one);
  let askAgainAt = Number.NEGATIVE_INFINITY;
  const use = async (key: string, milliseconds: number) => {
    if (clock.steady() >= askAgainAt) {
      const asked = usedIn(shared, key, milliseconds).catch(() => undefined);
      const wait = await inTime(clock, patience, asked, undefined);
      if (wait !== undefined) return wait;
      askAgainAt = clock.steady() + silence;
    }
    return usedIn(own, key, milliseconds);
  };
  return (name, count, milliseconds) => new SharedSlots({ name, count, milliseconds, use, clock });
}

/** 0: the slot is used; otherwise the milliseconds until it's free. */
async function usedIn(limiter: RateLimiterAbstract, key: string, milliseconds: number): Promise<number> {
  try {
    await limiter.consume(key, 1, { customDuration: milliseconds / 1_000 });
    return 0;
  } catch (error) {
    if (error instanceof RateLimiterRes) return Math.max(1, error.msBeforeNext);
    throw error;
  }
}

/** Everything the library passes that's larger is a time, in milliseconds since the epoch. */
const earliestTime = 1e12;

/**
 * What the library needs of a connection. It goes by the machine's clock; what's stored goes by the database's, which is
 * the same for all machines.
 */
function querying(database: Database, clock: Clock) {
  let ahead = 0;
  let compareAt = Number.NEGATIVE_INFINITY;
  const compare = async () => {
    if (clock.steady() < compareAt) return;
    const asked = Date.now();
    const { rows } = await sql<{ now: number }>`select ${databaseNow(database)} as now`.execute(database);
    ahead = (rows[0]?.now ?? asked) - asked;
    compareAt = clock.steady() + comparedEvery;
  };
  return async ({ text, values }: { readonly text: string; readonly values: readonly unknown[] }) => {
    await compare();
    const stored = values.map((value) =>
      typeof value === 'number' && value > earliestTime ? value + ahead : value,
    );
    const { rows } = await database.executeQuery<{ expire: number | null }>(CompiledQuery.raw(text, stored));
    const read = rows.map((row) => (row.expire === null ? row : { ...row, expire: row.expire - ahead }));
    return { rows: read, rowCount: read.length };
  };
}

interface SharedSlotsDependencies {
  readonly name: string;
  readonly count: number;
  readonly milliseconds: number;
  readonly use: (key: string, milliseconds: number) => Promise<number>;
  readonly clock: Clock;
}

/**
 * As many slots as there may be uses, each used once in the given time, so that no stretch of that length has more uses
 * than slots, however they bunch up: a counter for each minute would let through twice as many around its end.
 * Each process remembers which slots it found taken, and asks about one again only when it's free. Those it used itself
 * it uses again first, so that processes seldom try each other's.
 */
class SharedSlots implements Slots {
  readonly #dependencies: SharedSlotsDependencies;
  /** When each slot is free at the soonest, as far as this process knows. */
  readonly #freeAt: Float64Array;
  /** The slots that this process used last, the one it used longest ago first. */
  readonly #own = new Set<number>();

  constructor(dependencies: SharedSlotsDependencies) {
    this.#dependencies = dependencies;
    this.#freeAt = new Float64Array(dependencies.count).fill(Number.NEGATIVE_INFINITY);
  }

  async take(): Promise<number> {
    const { name, milliseconds, use, clock } = this.#dependencies;
    for (;;) {
      const now = clock.steady();
      const slot = this.#ownFree(now) ?? this.#soonest(now);
      const wait = this.#freeIn(slot, now);
      if (wait > 0) return wait;
      // Nobody else in this process tries the same one.
      this.#freeAt[slot] = now + milliseconds;
      this.#own.delete(slot);
      const taken = await use(`${name.slice(-longestName)} ${slot}`, milliseconds);
      if (taken === 0) {
        this.#own.add(slot);
        return 0;
      }
      this.#freeAt[slot] = clock.steady() + taken;
    }
  }

  #ownFree(now: number): number | undefined {
    const [slot] = this.#own;
    return slot !== undefined && this.#freeIn(slot, now) <= 0 ? slot : undefined;
  }

  /** The slot that's free soonest; of those that are free, any. */
  #soonest(now: number): number {
    const { length } = this.#freeAt;
    let soonest = Math.floor(Math.random() * length);
    for (let step = 0, slot = soonest; step < length; step++, slot = (slot + 1) % length) {
      if (this.#freeIn(slot, now) <= 0) return slot;
      if (this.#freeIn(slot, now) < this.#freeIn(soonest, now)) soonest = slot;
    }
    return soonest;
  }

  #freeIn(slot: number, now: number): number {
    return (this.#freeAt[slot] ?? 0) - now;
  }
}
