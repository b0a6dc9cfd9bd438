import { memoize } from '../lib/bounded-map.ts';

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
