import { type RawBuilder, sql } from 'kysely';
import { memoize } from '../lib/bounded-map.ts';
import { quarterHourOf } from '../lib/clock.ts';
import type { Caller } from '../port/index.ts';
import type { BudgetUseTable, Database, LedgerTable } from '../store/index.ts';

/** How much can be spent per day, from midnight to midnight. */
export interface Budget {
  /** Whose; `bot` is everybody's together. */
  readonly of: 'user' | 'channel' | 'workspace' | 'bot';
  /** Where spending counts against it. */
  readonly within: 'everywhere' | 'platform' | 'workspace' | 'channel';
  readonly credits: number;
  /** Whose midnight; an IANA name. */
  readonly timeZone: string;
}

/** A budget, and how much of it is used. */
export interface Standing {
  readonly budget: Budget;
  /** Spent or reserved that day, in credits; of a range its upper end. */
  readonly used: number;
  /** When it resets, in milliseconds since the epoch. */
  readonly renewsAt: number;
  /** The same in milliseconds from now; below 0 for a call that began on an earlier day. */
  readonly renewsIn: number;
}

/** A budget doesn't allow a call. Nothing was sent, and nothing was spent. */
export class BudgetExceededError extends Error {
  readonly standing: Standing;
  /** The most the call could have cost, in credits. */
  readonly needed: number;

  constructor(standing: Standing, needed: number) {
    super(`the daily budget of the ${standing.budget.of} does not allow this`);
    this.name = 'BudgetExceededError';
    this.standing = standing;
    this.needed = needed;
  }

  /** The credits left today. */
  get left(): number {
    return leftOf(this.standing);
  }
}

/** Shares of a daily budget at which somebody is told, from the highest. */
const toldShares = [0.95, 0.8, 0.5];

/** A budget of which a call uses more than a share that somebody is told of. */
export interface BudgetPassed extends Pick<Standing, 'budget' | 'renewsAt'> {
  readonly share: number;
}

/** The budgets of which these credits more pass a share; of several the highest. */
export function passedBy(standings: readonly Standing[], credits: number): readonly BudgetPassed[] {
  return standings.flatMap(({ budget, used, renewsAt }) => {
    const share = toldShares.find((one) => {
      const bound = one * budget.credits;
      return used < bound && used + credits >= bound;
    });
    return share === undefined ? [] : [{ budget, share, renewsAt }];
  });
}

export function leftOf({ budget, used }: Standing): number {
  return Math.max(0, budget.credits - used);
}

/** How much of all budgets a caller has used on the day of a moment, for one query. */
export interface Look {
  /** A sum of each budget, to be selected. */
  readonly columns: readonly RawBuilder<unknown>[];
  /** What a row with them says. */
  standings(row: Readonly<Record<string, unknown>> | undefined): readonly Standing[];
}

/** Looks at all budgets at once: those who reserve follow one another, and wait for this. */
export function lookAt(
  database: Database,
  budgets: readonly Budget[],
  caller: Caller,
  { at, now }: Moments,
): Look {
  const days = budgets.map((budget) => ({
    budget,
    from: beginningOf('today', at, budget.timeZone),
    until: nextMidnight(at, budget.timeZone),
  }));
  const sums = days.map(
    ({ budget, ...day }, index) =>
      sql`(${useWithin(database, scopeOf(budget, caller), day)}) as ${sql.id(`used${index}`)}`,
  );
  return {
    columns: sums,
    standings: (row) =>
      days.map(({ budget, until }, index) => ({
        budget,
        used: Number(row?.[`used${index}`] ?? 0) / 1e6,
        renewsAt: until,
        renewsIn: until - now,
      })),
  };
}

/** How much of each budget the caller has used on the day of `at`. */
export async function standingsOf(
  database: Database,
  budgets: readonly Budget[],
  caller: Caller,
  moments: Moments,
): Promise<readonly Standing[]> {
  if (budgets.length === 0) return [];
  const look = lookAt(database, budgets, caller, moments);
  const { rows } = await sql<Record<string, unknown>>`select ${sql.join(look.columns)}`.execute(database);
  return look.standings(rows[0]);
}

/** When a call began (it counts against that day's budgets), and the current time. */
interface Moments {
  readonly at: number;
  readonly now: number;
}

function scopeOf({ of, within }: Budget, { address, requester }: Caller) {
  if (within === 'everywhere') return {};
  const { platform, workspace, channel } = address;
  return {
    platform,
    ...(within !== 'platform' && { workspace }),
    ...(within === 'channel' && { channel }),
    ...(of === 'user' && { person: requester.id }),
  };
}

/**
 * Checks budgets for so many credits more, or for a call of so many of which some were `counted` before.
 * @throws {BudgetExceededError} about the exceeded budget that resets last; of several, the widest.
 */
