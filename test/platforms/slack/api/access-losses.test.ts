import { beforeEach, expect, test } from 'vitest';
import { AccessLosses } from '../../../../src/platforms/slack/api/access-losses.ts';
import { isAccessLostForGood, longestAbsence } from '../../../../src/port/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { processesSharing } from '../../../fakes/coordination.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let clock: FakeClock;
let records: Map<string, unknown>;
/** What a new process of the bot shares with the others. */
let join: ReturnType<typeof processesSharing>;
const create = () =>
  new AccessLosses(
    {
      get: async <T>(key: string) => records.get(key) as T | undefined,
      set: async (key, value) => records.set(key, value),
      delete: async (key) => records.delete(key),
    },
    clock,
    join().signals,
  );
let losses: AccessLosses;
beforeEach(() => {
  clock = new FakeClock();
  records = new Map();
  join = processesSharing(clock);
  losses = create();
});

const revoked = new Error('token_revoked');

/** Tries a refused token every quarter of an hour; returns the hours at which Slack was really called. */
async function tries(token: string, days: number): Promise<number[]> {
  const asked: number[] = [];
  const begun = clock.steady();
  while (clock.steady() - begun < days * day) {
    try {
      losses.check('T1', token);
      asked.push((clock.steady() - begun) / hour);
      await losses.note('T1', token, revoked);
    } catch {
      // Not yet.
    }
    await clock.advance(15 * minute);
  }
  return asked;
}

test('a token that is refused is used ever more rarely, once a day in the end', async () => {
  const asked = await tries('xoxb-1', 20);
  const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  expect(pauses.slice(0, 4).every((pause) => pause <= 1)).toBe(true);
  expect(pauses.slice(-5).every((pause) => pause >= 24 && pause < 24.3)).toBe(true);
  expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
  expect(asked.length).toBeLessThan(40);
});

test('another token is used at once, and so is one that may work again', async () => {
  await tries('xoxb-1', 10);
  expect(() => losses.check('T1', 'xoxb-1')).toThrow(/unreachable/);
  expect(() => losses.check('T1', 'xoxb-2')).not.toThrow();
  expect(() => losses.check('T2', 'xoxb-1')).not.toThrow();
  losses.askAgain('T1');
  expect(() => losses.check('T1', 'xoxb-1')).not.toThrow();
});

test('it counts in running time, over restarts, whatever the machine’s clock says', async () => {
  await losses.note('T1', undefined, undefined);
  await clock.advance(20 * day);
  await losses.note('T1', undefined, undefined);
  losses = create();
  clock.step(400 * day);
  expect(isAccessLostForGood(await losses.note('T1', undefined, undefined))).toBe(false);
  await clock.advance(longestAbsence - 20 * day - hour);
  expect(isAccessLostForGood(await losses.note('T1', undefined, undefined))).toBe(false);
  await clock.advance(2 * hour);
  expect(isAccessLostForGood(await losses.note('T1', undefined, undefined))).toBe(true);
});

test('where Slack takes the token again it begins anew', async () => {
  await losses.note('T1', 'xoxb-1', revoked);
  await clock.advance(29 * day);
  await losses.note('T1', 'xoxb-1', revoked);
  losses = create();
  await losses.over('T1');
  expect(records.size).toBe(0);
  await losses.note('T1', 'xoxb-1', revoked);
  await clock.advance(2 * day);
  expect(isAccessLostForGood(await losses.note('T1', 'xoxb-1', revoked))).toBe(false);
});

test('what one process finds to work again, another tries at once', async () => {
  const other = create();
  await losses.over('T1');
  await other.over('T1');
  for (let tries = 0; tries < 20; tries++) {
    await other.note('T1', 'xoxb-1', revoked);
    await clock.advance(day);
  }
  await other.note('T1', 'xoxb-1', revoked);
  expect(() => other.check('T1', 'xoxb-1')).toThrow();
  // Its token is accepted again, which only a call of the first process shows.
  await losses.over('T1');
  expect(() => other.check('T1', 'xoxb-1')).not.toThrow();
});
