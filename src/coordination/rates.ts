import { type RawBuilder, sql } from 'kysely';
import { type Clock, inTime } from '../lib/clock.ts';
import { type Database, databaseNow } from '../store/index.ts';
import { type Slots, type Tally, tallyParts } from './coordination.ts';

/** Keys have at most 255 characters; what's longer is told apart by its end. */
const longestName = 240;
/** How long a use waits for the database, in milliseconds: people wait for what it's used for. */
const patience = 250;
/** For so long a database that's slow or away isn't asked again, in milliseconds. */
const silence = 5_000;

/**
 * Makes {@link Slots} that all processes on a database share: rows of its table `rates`, by its own time. While the
 * database is slow or away, each process keeps the limits by what it knows.
 */
export function sharedSlots(
  database: Database,
  clock: Clock,
): (name: string, count: number, milliseconds: number) => Slots {
  let askAgainAt = Number.NEGATIVE_INFINITY;
  return (name, count, milliseconds) => {
    const keys = Array.from({ length: count }, (_, slot) => `${name.slice(-longestName)} ${slot}`);
    const use = async (slot: number) => {
      if (clock.steady() < askAgainAt) return undefined;
      const asked = used(database, keys, slot, milliseconds).catch(() => undefined);
      const answer = await inTime(clock, patience, asked, undefined);
      if (!answer) askAgainAt = clock.steady() + silence;
      return answer;
    };
    return slotsOf(count, milliseconds, use, clock);
  };
}

/** A slot that somebody uses, and in how many milliseconds it's free. */
interface Taken {
  readonly slot: number;
  readonly wait: number;
}

/** A use as the database returns it. */
interface Answer {
  /** Whether it's this use that the slot has; somebody else has it otherwise. */
  readonly isOurs: boolean;
  /** Those that were taken before. */
  readonly taken: readonly Taken[];
}

/** What lies further ahead than a window and this, in milliseconds, is of before the database's clock was set back. */
const tolerance = 1_000;

/** Uses a slot unless somebody does. */
async function used(
  database: Database,
  keys: readonly string[],
  slot: number,
  milliseconds: number,
): Promise<Answer> {
  const now = databaseNow(database);
  const window = Math.ceil(milliseconds);
  const { rows } = await sql<{ isOurs: boolean } & (Taken | { slot: null })>`
    with ours as (
      insert into rates (key, points, expire) values (${keys[slot]}, 1, ${now} + ${window})
      on conflict (key) do update set points = 1, expire = excluded.expire
        where rates.expire <= ${now} or rates.expire > ${now} + ${window + tolerance}::bigint
      returning key)
    select "isOurs", slot, wait from (select exists (select from ours) as "isOurs") as use left join (
      select place::integer - 1 as slot, least(expire - ${now}, ${window}::bigint) as wait
      from unnest(${keys}::text[]) with ordinality as slots (key, place) join rates using (key)
      where expire > ${now} and expire <= ${now} + ${window + tolerance}::bigint
    ) as taken on true`.execute(database);
  const taken = rows.flatMap((row) => (row.slot === null ? [] : row));
  return { isOurs: rows[0]?.isOurs === true, taken };
}

/**
 * As many slots as there may be uses, each used once in the given time, so that no stretch of that length has more uses
 * than slots, however they bunch up: a counter for each minute would let through twice as many around its end. With each
 * answer a process learns which slots are taken, whoever uses them. `use` gives none where the database doesn't say.
 */
function slotsOf(
  count: number,
  milliseconds: number,
  use: (slot: number) => Promise<Answer | undefined>,
  clock: Clock,
): Slots {
  /** When each slot is free at the soonest, as far as this process knows. */
  const freeAt = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  const freeIn = (slot: number, now: number) => (freeAt[slot] ?? 0) - now;
  /** The slot that's free soonest; of those that are free, any. */
  const soonest = (now: number) => {
    let found = Math.floor(Math.random() * count);
    for (let step = 0, slot = found; step < count; step++, slot = (slot + 1) % count) {
      if (freeIn(slot, now) <= 0) return slot;
      if (freeIn(slot, now) < freeIn(found, now)) found = slot;
    }
    return found;
  };
  /** Milliseconds until so many slots are free. */
  const untilFree = (wanted: number, now: number) =>
    wanted === 1 ? freeIn(soonest(now), now) : (freeAt.toSorted()[wanted - 1] ?? 0) - now;
  const learn = ({ isOurs, taken }: Answer, asked: number) => {
    const now = clock.steady();
    for (const { slot, wait } of taken) {
      const isOthers = slot === asked && !isOurs;
      freeAt[slot] = isOthers ? now + wait : Math.max(freeAt[slot] ?? 0, now + wait);
    }
  };
  return {
    async take(kept = 0) {
      for (;;) {
        const now = clock.steady();
        const wait = untilFree(kept + 1, now);
        if (wait > 0) return wait;
        const slot = soonest(now);
        // Nobody else in this process tries the same one.
        freeAt[slot] = now + milliseconds;
        const answer = await use(slot);
        if (answer) learn(answer, slot);
        if (answer?.isOurs !== false) return 0;
      }
    },
  };
}

/** Makes {@link Tally}s that all processes on a database share, in its table `rates`: a row for each part of the window. */
export function sharedTally(database: Database): (name: string, milliseconds: number) => Tally {
  const now: RawBuilder<number> = databaseNow(database);
  return (name, milliseconds) => ({
    async add(count) {
      if (count > 0)
        await sql`
          insert into rates (key, points, expire)
          values (${`${name}: `} || ${now} / ${Math.ceil(milliseconds / tallyParts)}::bigint, ${count}, ${now} + ${milliseconds}::bigint)
          on conflict (key) do update set points = rates.points + excluded.points, expire = excluded.expire
        `.execute(database);
      const { rows } = await sql<{ total: number }>`
        select coalesce(sum(points), 0) as total from rates where starts_with(key, ${`${name}: `})
          and expire > ${now} and expire <= ${now} + ${milliseconds + tolerance}::bigint
      `.execute(database);
      return Number(rows[0]?.total ?? 0);
    },
  });
}
