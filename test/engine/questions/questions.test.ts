import { expect, it } from 'vitest';
import { Backlog } from '../../../src/engine/admission.ts';
import type { DispatcherDependencies } from '../../../src/engine/command.ts';
import { Questions } from '../../../src/engine/questions.ts';
import { heldToLimit, Waiting } from '../../../src/engine/response-limit.ts';
import { Runner } from '../../../src/engine/runner.ts';
import { actionId, type Reply } from '../../../src/port/index.ts';
import { createJobs, type Database } from '../../../src/store/index.ts';
import { words } from '../../../src/words/index.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { type AnyCommand, defineCommand } from '../../fakes/commands.ts';
import { databaseOfTest } from '../../fakes/database.ts';
import { here as address, jobCalled, personCalled } from '../../fakes/records.ts';
import { unwatched } from '../../fakes/unwatched.ts';

const description = { en: 'x', 'zh-CN': 'x' };
const wait = defineCommand<Record<string, never>>({
  name: 'wait',
  description,
  help: description,
  options: {},
  seenBy: 'channel',
  queues: true,
  run: async () => {},
});
const requester = personCalled('ann');

/** A process whose person presses *Yes* about a job that's on record as told. */
function pressing(jobs: Partial<DispatcherDependencies['jobs']>) {
  const clock = new FakeClock();
  const backlog = new Backlog(clock);
  const dependencies = {
    commands: [wait] as readonly AnyCommand[],
    jobs: { awaitsConfirmation: async () => true, ...jobs },
    answers: { messagesOf: async () => [] },
    changeQuestion: async () => {
      throw new Error('no connection');
    },
    rules: async () => ({ kind: 'allowed', values: {}, settings: {} }),
    adapters: () => undefined,
    watch: unwatched(),
    clock,
  } as unknown as DispatcherDependencies;
  const questions = new Questions(dependencies, new Runner(dependencies), backlog);
  const job = jobCalled('j', { command: 'wait', createdAt: clock.now() });
  const request = {
    actionId: actionId('wait', 'yes', 'j'),
    eventId: 'e',
    address,
    requester,
    message: { ...address, message: 'm' },
  };
  const answer = () => questions.answer('yes', job, request, words('en'));
  const yes = async () => {
    const prepared = await answer();
    return prepared.kind === 'accepted' ? prepared.record() : prepared.kind;
  };
  return { answer, yes, backlog, clock };
}

it('an answer that cannot be written down leaves its slot in the backlog at once', async () => {
  let isFull = true;
  const { yes, backlog, clock } = pressing({
    confirm: async () => {
      if (isFull) throw new Error('database or disk is full');
      return true;
    },
  });
  for (let count = 0; count < 10; count++) await expect(yes()).rejects.toThrow('full');
  expect(backlog.size).toBe(0);
  expect(clock.pending).toBe(0);
  isFull = false;
  expect(await yes()).toBe(true);
});

it.each([
  ['has recorded it before', false],
  ['records it at the same moment', true],
])('a press that also came to a process which %s says nothing', async (_, isOpenYet) => {
  const { yes, backlog } = pressing({
    awaitsConfirmation: async () => isOpenYet,
    confirm: async () => false,
    hasAnswered: async (event) => event === 'e',
  });
  expect(await yes()).toBe(false);
  expect(backlog.size).toBe(0);
});

it('a press after another answer is told about', async () => {
  const { yes } = pressing({ awaitsConfirmation: async () => false, hasAnswered: async () => false });
  expect(await yes()).toBe('refused');
});

it('an answer whose question can’t be changed any more leaves its slot, too', async () => {
  const { answer, backlog, clock } = pressing({ confirm: async () => true });
  const prepared = await answer();
  if (prepared.kind !== 'accepted') throw new Error('it was refused');
  await prepared.record();
  expect(backlog.size).toBe(1);
  await expect(prepared.run({} as Reply)).rejects.toThrow('no connection');
  expect(backlog.size).toBe(0);
  expect(clock.pending).toBe(0);
});

/** One of two processes on a database, to which the same press of *Yes* comes. */
function processOn(database: Database, clock: FakeClock) {
  const dependencies = {
    commands: [wait] as readonly AnyCommand[],
    jobs: createJobs(database),
    answers: { messagesOf: async () => [] },
    changeQuestion: async () => 'done',
    rules: async () => ({ kind: 'allowed', values: {}, settings: {} }),
    adapters: () => undefined,
    watch: unwatched(),
    clock,
  } as unknown as DispatcherDependencies;
  return new Questions(dependencies, new Runner(dependencies), new Backlog(clock));
}

it.each([
  'cannot acknowledge it',
  'has told its person that the database is away',
  'gives up while recording',
])(
  'a second process to which a press of Yes comes, and which %s, leaves the first one’s order under way',
  async (trouble) => {
    const clock = new FakeClock();
    const database = await databaseOfTest();
    const jobs = createJobs(database);
    const job = jobCalled('j', { command: 'wait', createdAt: clock.now() });
    await jobs.add(job, 'question', 'asking');
    await jobs.asked('j');
    const request = {
      ...{ actionId: actionId('wait', 'yes', 'j'), eventId: 'press', address, requester },
      message: { ...address, message: 'm' },
    };
    const answer = () => processOn(database, clock).answer('yes', job, request, words('en'));
    const waiting = new Waiting({ clock, tell: async () => {} });
    const held = heldToLimit({ preparePress: answer } as never, waiting);
    const prepared = [await answer(), await held.preparePress(request as never)];
    const [first, second] = prepared;
    if (first?.kind !== 'accepted' || second?.kind !== 'accepted') throw new Error('refused');
    const state = () => database.selectFrom('jobs').select(['state', 'confirmed_in']).executeTakeFirst();
    expect(await first.record()).toBe(true);
    expect(await state()).toEqual({ state: 'running', confirmed_in: 'press' });
    if (trouble === 'cannot acknowledge it') {
      // As in Interactions.#run, where #isLate throws for what an earlier process left.
      expect(await second.record()).toBe(false);
      await second.abandon();
    } else if (trouble === 'gives up while recording') {
      waiting.giveUp();
      await expect(second.record()).rejects.toThrow();
      // The one below: as where Interactions.#run returns before it records.
    } else await second.abandon();
    // Its person presses once more, as they were told to.
    const again = await processOn(database, clock).answer(
      'yes',
      job,
      { ...request, eventId: 'press 2' },
      words('en'),
    );
    const isOrderedTwice = again.kind === 'accepted' && (await again.record());
    expect({ isOrderedTwice }).toEqual({ isOrderedTwice: false });
    expect(await state()).toEqual({ state: 'running', confirmed_in: 'press' });
  },
);
