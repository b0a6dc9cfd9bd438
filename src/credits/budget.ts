import { sql } from 'kysely';
import type { Asker } from '../port/index.ts';
import type { Database } from '../store/index.ts';
import { beginningOf, nextMidnight } from './periods.ts';

/** How much may be spent in a day, from midnight to midnight. */
export interface Budget {
  readonly of: 'user' | 'channel' | 'workspace';
  /** Where spending counts against it: where it was set, or everywhere on the platform. */
  readonly within: 'platform' | 'workspace' | 'channel';
  readonly credits: number;
  /** Whose midnight; an IANA name. */
  readonly timeZone: string;
}

/** A budget, and how it stands. */
export interface Standing {
  readonly budget: Budget;
  /** Spent or reserved today, in credits; of a range its upper end. */
  readonly used: number;
  /** When it is whole again, in milliseconds since the epoch. */
  readonly renewsAt: number;
  /** The same in milliseconds from now. */
  readonly renewsIn: number;
}

/** A budget does not allow what was asked for. Nothing was sent and nothing was spent. */
export class BudgetExceededError extends Error {
  readonly standing: Standing;
  /** What would have been spent at most, in credits. */
  readonly needed: number;

  constructor(standing: Standing, needed: number) {
    super(`the daily budget of the ${standing.budget.of} does not allow this`);
    this.name = 'BudgetExceededError';
    this.standing = standing;
    this.needed = needed;
  }

  /** Credits that may still be spent today. */
  get left(): number {
    return leftOf(this.standing);
  }
}

export function leftOf({ budget, used }: Standing): number {
  return Math.max(0, budget.credits - used);
}

/** How a budget stands for whoever asks, where they ask. */
export async function standingOf(
  database: Database,
  budget: Budget,
  { address, requester }: Asker,
  now: number,
): Promise<Standing> {
  let query = database
    .selectFrom('ledger')
    .select(sql<number | null>`sum(high)`.as('high'))
    .where('platform', '=', address.platform)
    .where('created_at', '>=', beginningOf('today', now, budget.timeZone));
  if (budget.within !== 'platform') query = query.where('workspace', '=', address.workspace);
  if (budget.within === 'channel') query = query.where('channel', '=', address.channel);
  if (budget.of === 'user') query = query.where('person', '=', requester.id);
  const { high } = await query.executeTakeFirstOrThrow();
  const renewsAt = nextMidnight(now, budget.timeZone);
  return { budget, used: Number(high ?? 0) / 1e6, renewsAt, renewsIn: renewsAt - now };
}

/**
 * Checks every budget, `credits` already counted in or yet to come.
 * @throws {BudgetExceededError} about the one that renews last, of those at once the widest.
 */
export async function requireRoom(
  database: Database,
  budgets: readonly Budget[],
  asker: Asker,
  needed: { readonly credits: number; readonly counted: boolean },
  now: number,
): Promise<void> {
  const { credits, counted } = needed;
  let exceeded: Standing | undefined;
  for (const budget of budgets) {
    const standing = await standingOf(database, budget, asker, now);
    const before = counted ? { ...standing, used: standing.used - credits } : standing;
    const passed = Math.round((before.used + credits - budget.credits) * 1e6) > 0;
    if (passed && before.renewsAt >= (exceeded?.renewsAt ?? 0)) exceeded = before;
  }
  if (exceeded) throw new BudgetExceededError(exceeded, credits);
}
