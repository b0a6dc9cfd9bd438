import { type BudgetExceededError, leftOf, type Standing } from '../../src/credits/index.ts';
import { momentFor, type Person } from '../../src/port/index.ts';
import { creditsInWords, spanInWords, type Words } from '../../src/words/index.ts';

const minute = 60_000;

/** Who reads a sentence: moments in it are in their time. */
export type Reader = Pick<Person, 'locale' | 'timeZone'>;

/** Why a budget does not allow something: what is left, and when it renews. */
export function budgetExceeded(
  { standing, needed }: BudgetExceededError,
  say: Words,
  reader: Reader,
): string {
  const facts = {
    budget: exact(standing.budget.credits, say),
    left: exact(leftOf(standing), say),
    needed: exact(needed, say),
  };
  return say.spending.budgetExceeded(standing.budget.of, facts, renewal(standing, say, reader));
}

/** How a budget stands, in a line. */
export function budgetLine(standing: Standing, say: Words, reader: Reader): string {
  const [left, budget] = [exact(leftOf(standing), say), exact(standing.budget.credits, say)];
  return say.spending.usage.standing(standing.budget.of, left, budget, renewal(standing, say, reader));
}

/** When a budget is whole again. */
export function renewal({ renewsAt, renewsIn }: Standing, say: Words, reader: Reader): string {
  const span = spanInWords(Math.ceil(renewsIn / minute) * minute, say.locale);
  return say.spending.renewal(momentFor(reader, renewsAt), span);
}

function exact(credits: number, say: Words): string {
  return creditsInWords({ low: credits, high: credits }, say.locale);
}
