import { setImmediate } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import type { Clock } from '../../lib/clock.ts';
import { type DaySpending, type Spender, type Spending, spendingKinds } from '../../port/index.ts';
import type { Database, LedgerTable } from '../../store/index.ts';

const day = 86_400_000;
/** How many days are shown, with today. */
const daysShown = 14;
/** Calls that are added up at once: SQLite answers on the main thread. */
const atOnce = 200;
/** Those who spent most of a day that are remembered of it. */
const mostKept = 200;
/** Those who are listed. */
const mostListed = 8;
/** How long sums of a day are used again, in milliseconds: what began lately still changes; the rest hardly does. */
const fresh = { lately: 10_000, before: 3_600_000 };

/** What is known of a day. */
interface DaySums {
  readonly kinds: DaySpending['kinds'];
  readonly places: readonly Spender[];
  readonly people: readonly Spender[];
  /** When it was added up, by the clock's steady time. */
  readonly at: number;
}

type Call = Pick<
  Selectable<LedgerTable>,
  'id' | 'created_at' | 'platform' | 'workspace' | 'person' | 'person_name' | 'kind' | 'state' | 'high'
>;

/**
 * What the whole bot spends, day by day in UTC, at the upper bound that budgets count. It's added up only while somebody looks,
 * some calls at a time, and remembered: a look shows what is known by then. Of each day the two hundred who spent most count.
 */
export class SpendingSums {
  readonly #database: Database;
  readonly #clock: Pick<Clock, 'now' | 'steady'>;
  readonly #days = new Map<number, DaySums>();
  #adding: Promise<void> | undefined;
  #isClosed = false;

  constructor(database: Database, clock: Pick<Clock, 'now' | 'steady'>) {
    this.#database = database;
    this.#clock = clock;
  }

  /** What is known now; what isn't yet is added up meanwhile, and known at a later look. Rejects as that did before. */
  async look(): Promise<Spending> {
    this.#adding ??= this.#add().finally(() => {
      this.#adding = undefined;
    });
    // A small bot's is there at once.
    await Promise.race([this.#adding, shortly()]);
    this.#adding?.catch(() => {});
    const shown = this.#shownDays();
    const known = shown.flatMap((at) => this.#days.get(at) ?? []);
    return {
      days: shown.map((at) => ({ day: at, kinds: this.#days.get(at)?.kinds ?? none() })),
      places: most(together(known.flatMap(({ places }) => places)), mostKept),
      people: most(together(known.flatMap(({ people }) => people)), mostListed),
      isWhole: known.length === shown.length,
    };
  }

  /** Who spent what today. */
  today(): readonly Spender[] {
    return this.#days.get(this.#shownDays().at(-1) ?? 0)?.places ?? [];
  }

  /** Nothing is read any more once this resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#adding?.catch(() => {});
  }

  #shownDays(): readonly number[] {
    const today = Math.floor(this.#clock.now() / day) * day;
    return Array.from({ length: daysShown }, (_, index) => today - (daysShown - 1 - index) * day);
  }

  /** The latest days first: they are looked at most. */
  async #add(): Promise<void> {
    const shown = this.#shownDays();
    for (const known of this.#days.keys()) if (!shown.includes(known)) this.#days.delete(known);
    for (const [index, at] of shown.toReversed().entries()) {
      const life = index < 2 ? fresh.lately : fresh.before;
      const known = this.#days.get(at);
      if (known && this.#clock.steady() - known.at < life) continue;
      this.#days.set(at, await this.#sumsOf(at));
      if (this.#isClosed) return;
    }
  }

  async #sumsOf(from: number): Promise<DaySums> {
    const kinds: Record<keyof DaySpending['kinds'], number> = none();
    const places: Sums = new Map();
    const people: Sums = new Map();
    let after: Pick<Call, 'id' | 'created_at'> = { id: '', created_at: from };
    for (;;) {
      const calls = await this.#calls(after, from + day);
      for (const call of calls.filter(({ state }) => state !== 'failed')) {
        const credits = Number(call.high) / 1e6;
        kinds[call.kind] += credits;
        const { platform, workspace, person, person_name: name } = call;
        add(places, { platform, workspace, person: '', name: '', credits, calls: 1 });
        add(people, { platform, workspace: '', person, name, credits, calls: 1 });
      }
      const last = calls.at(-1);
      if (!last || calls.length < atOnce || this.#isClosed) break;
      after = last;
      await setImmediate();
    }
    const at = this.#clock.steady();
    return { kinds, places: most(places, mostKept), people: most(people, mostKept), at };
  }

  #calls(after: Pick<Call, 'id' | 'created_at'>, until: number): Promise<readonly Call[]> {
    return this.#database
      .selectFrom('ledger')
      .select(['id', 'created_at', 'platform', 'workspace', 'person', 'person_name', 'kind', 'state', 'high'])
      .where('created_at', '>=', Number(after.created_at))
      .where('created_at', '<', until)
      .where(({ eb, or }) => or([eb('created_at', '>', Number(after.created_at)), eb('id', '>', after.id)]))
      .orderBy('created_at')
      .orderBy('id')
      .limit(atOnce)
      .execute();
  }
}

function none(): Record<keyof DaySpending['kinds'], number> {
  return Object.fromEntries(spendingKinds.map((kind) => [kind, 0])) as Record<
    keyof DaySpending['kinds'],
    number
  >;
}

/** One look waits so long for sums that aren't known yet. */
function shortly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 300).unref());
}

type Sums = Map<string, { -readonly [Name in keyof Spender]: Spender[Name] }>;

/** The later name is used: people rename themselves. */
function add(sums: Sums, one: Spender): void {
  const key = `${one.platform} ${one.workspace} ${one.person}`;
  const sum = sums.get(key);
  if (!sum) {
    sums.set(key, { ...one });
    return;
  }
  sum.credits += one.credits;
  sum.calls += one.calls;
  if (one.name !== '') sum.name = one.name;
}

function together(spenders: readonly Spender[]): Sums {
  const sums: Sums = new Map();
  for (const one of spenders) add(sums, one);
  return sums;
}

/** Those who spent most, the most first. All are sorted only where they're few: that takes its time. */
function most(sums: Sums, count: number): readonly Spender[] {
  const byCredits = (one: Spender, other: Spender) => other.credits - one.credits;
  let found: Spender[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (const one of sums.values()) {
    if (one.credits <= least) continue;
    found.push(one);
    if (found.length < 2 * count) continue;
    found = found.sort(byCredits).slice(0, count);
    least = found.at(-1)?.credits ?? least;
  }
  return found.sort(byCredits).slice(0, count);
}
