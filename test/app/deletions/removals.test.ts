import { expect, it } from 'vitest';
import { Removals } from '../../../src/app/deletions/removals.ts';
import {
  type MessageAddress,
  type PlatformAdapter,
  PlatformError,
  type PlatformErrorKind,
} from '../../../src/port/index.ts';
import type { StoredRemovals } from '../../../src/store/index.ts';
import { FakeClock } from '../../fakes/clock.ts';

const message = (index: number): MessageAddress => ({
  ...{ platform: 'console', workspace: `w${index}`, channel: 'c', message: `m${index}` },
});

function begin() {
  const clock = new FakeClock(0);
  const platform: { why: PlatformErrorKind | undefined } = { why: 'unreachable' };
  const database = { isAway: true };
  const rows = new Map<string, MessageAddress>();
  const stored: StoredRemovals = {
    add: async (added) => {
      if (database.isAway) throw Object.assign(new Error('away'), { code: 'ERR_POSTGRES_AWAY' });
      for (const { message } of added) rows.set(message.message, message);
    },
    async *of(name) {
      if (name === 'console') yield [...rows.values()].map((message) => ({ message }));
    },
    done: async ({ message }) => void rows.delete(message.message),
  };
  const remove = async () => {
    if (platform.why) throw new PlatformError(platform.why);
  };
  const adapter = { remove } as unknown as PlatformAdapter;
  const adapters = (name: string) => (name === 'console' ? adapter : undefined);
  const answers = { forget: async () => {} };
  const removals = new Removals({ stored, answers, adapters, clock, log: { warn: () => {} } });
  return { clock, platform, database, rows, removals };
}

it('an outage of the database and the platform keeps a thousand in memory', async () => {
  const { clock, platform, database, rows, removals } = begin();
  for (let index = 0; index < 1_001; index++) await removals.remove([message(index)]);
  database.isAway = false;
  await clock.advance(60_000);
  expect(rows.size).toBe(1_000);
  expect(rows.has('m0')).toBe(false);
  platform.why = undefined;
  await clock.advance(60_000);
  expect(rows.size).toBe(0);
});

it('who is to be told that a message stays is remembered for the last thousand', async () => {
  const { clock, platform, database, removals } = begin();
  database.isAway = false;
  const told: number[] = [];
  for (let index = 0; index < 1_001; index++)
    await removals.remove([message(index)], async () => void told.push(index));
  platform.why = 'no-permission';
  await clock.advance(60_000);
  expect(told).toHaveLength(1_000);
  expect(told).not.toContain(0);
});
