import { beforeEach, expect, test } from 'vitest';
import type { SlackApi } from '../../../../src/platforms/slack/api/slack-api.ts';
import { messageAt, slackAddress } from '../../../../src/platforms/slack/post/address.ts';
import { AgentSessions } from '../../../../src/platforms/slack/reply/stream/agent-sessions.ts';
import { shown } from '../../../fakes/slack/index.ts';
import { type Stage, startStage } from '../support/stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await startStage({
    twice: true,
    writtenAsk: 'ended',
    presses: {
      'ask.stop': async () => void stage.answers.at(-1)?.finish({ kind: 'stopped', note: '*Stopped.*' }),
    },
  });
});

const statuses = () => [...stage.slack.world.sessions.values()].map(({ status }) => status);

/** An answer in direct messages that this process writes; in a new thread, or in one that there is. */
function asked(to: 0 | 1, more: { readonly thread?: string } = {}) {
  stage.to = to;
  return stage.answerTo(stage.ada.says('hello', stage.ada.directMessages, more));
}

test('of two answers in one thread by two processes the last one ends the work', async () => {
  const first = await asked(0);
  const second = await asked(1, first);
  first.live.append('One.');
  second.live.append('Two.');
  await stage.pass(3_000);
  await stage.finish(second.live);
  expect(statuses()).toEqual(['processing']);
  await stage.finish(first.live);
  expect(statuses()).toEqual(['active']);
});

/** What a process tells Slack of threads’ sessions, noted, with what processes have on record of questions. */
function agentSessions({
  statuses,
  delay,
  open = new Map(),
  isAtWorkElsewhere = async () => false,
}: {
  readonly statuses: unknown[];
  readonly delay?: Promise<void> | undefined;
  readonly open?: Map<string, unknown>;
  readonly isAtWorkElsewhere?: () => Promise<boolean>;
}) {
  return new AgentSessions({
    api: {
      call: async (_: string, __: string, args: { readonly status?: string }) => {
        await delay;
        statuses.push(args.status);
        return {};
      },
    } as unknown as SlackApi,
    capabilities: { find: async () => undefined, note: async () => {} },
    records: {
      set: async (key: string, value: unknown) => void open.set(key, value),
      delete: async (key: string) => open.delete(key),
      startingWith: async <T>() => [...open.values()] as T[],
    },
    isAtWorkElsewhere,
    clock: stage.clock,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
}

test('two answers that end at the same moment leave no session at work', async () => {
  const statuses: unknown[] = [];
  const writing = new Set(['one', 'other']);
  const bothHaveEnded = Promise.withResolvers<void>();
  let ended = 0;
  const processes = [...writing].map((name) => {
    const isAtWorkElsewhere = async () => [...writing].some((one) => one !== name);
    return { name, sessions: agentSessions({ statuses, isAtWorkElsewhere }) };
  });
  const address = slackAddress('T1', 'D1', '1.000001');
  for (const { name, sessions } of processes) {
    const session = sessions.begin(address, { initiator: 'U1' });
    sessions.whenEnded(address, session.end(false), async () => {
      if (++ended === 2) bothHaveEnded.resolve();
      await bothHaveEnded.promise;
      writing.delete(name);
    });
  }
  await Promise.all(processes.map(({ sessions }) => sessions.settled()));
  expect(statuses.filter((status) => status === 'processing')).toHaveLength(2);
  expect(statuses.at(-1)).toBe('active');
});

test('a question that another process ends while Slack says nothing leaves no thread waiting', async () => {
  const statuses: unknown[] = [];
  const open = new Map<string, unknown>();
  const slackSays = Promise.withResolvers<void>();
  const [one, other] = [slackSays.promise, undefined].map((delay) =>
    agentSessions({ statuses, delay, open }),
  ) as [AgentSessions, AgentSessions];
  const address = slackAddress('T1', 'D1', '1.000001');
  const questions = ['2.000001', '3.000001'].map((ts) => messageAt(address, ts));
  for (const question of questions) await one.questionAsked(question, 'U1');
  for (const question of questions) await other.questionEnded(question);
  slackSays.resolve();
  await stage.quiet();
  expect(open.size).toBe(0);
  expect(statuses.at(-1)).toBe('active');
});

test('Slack’s own Stop button, told to another process: what was written stays, and the rest comes below', async () => {
  const { live, thread } = await asked(0);
  live.append('The first words of');
  await stage.pass(3_000);
  stage.to = 1;
  await stage.ada.stops(stage.ada.directMessages, thread).done;
  await stage.pass(10_000);
  expect(stage.posts(stage.ada.directMessages, thread).map(shown)).toEqual([
    'The first words ',
    'of\n\n*Stopped.*\nRegenerate',
  ]);
  expect(statuses()).toEqual(['active']);
});

/** Answers in direct messages of so many people, begun by both processes in turn; `apart` in milliseconds. */
async function begunForMany(count: number, apart = 0) {
  const people = Array.from({ length: count }, (_, index) =>
    stage.slack.person(stage.workspace, { name: `person${index}` }),
  );
  for (const [index, person] of people.entries()) {
    stage.to = index % 2 === 0 ? 0 : 1;
    const { live } = await stage.answerTo(person.says('hello', person.directMessages));
    live.append('The first words of it');
    await stage.pass(apart);
  }
  await stage.pass(5_000);
  return people.map(({ directMessages }) => stage.posts(directMessages));
}

test('where all processes together have no capacity for a stream, the first words don’t wait for one', async () => {
  const posts = await begunForMany(30);
  expect(posts.filter(({ length }) => length === 0)).toEqual([]);
  expect(stage.refusals).toBe(0);
});

test('all processes together have no more streams open than can be ended soon', async () => {
  const posts = await begunForMany(30, 4_000);
  const streams = posts.flat().filter(({ stream }) => stream?.state === 'streaming');
  expect(streams.length).toBe(12);
  const done = Promise.all(stage.answers.map((live) => live.finish({ kind: 'done' })));
  await stage.pass(20_000);
  expect(streams.filter(({ stream }) => stream?.state === 'streaming')).toEqual([]);
  await stage.done(done);
});
