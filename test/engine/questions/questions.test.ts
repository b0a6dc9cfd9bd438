import { expect, it } from 'vitest';
import type { DispatcherDependencies } from '../../../src/engine/dispatcher-dependencies.ts';
import { Backlog } from '../../../src/engine/order/backlog.ts';
import { Questions } from '../../../src/engine/questions/questions.ts';
import { Runner } from '../../../src/engine/runner.ts';
import { actionId, type Job, type Reply } from '../../../src/port/index.ts';
import { words } from '../../../src/words/index.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { type AnyCommand, defineCommand } from '../../fakes/commands.ts';

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
const address = { platform: 'console', workspace: 'w', channel: 'c' } as const;
const requester = { id: 'ann', name: 'Ann', locale: 'en', administrator: false, moderator: false } as const;

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
    clock,
  } as unknown as DispatcherDependencies;
  const questions = new Questions(dependencies, new Runner(dependencies), backlog);
  const job: Job = { id: 'j', command: 'wait', options: {}, address, requester, createdAt: clock.now() };
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
