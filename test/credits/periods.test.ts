import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginningOf, nextMidnight, periods } from '../../src/credits/budget.ts';
import { definitions } from '../../src/place-settings/index.ts';

const at = (iso: string) => Date.parse(iso);
const shown = (moment: number) => new Date(moment).toISOString();

describe('a day', () => {
  it.each([
    ['UTC', '2026-11-20T23:30:00Z', '2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
    ['Asia/Shanghai', '2026-11-20T17:30:00Z', '2026-11-20T16:00:00.000Z', '2026-11-21T16:00:00.000Z'],
    ['America/New_York', '2026-11-20T03:00:00Z', '2026-11-19T05:00:00.000Z', '2026-11-20T05:00:00.000Z'],
    // The clocks go forward at two o'clock on this day, so that it has 23 hours.
    ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    // Here they go forward at midnight: the day begins at one o'clock.
    ['Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'],
    ['Asia/Kathmandu', '2026-06-01T00:00:00Z', '2026-05-31T18:15:00.000Z', '2026-06-01T18:15:00.000Z'],
  ])('in %s at %s began at %s and ends at %s', (timeZone, now, begun, ends) => {
    expect(shown(beginningOf('today', at(now), timeZone))).toBe(begun);
    expect(shown(nextMidnight(at(now), timeZone))).toBe(ends);
  });

  it('holds the moment it is asked about, everywhere and always', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const moments = fc.integer({ min: at('2024-01-01T00:00:00Z'), max: at('2032-01-01T00:00:00Z') });
    fc.assert(
      fc.property(zones, moments, (timeZone, now) => {
        const begun = beginningOf('today', now, timeZone);
        const ends = nextMidnight(now, timeZone);
        expect(begun).toBeLessThanOrEqual(now);
        expect(ends).toBeGreaterThan(now);
        expect(ends - begun).toBeGreaterThanOrEqual(22 * 3_600_000);
        expect(ends - begun).toBeLessThanOrEqual(26 * 3_600_000);
        const dateAt = (moment: number) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(moment);
        expect(dateAt(begun)).toBe(dateAt(now));
        expect(dateAt(begun - 1)).not.toBe(dateAt(now));
        expect(dateAt(ends - 1)).toBe(dateAt(now));
      }),
      { numRuns: 300 },
    );
  });
});

it('the days of every time zone that can be chosen begin where budgets count: on a quarter of an hour', () => {
  const twoDigits = (part: number) => String(part).padStart(2, '0');
  const minutes = Array.from({ length: 60 }, (_, minute) => minute);
  const hours = ['+00', '-00', '+05', '-11', '+14', '-23'];
  const offsets = hours.flatMap((hour) => minutes.map((minute) => `${hour}${twoDigits(minute)}`));
  const named = Intl.supportedValuesOf('timeZone');
  const zones = [...named, ...offsets].filter((zone) => definitions.time_zone.read(zone) !== undefined);
  const now = at('2026-11-20T12:00:00Z');
  const off = zones.filter((zone) => nextMidnight(now, zone) % 900_000 !== 0);
  expect(off).toEqual([]);
  expect(zones.length).toBe(named.length + hours.length * 4);
});

describe('a week and a month', () => {
  it.each([
    // A Friday.
    ['2026-11-20T12:00:00Z', '2026-11-16T00:00:00.000Z', '2026-11-01T00:00:00.000Z'],
    ['2026-11-16T00:00:00Z', '2026-11-16T00:00:00.000Z', '2026-11-01T00:00:00.000Z'],
    // A Sunday, the first of its month.
    ['2026-03-01T23:59:59Z', '2026-02-23T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ])('that %s is in began on %s and %s', (now, week, month) => {
    expect(shown(beginningOf('week', at(now), 'UTC'))).toBe(week);
    expect(shown(beginningOf('month', at(now), 'UTC'))).toBe(month);
  });

  it('begin at the midnight of the zone', () => {
    const now = at('2026-11-01T10:00:00Z');
    const begun = periods.map((period) => shown(beginningOf(period, now, 'Asia/Shanghai')));
    expect(begun).toEqual([
      '2026-10-31T16:00:00.000Z',
      '2026-10-25T16:00:00.000Z',
      '2026-10-31T16:00:00.000Z',
    ]);
  });
});
