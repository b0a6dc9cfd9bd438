/** Spans of time that begin at a midnight of somebody's clock. Weeks begin on Monday. */
export const periods = ['today', 'week', 'month'] as const;
export type Period = (typeof periods)[number];

const day = 86_400_000;

/** When the period that `now` is in began, in a time zone (an IANA name); milliseconds since the epoch. */
export function beginningOf(period: Period, now: number, timeZone: string): number {
  const clock = wallClock(timeZone);
  const today = clock.dateAt(now);
  // 1970-01-01, day 0, was a Thursday.
  if (period === 'week') return clock.midnight(today - ((today + 3) % 7));
  if (period === 'month') return clock.midnight(today - (new Date(today * day).getUTCDate() - 1));
  return clock.midnight(today);
}

/** The next midnight after `now` in a time zone. */
export function nextMidnight(now: number, timeZone: string): number {
  const clock = wallClock(timeZone);
  return clock.midnight(clock.dateAt(now) + 1);
}

/** What a calendar on the wall of a time zone shows; dates are counted in days from 1970-01-01. */
function wallClock(timeZone: string) {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const dateAt = (moment: number) => Math.floor(Date.parse(`${format.format(moment)}T00:00:00Z`) / day);
  return {
    dateAt,
    /** The first moment of a date. Searched for, since some days begin at one o'clock and some twice. */
    midnight(date: number): number {
      let before = date * day - day;
      let after = date * day + day;
      while (after - before > 1) {
        const middle = Math.floor((before + after) / 2);
        if (dateAt(middle) < date) before = middle;
        else after = middle;
      }
      return after;
    },
  };
}