export function requireRoom(standings: readonly Standing[], credits: number, counted = 0): void {
  let exceeded: Standing | undefined;
  for (const standing of standings) {
    const before = { ...standing, used: standing.used - counted };
    const passed = Math.round((before.used + credits - before.budget.credits) * 1e6) > 0;
    if (passed && before.renewsAt >= (exceeded?.renewsAt ?? 0)) exceeded = before;
  }
  if (exceeded) throw new BudgetExceededError(exceeded, credits);
}

type Scope = Omit<BudgetUseTable, 'quarter' | 'high'>;
/** The fields of a call that decide where it counts. */
export type Counted = Scope & Pick<LedgerTable, 'created_at'>;

const everything: Scope = { platform: '', workspace: '', channel: '', person: '' };

/**
 * Adds to the sums that budgets are checked against, with the write of the call or its change, and only if that's made
 * (`condition`). A call counts at the time it began, whenever it changes. The first row is everybody's, so two that count
 * at the same time do so one after the other, in whatever order they write the rest.
 */
export function countUse(
  call: Counted,
  microcredits: number,
  condition: RawBuilder<boolean> = sql`true`,
): RawBuilder<unknown> {
  const { platform, workspace, channel, person } = call;
  const scopes: readonly Scope[] = [
    everything,
    { ...everything, platform, workspace },
    { ...everything, platform, workspace, channel },
    { ...everything, platform, person },
    { ...everything, platform, workspace, person },
    { platform, workspace, channel, person },
  ];
  const quarter = quarterHourOf(call.created_at);
  const rows = scopes.map(
    (scope) =>
      sql`(${scope.platform}, ${scope.workspace}, ${scope.channel}, ${scope.person},
        cast(${quarter} as integer), cast(${microcredits} as bigint))`,
  );
  return sql`
    insert into budget_use (platform, workspace, channel, person, quarter, high)
    select * from (values ${sql.join(rows)}) as scopes where ${condition}
    on conflict (platform, workspace, channel, person, quarter)
      do update set high = budget_use.high + excluded.high`;
}

/** What the calls of a scope that began within a time span may cost, in millionths of a credit; to be selected. */
function useWithin(
  database: Database,
  scope: Partial<Scope>,
  span: { readonly from: number; readonly until: number },
) {
  const { platform, workspace, channel, person } = { ...everything, ...scope };
  return database
    .selectFrom('budget_use')
    .select(({ fn }) => fn.sum<number | null>('high').as('high'))
    .where('platform', '=', platform)
    .where('workspace', '=', workspace)
    .where('channel', '=', channel)
    .where('person', '=', person)
    .where('quarter', '>=', quarterHourOf(span.from))
    .where('quarter', '<', quarterHourOf(span.until));
}

/** Time spans that begin at midnight in a time zone. Weeks begin on Monday. */
export const periods = ['today', 'week', 'month'] as const;
export type Period = (typeof periods)[number];

const day = 86_400_000;
/** How many time zones' calendars are kept: making one takes a millisecond. */
const zonesKept = 100;

/** When the current period began, in a time zone (an IANA name); milliseconds since the epoch. */
export function beginningOf(period: Period, now: number, timeZone: string): number {
  const calendar = calendarOf(timeZone);
  const { date, begins } = calendar.dayAt(now);
  // 1970-01-01, day 0, was a Thursday.
  if (period === 'week') return calendar.midnight(date - ((date + 3) % 7));
  if (period === 'month') return calendar.midnight(date - (new Date(date * day).getUTCDate() - 1));
  return begins;
}

/** The next midnight after `now` in a time zone. */
export function nextMidnight(now: number, timeZone: string): number {
  return calendarOf(timeZone).dayAt(now).ends;
}

/** A date, counted in days from 1970-01-01, and the moments it begins and ends at. */
interface Day {
  readonly date: number;
  readonly begins: number;
  readonly ends: number;
}

/** The dates of a time zone. */
const calendarOf = memoize(zonesKept, (timeZone) => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const dateAt = (moment: number) => Math.floor(Date.parse(`${format.format(moment)}T00:00:00Z`) / day);
  /** When a date begins. It's searched for, since some days begin at one o'clock, and some twice. */
  const midnight = (date: number): number => {
    let before = date * day - day;
    let after = date * day + day;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (dateAt(middle) < date) before = middle;
      else after = middle;
    }
    return after;
  };
  let latest: Day | undefined;
  /** The day of a moment; nearly always the same as last time. */
  const dayAt = (moment: number): Day => {
    if (latest && moment >= latest.begins && moment < latest.ends) return latest;
    const date = dateAt(moment);
    latest = { date, begins: midnight(date), ends: midnight(date + 1) };
    return latest;
  };
  return { dayAt, midnight };
});
