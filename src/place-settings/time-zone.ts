import { memoize } from '../lib/memoize.ts';

/** How many time zones are remembered: checking one takes a millisecond. */
const zonesKept = 100;

/** `off-quarter`: its days don't begin on a quarter of an hour, which is what budgets are counted in. */
type Kind = 'allowed' | 'off-quarter' | 'unknown';

/** Only bare offsets (`+0507`) can be off a quarter; real time zones aren't. */
const kindOf = memoize(zonesKept, (name): Kind => {
  try {
    const parts = new Intl.DateTimeFormat('en', {
      timeZone: name,
      timeZoneName: 'longOffset',
    }).formatToParts();
    const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    return /:(?!(?:00|15|30|45)$)/.test(offset) ? 'off-quarter' : 'allowed';
  } catch {
    return 'unknown';
  }
});

/** Whether this is a time zone whose days begin on a quarter of an hour. */
export function isTimeZone(name: string): boolean {
  return kindOf(name) === 'allowed';
}

/** Whether this is a time zone, but one whose offset from UTC isn't a multiple of 15 minutes. */
export function isOffQuarter(name: string): boolean {
  return kindOf(name) === 'off-quarter';
}
