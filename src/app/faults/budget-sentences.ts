import { type BudgetExceededError, leftOf, type Standing } from '../../credits/index.ts';
import { type Person, timestampFor } from '../../port/index.ts';
import { creditsInWords, spanInWords, type Words } from '../../words/index.ts';

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
