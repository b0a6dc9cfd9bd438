import { type Budget, type BudgetExceededError, leftOf, type Standing } from '../../credits/index.ts';
import type { EffectiveSettings } from '../../place-settings/index.ts';
import { type Person, timestampFor } from '../../port/index.ts';
import { creditsInWords, spanInWords, type Words } from '../../words/index.ts';

/** The environment's daily budgets in credits; 0 for none. */
export interface Ceilings {
  readonly user: number;
  readonly channel: number;
  readonly workspace: number;
  /** Everybody's on all platforms together. */
  readonly total: number;
}

/** The daily budgets that apply to a person in a place with these settings. */
export type BudgetsFor = (requester: Person, settings: EffectiveSettings) => readonly Budget[];

/**
 * The environment's budgets plus the place's. The environment's apply to everybody and use UTC days, so no place setting
 * can lift one or start a new day.
 */
export function budgetRules(ceilings: Ceilings): BudgetsFor {
  const timeZone = 'UTC';
  const all: readonly Budget[] = [
    { of: 'user', within: 'platform', credits: ceilings.user, timeZone },
    { of: 'channel', within: 'channel', credits: ceilings.channel, timeZone },
    { of: 'workspace', within: 'workspace', credits: ceilings.workspace, timeZone },
    { of: 'bot', within: 'everywhere', credits: ceilings.total, timeZone },
  ];
  const everywhere = all.filter(({ credits }) => credits > 0);
  return ({ administrator }, settings) => {
    const exempt = settings.values.exempt_administrators && administrator;
    return exempt ? everywhere : [...chosenIn(settings), ...everywhere];
  };
}

const chosenBudgets = [
  ['user', 'user_credits'],
  ['channel', 'channel_credits'],
  ['workspace', 'workspace_credits'],
] as const;

/** A place's own. A person's counts in the channel or the workspace, wherever it was chosen. */
function chosenIn({ values, sources }: EffectiveSettings): readonly Budget[] {
  return chosenBudgets.flatMap(([of, name]) => {
    const [credits, source] = [values[name], sources[name]];
    if (source === 'environment' || credits === 0) return [];
    return [{ of, within: of === 'user' ? source : of, credits, timeZone: values.time_zone }];
  });
}

const minute = 60_000;

/** The person who reads a sentence: times in it are in their time zone. */
export type Reader = Pick<Person, 'locale' | 'timeZone'>;

/** Why a budget doesn't allow something: what's left, and when it resets. */
export function budgetExceeded(
  { standing, needed }: BudgetExceededError,
  say: Words,
  reader: Reader,
): string {
  const { of } = standing.budget;
  // How much everybody together has left isn't shown to people.
  if (of === 'bot') return say.spending.totalExceeded(renewal(standing, say, reader));
  const facts = {
    budget: exact(standing.budget.credits, say),
    left: exact(leftOf(standing), say),
    needed: exact(needed, say),
  };
  return say.spending.budgetExceeded(of, facts, renewal(standing, say, reader));
}

/** What's left of the budgets of a person, a channel and a workspace: one line each, of several the tightest. */
export function budgetLines(standings: readonly Standing[], say: Words, reader: Reader): readonly string[] {
  return (['user', 'channel', 'workspace'] as const).flatMap((of) => {
    const [tightest] = standings
      .filter(({ budget }) => budget.of === of)
      .sort((one, other) => leftOf(one) - leftOf(other));
    if (!tightest) return [];
    const [left, budget] = [exact(leftOf(tightest), say), exact(tightest.budget.credits, say)];
    return [say.spending.usage.standing(of, left, budget, renewal(tightest, say, reader))];
  });
}

/** When a budget resets. */
export function renewal({ renewsAt, renewsIn }: Standing, say: Words, reader: Reader): string {
  if (renewsIn <= 0) return say.spending.renewed;
  const span = spanInWords(Math.ceil(renewsIn / minute) * minute, say.locale);
  return say.spending.renewal(timestampFor(reader, renewsAt), span);
}

function exact(credits: number, say: Words): string {
  return creditsInWords({ low: credits, high: credits }, say.locale);
}
