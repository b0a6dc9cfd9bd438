import { expect, it } from 'vitest';
import { Removals } from '../../../src/app/deletions/removals.ts';
import {
  type EditOptions,
  type Message,
  type MessageAddress,
  type PlatformAdapter,
  PlatformError,
  type PlatformErrorKind,
} from '../../../src/port/index.ts';
import type { StoredRemovals } from '../../../src/store/index.ts';
import { FakeClock } from '../../fakes/clock.ts';

const message = (index: number, more: Partial<MessageAddress> = {}): MessageAddress => ({
  ...{ platform: 'console', workspace: `w${index}`, channel: 'c', message: `m${index}`, ...more },
});

function begin() {
  const clock = new FakeClock(0);
  const database = { isAway: false };
  const rows = new Map<string, MessageAddress>();
  const stored: StoredRemovals = {
    add: async (added) => {
      if (database.isAway) throw Object.assign(new Error('away'), { code: 'ERR_POSTGRES_AWAY' });
      for (const { message } of added) rows.set(message.message, message);
    },
    async *of(name) {
      const found = [...rows.values()].filter(({ platform }) => platform === name);
      // Noted by the sweep of their first day.
      if (found.length > 0) yield found.map((message) => ({ message, notedAt: 0 }));
    },
    ofQuestion: async () => [],
    isLeft: async ({ message }) => rows.has(message.message),
    done: async ({ message }) => void rows.delete(message.message),
  };
  const tried: string[] = [];
  /** What removing a message comes to. */
  const platform: { answers: (message: MessageAddress) => PlatformErrorKind | Promise<never> | undefined } = {
    answers: () => undefined,
  };
  const remove = async (message: MessageAddress) => {
    tried.push(message.message);
    const why = await platform.answers(message);
    if (why) throw new PlatformError(why);
  };
  /** What people see is changed there, but for what somebody closed. */
  const edit = async (message: MessageAddress, _: Message, { leavesClosed = false }: EditOptions = {}) => {
    tried.push(message.message);
    if (leavesClosed) throw new PlatformError('refused');
  };
  const warnings: string[] = [];
  const removals = new Removals({
    ...{ stored, answers: { forget: async () => {} }, clock },
    adapters: () => ({ remove, edit }) as unknown as PlatformAdapter,
    log: { warn: (_, warning) => void warnings.push(warning) },
  });
  /** Of what is on record. */
  const goOn = async (messages: readonly MessageAddress[]) => {
    await stored.add(messages.map((message) => ({ message })));
    removals.goOn();
    await clock.advance(0);
  };
  return { clock, platform, database, rows, removals, tried, warnings, goOn };
}

it.each([
  ['workspace', message(0, { workspace: 'hangs' }), message(1)],
  ['platform', message(0, { platform: 'discord' }), message(1, { platform: 'slack' })],
])('a %s that doesn’t answer holds up no other', async (_, hanging, other) => {
  const { platform, rows, goOn } = begin();
  platform.answers = ({ message }) => (message === hanging.message ? new Promise(() => {}) : undefined);
  await goOn([hanging, other]);
  expect([...rows.keys()]).toEqual([hanging.message]);
});

it('nor does a platform those that come later', async () => {
  const { platform, rows, goOn } = begin();
  platform.answers = (message) => (message.platform === 'discord' ? new Promise(() => {}) : undefined);
  await goOn([message(0, { platform: 'discord' })]);
  await goOn([message(1, { platform: 'slack' })]);
  expect([...rows.keys()]).toEqual(['m0']);
});

it('a question in a thread that somebody closed stays as it is: that isn’t opened again to say that it’s over', async () => {
  const { tried, rows, removals } = begin();
  rows.set('m0', message(0));
  const closing = { message: message(0), shows: { text: 'Expired.' }, job: 'j' };
  expect(await removals.changeQuestion([closing])).toBe('kept');
  expect(tried).toEqual(['m0']);
  expect(rows.size).toBe(0);
});

it('a workspace that can’t be reached is tried three times a round', async () => {
  const { platform, tried, goOn } = begin();
  platform.answers = () => 'unreachable';
  await goOn(Array.from({ length: 5 }, (_, index) => message(index, { workspace: 'w' })));
  expect(tried).toEqual(['m0', 'm1', 'm2']);
});

it('what can never be done stops nothing behind it, and is tried again', async () => {
  const { clock, platform, rows, goOn } = begin();
  let isAway = true;
  platform.answers = ({ message }) => (isAway && message < 'm7' ? 'unreachable' : undefined);
  await goOn(Array.from({ length: 9 }, (_, index) => message(index, { workspace: 'w' })));
  await clock.advance(60_000);
  expect(rows.size).toBe(7);
  isAway = false;
  await clock.advance(180_000);
  expect(rows.size).toBe(0);
});

it('an outage of the database and the platform keeps a thousand in memory, and says that it forgets others', async () => {
  const { clock, platform, database, rows, removals, warnings } = begin();
  database.isAway = true;
  platform.answers = () => 'unreachable';
  const full = () => warnings.filter((warning) => warning.includes('the oldest is ignored'));
  for (let index = 0; index < 1_000; index++) await removals.remove([message(index)]);
  expect(full()).toEqual([]);
  await removals.remove([message(1_000)]);
  expect(full()).toHaveLength(1);
  database.isAway = false;
  await clock.advance(60_000);
  expect(rows.size).toBe(1_000);
  expect(rows.has('m0')).toBe(false);
  platform.answers = () => undefined;
  await clock.advance(60_000);
  expect(rows.size).toBe(0);
});

it('who is to be told that a message stays is remembered for the last thousand', async () => {
  const { clock, platform, removals } = begin();
  platform.answers = () => 'unreachable';
  const told: number[] = [];
  for (let index = 0; index < 1_001; index++)
    await removals.remove([message(index)], async () => void told.push(index));
  platform.answers = () => 'no-permission';
  await clock.advance(60_000);
  expect(told).toHaveLength(1_000);
  expect(told).not.toContain(0);
});

it('where the bot is shut out it’s tried once an hour, for a week, and whoever wants to know is told at once', async () => {
  const { clock, platform, tried, rows, removals } = begin();
  platform.answers = () => 'not-a-member';
  const told: string[] = [];
  await removals.remove([message(0)], async () => void told.push('m0'));
  await removals.remove([message(1)]);
  expect(told).toEqual(['m0']);
  await clock.advance(3_600_000);
  expect(tried).toEqual(['m0', 'm1', 'm0', 'm1']);
  platform.answers = ({ message }) => (message === 'm0' ? 'no-permission' : undefined);
  await clock.advance(3_600_000);
  expect([...rows.keys()]).toEqual(['m0']);
  for (let hour = 2; hour < 7 * 24; hour++) await clock.advance(3_600_000);
  expect(rows.size).toBe(0);
  expect(told).toEqual(['m0']);
});

it('of thousands in a place where the bot is shut out one is tried an hour, and all end after a week', async () => {
  const { clock, platform, tried, rows, goOn } = begin();
  platform.answers = () => 'no-permission';
  await goOn(Array.from({ length: 1_100 }, (_, index) => message(index, { workspace: 'w' })));
  for (let hour = 1; hour < 24; hour++) await clock.advance(3_600_000);
  expect(tried).toHaveLength(24);
  expect(rows.size).toBe(1_100);
  await clock.advance(7 * 24 * 3_600_000);
  expect(rows.size).toBe(0);
});
