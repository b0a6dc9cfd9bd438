import type { Caller } from '../port/index.ts';
import type { Database } from '../store/index.ts';
import { useWithin } from './budget-use.ts';
import { beginningOf, nextMidnight } from './periods.ts';

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

export function leftOf({ budget, used }: Standing): number {
  return Math.max(0, budget.credits - used);
}

/** How much of a budget the caller has used on the day of `at`. */
export async function standingOf(
  database: Database,
  budget: Budget,
  caller: Caller,
  { at, now }: Moments,
): Promise<Standing> {
  const from = beginningOf('today', at, budget.timeZone);
  const renewsAt = nextMidnight(at, budget.timeZone);
  const used = await useWithin(database, scopeOf(budget, caller), { from, until: renewsAt });
  return { budget, used: used / 1e6, renewsAt, renewsIn: renewsAt - now };
}

/** When a call began (it counts against that day's budgets), and the current time. */
export interface Moments {
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
 * Checks every budget of the day of `at`; `needed.counted` says whether its credits are counted already.
 * @throws {BudgetExceededError} about the exceeded budget that resets last; of several, the widest.
 */
export async function requireRoom(
  database: Database,
  budgets: readonly Budget[],
  caller: Caller,
  needed: { readonly credits: number; readonly counted: boolean },
  moments: Moments,
): Promise<void> {
  const { credits, counted } = needed;
  let exceeded: Standing | undefined;
  for (const budget of budgets) {
    const standing = await standingOf(database, budget, caller, moments);
    const before = counted ? { ...standing, used: standing.used - credits } : standing;
    const passed = Math.round((before.used + credits - budget.credits) * 1e6) > 0;
    if (passed && before.renewsAt >= (exceeded?.renewsAt ?? 0)) exceeded = before;
  }
  if (exceeded) throw new BudgetExceededError(exceeded, credits);
}
