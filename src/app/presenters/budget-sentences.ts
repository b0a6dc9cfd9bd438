import { type BudgetExceededError, leftOf, type Standing } from '../../credits/index.ts';
import { type Person, timestampFor } from '../../port/index.ts';
import { creditsInWords, spanInWords, type Words } from '../../words/index.ts';

const minute = 60_000;

/** Who reads a sentence: moments in it are in their time. */
export type Reader = Pick<Person, 'locale' | 'timeZone'>;

/** Why a budget does not allow something: what is left, and when it renews. */
export function budgetExceeded(
  { standing, needed }: BudgetExceededError,
  say: Words,
  reader: Reader,
): string {
  const { of } = standing.budget;
  // How much others have left to spend is nobody's business.
  if (of === 'bot') return say.spending.totalExceeded(renewal(standing, say, reader));
  const facts = {
    budget: exact(standing.budget.credits, say),
    left: exact(leftOf(standing), say),
    needed: exact(needed, say),
  };
  return say.spending.budgetExceeded(of, facts, renewal(standing, say, reader));
}

/** How the budgets of a person, a channel and a workspace stand, a line each: the tightest, where there are several. */
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

/** When a budget is whole again. */
export function renewal({ renewsAt, renewsIn }: Standing, say: Words, reader: Reader): string {
  if (renewsIn <= 0) return say.spending.renewed;
  const span = spanInWords(Math.ceil(renewsIn / minute) * minute, say.locale);
  return say.spending.renewal(timestampFor(reader, renewsAt), span);
}

function exact(credits: number, say: Words): string {
  return creditsInWords({ low: credits, high: credits }, say.locale);
}
