import { afterEach, describe, expect, test } from 'vitest';
import type { LiveAnswer } from '../../../../src/port/index.ts';
import { asking, type CommandRules } from '../../../fakes/commands.ts';
import {
  type Channel,
  type Ephemeral,
  type FakePerson,
  type Message,
  shown,
} from '../../../fakes/slack/index.ts';
import { says, type Script, type Stage, type StageOptions, startStage } from '../support/stage.ts';

/** The most that people wait until they see something, in milliseconds. */
const patience = 3_000;

let stage: Stage;
let ends: (() => void)[];
afterEach(() => {
  for (const end of ends) end();
});

/** A stage whose `/ask` is answered by the test, and whose other commands take until the test ends them. */
async function begin(options: StageOptions = {}): Promise<Stage> {
  ends = [];
  const slow: Script = async ({ reply }) => {
    await new Promise<void>((resolve) => ends.push(resolve));
    await reply.say({ text: 'made' });
  };
  stage = await startStage({
    writtenAsk: 'running',
    ...options,
    scripts: { speak: slow, usage: slow, ...options.scripts },
  });
  return stage;
}

const wordsOf = ({ blocks, text }: Ephemeral | Message) => JSON.stringify([text, blocks]);
const statusCalls = () => stage.slack.api.of('assistant.threads.setStatus').map(({ args }) => args.status);
const live = () => stage.answers[0] as LiveAnswer;

async function made(): Promise<void> {
  for (const end of ends.splice(0)) end();
  await stage.pass(3_000);
}

describe('within three seconds of asking there is something to see:', () => {
  const thinking = async (channel: Channel, thread?: string) => {
    await stage.until(() => stage.answers.length === 1);
    await stage.pass(patience);
    const [only, ...more] = stage.posts(channel, thread);
    expect(more).toEqual([]);
    return only as Message;
  };

  test('/ask in a channel', async () => {
    const { ada, general } = await begin();
    await ada.types('/ask tides', general);
    const message = await thinking(general);
    expect(wordsOf(message)).toContain('Thinking…');
    expect(wordsOf(message)).toContain('`/ask` tides');
    // One can stop it already; and the answer takes its place.
    expect(shown(message)).toContain('Stop');
    live().append('The moon.');
    const done = live().finish({ kind: 'done' });
    await stage.done(done);
    expect(stage.posts(general)).toEqual([message]);
    expect(shown(message)).toContain('The moon.');
    expect(shown(message)).not.toContain('Thinking');
    expect(ada.whispers).toEqual([]);
  });

  test('a mention to which nobody has replied, in its person’s language', async () => {
    const { ben, general } = await begin();
    const { message: asked } = ben.says(`${ben.bot} 潮汐`, general);
    const message = await thinking(general, asked.ts);
    expect(wordsOf(message)).toContain('正在思考');
    await stage.done(live().finish({ kind: 'failed', note: 'No.' }));
    expect(stage.posts(general)).toEqual([message]);
    expect(shown(message)).not.toContain('正在思考');
  });

  test('/ask in direct messages', async () => {
    const { ada } = await begin();
    await ada.types('/ask tides', ada.directMessages);
    expect(wordsOf(await thinking(ada.directMessages))).toContain('Thinking…');
  });

  test('a mention in a thread, and a direct message: Slack’s status', async () => {
    const { ada, ben, general } = await begin();
    const { message: root } = ben.says('Tides?', general);
    ada.says(`${ada.bot} explain`, general, { thread: root.ts });
    ada.says('tides', ada.directMessages);
    await stage.until(() => stage.answers.length === 2);
    await stage.pass(patience);
    const sessions = [...stage.slack.world.sessions.values()].map(({ status }) => status);
    expect(sessions).toEqual(['processing', 'processing']);
    expect(stage.posts(general)).toEqual([]);
    expect(stage.posts(ada.directMessages)).toEqual([]);
  });

  test('/ask where the bot is no member: a line for its person alone', async () => {
    const { ada, outside } = await begin();
    await ada.types('/ask tides', outside);
    await stage.until(() => stage.answers.length === 1);
    await stage.pass(patience);
    expect(ada.whispers.map(wordsOf)).toEqual([expect.stringContaining('On it. I’m not in this channel')]);
    live().append('The moon.');
    await stage.done(live().finish({ kind: 'done' }));
    expect(ada.whispers).toHaveLength(1);
    expect(stage.posts(outside).map(wordsOf)).toEqual([expect.stringContaining('The moon.')]);
  });

  test.each([
    ['/speak', (s: Stage) => s.ada.types('/speak hello', s.general)],
    ['/troupe usage', (s: Stage) => s.ada.types('/troupe usage', s.general)],
    ['/speak in direct messages', (s: Stage) => s.ada.types('/speak hello', s.ada.directMessages)],
    ['a mention', async (s: Stage) => void s.ada.says(`${s.ada.bot} speak hello`, s.general)],
  ])('%s: a line for its person alone', async (_, ask) => {
    await begin();
    const { ada, general } = stage;
    await ask(stage);
    await stage.until(() => ends.length === 1);
    await stage.pass(patience);
    expect(ada.whispers.map(wordsOf)).toEqual([expect.stringContaining('On it.')]);
    expect([...stage.posts(general), ...stage.posts(ada.directMessages)]).toEqual([]);
    await made();
    expect(statusCalls()).toEqual([]);
  });

  test.each([
    ['a command in a thread', (s: Stage, thread: string) => ({ channel: s.general, thread })],
    ['one in direct messages', (s: Stage) => ({ channel: s.ada.directMessages, thread: undefined })],
  ])('%s: Slack’s status, until it’s done', async (_, place) => {
    const { ada, ben, general } = await begin();
    const { message: root } = ben.says('Tides?', general);
    const { channel, thread } = place(stage, root.ts);
    ada.says(`${ada.bot} speak hello`, channel, thread === undefined ? {} : { thread });
    await stage.until(() => ends.length === 1);
    await stage.pass(patience);
    expect(statusCalls()).toEqual(['is working on it…']);
    expect(ada.whispers).toEqual([]);
    await made();
    expect(stage.texts(channel)).toEqual([expect.stringContaining('made')]);
    expect(stage.slack.world.statuses.filter(({ until }) => until === undefined)).toEqual([]);
  });

  test.each([
    ['refuses sessions and statuses', { kind: 'error', code: 'access_denied' }],
    ['is slow to take them', { kind: 'delay', ms: 10_000 }],
  ] as const)('where Slack %s: a message, in threads and direct messages', async (_, fault) => {
    const { ada, ben, general, slack } = await begin();
    for (const method of ['agents.sessions.setStatus', 'assistant.threads.setStatus'])
      slack.api.faults.plan(method, fault, 50);
    const { message: root } = ben.says('Tides?', general);
    ada.says(`${ada.bot} explain`, general, { thread: root.ts });
    expect(wordsOf(await thinking(general, root.ts))).toContain('Thinking…');
    const { message: asked } = ada.says('tides', ada.directMessages);
    await stage.until(() => stage.answers.length === 2);
    // A slot of the channel's that was held for a stream is too old.
    await stage.pass(patience + 1_000);
    expect(stage.posts(ada.directMessages, asked.ts).map(wordsOf)).toEqual([
      expect.stringContaining('Thinking…'),
    ]);
  });

  test('a command in a thread where Slack refuses statuses: a line for its person alone', async () => {
    const { ada, ben, general, slack } = await begin();
    slack.api.faults.plan('assistant.threads.setStatus', { kind: 'error', code: 'access_denied' }, 50);
    const { message: root } = ben.says('Tides?', general);
    ada.says(`${ada.bot} speak hello`, general, { thread: root.ts });
    await stage.until(() => ends.length === 1);
    await stage.pass(patience);
    expect(ada.whispers.map(wordsOf)).toEqual([expect.stringContaining('On it.')]);
  });

  const lookUps = ['users.info', 'conversations.replies', 'conversations.info', 'usergroups.list'];
  /** A mention in a thread, while Slack takes so long for each look-up; how long until something of it is seen. */
  async function slowly(ms: number, options: StageOptions): Promise<number> {
    const { ada, ben, general, slack, clock } = await begin(options);
    for (const method of [...lookUps, 'files.getUploadURLExternal'])
      slack.api.faults.plan(method, { kind: 'delay', ms }, 500);
    const { message: root } = ben.says('Tides?', general);
    ben.says('Anybody?', general, { thread: root.ts });
    await stage.pass(2_000);
    const asked = clock.now();
    ada.says(`${ada.bot} explain`, general, { thread: root.ts });
    const isSeen = () =>
      slack.world.statuses.length > 0 ||
      [...slack.world.sessions.values()].some(({ status }) => status === 'processing') ||
      stage.posts(general, root.ts).length > 0 ||
      ada.whispers.length > 0;
    while (!isSeen() && clock.now() < asked + 10_000) await stage.pass(50);
    return clock.now() - asked;
  }

  test.each([700, 900, 1_400])('a mention in a thread, with look-ups of %i ms', async (ms) => {
    expect(await slowly(ms, {})).toBeLessThanOrEqual(patience);
    await stage.until(() => stage.answers.length === 1);
    await stage.pass(patience);
    expect(stage.slack.world.statuses.filter(({ until }) => until === undefined)).toEqual([]);
    expect([...stage.slack.world.sessions.values()]).toMatchObject([{ status: 'processing' }]);
  });

  const refused = { kind: 'refused', text: 'The budget is used up.' } as const;
  const question = 'This costs 800 credits. Go on?';
  const verdicts: Readonly<Record<string, CommandRules>> = {
    refused: async () => refused,
    'asked about': asking(question),
  };
  const verdictOf = (how: string) => verdicts[how] as CommandRules;
  test.each([700, 900, 1_200].flatMap((ms) => Object.keys(verdicts).map((how) => [ms, how] as const)))(
    'one in a thread, with look-ups of %i ms, that is %s',
    async (ms, how) => {
      expect(await slowly(ms, { rules: verdictOf(how) })).toBeLessThanOrEqual(patience);
      await stage.pass(10_000);
      expect(stage.ada.whispers.map(wordsOf)).toEqual([
        expect.stringContaining(how === 'refused' ? refused.text : question),
      ]);
      expect(stage.slack.world.statuses.filter(({ until }) => until === undefined)).toEqual([]);
    },
  );

  test('one where Slack has no sessions: that it’s thinking isn’t taken away with the sign before it', async () => {
    const { ada, ben, general, slack } = await begin();
    slack.world.readings.agentSessionsInChannel = 'refused';
    const { message: root } = ben.says('Tides?', general);
    ada.says(`${ada.bot} explain`, general, { thread: root.ts });
    await stage.until(() => stage.answers.length === 1);
    await stage.done(live().finish({ kind: 'done', note: 'Done.' }));
    await stage.pass(10 * 60_000);
    for (const method of ['users.info', 'conversations.replies'])
      slack.api.faults.plan(method, { kind: 'delay', ms: 400 }, 500);
    slack.api.faults.plan('assistant.threads.setStatus', { kind: 'delay', ms: 250 }, 3);
    ada.says(`${ada.bot} explain`, general, { thread: root.ts });
    await stage.until(() => stage.answers.length === 2);
    await stage.pass(10_000);
    const shownNow = slack.world.statuses.filter(({ until }) => until === undefined);
    expect(shownNow).toMatchObject([{ text: 'is thinking…' }]);
    await stage.done((stage.answers[1] as LiveAnswer).finish({ kind: 'done', note: 'Done.' }));
  });

  test('a button’s command', async () => {
    const { ada, general } = await begin();
    await ada.types('/ask tides', general);
    const first = await thinking(general);
    live().append('The moon.');
    await stage.done(live().finish({ kind: 'done' }));
    await ada.presses(first, 'Regenerate');
    await stage.until(() => stage.answers.length === 2);
    await stage.pass(patience);
    expect(stage.posts(general).map(wordsOf)).toEqual([
      expect.stringContaining('The moon.'),
      expect.stringContaining('Thinking…'),
    ]);
  });
});

describe('a question, however long Slack takes for each call, is no longer followed by a sign:', () => {
  const question = 'This costs 800 credits. Go on?';
  const waits = [200, 300, 400, 500, 600, 800, 1_000];
  const places = ['a thread', 'a channel', 'a slash command'] as const;
  test.each(waits.flatMap((ms) => places.map((place) => [ms, place] as const)))(
    '%i ms, in %s',
    async (ms, place) => {
      const { ada, ben, general, slack } = await begin({ rules: asking(question) });
      slack.api.faults.plan('*', { kind: 'delay', ms }, 5_000);
      const { message: root } = ben.says('Tides?', general);
      ben.says('Anybody?', general, { thread: root.ts });
      await stage.pass(5_000);
      const thread = place === 'a thread' ? { thread: root.ts } : {};
      if (place === 'a slash command') void ada.types('/video a cat', general);
      else ada.says(`${ada.bot} video: a cat`, general, thread);
      await stage.pass(10_000);
      expect(wordsOf(ada.whispers.at(-1) as Ephemeral)).toContain('800 credits');
    },
  );
});

test('of a crowd that asks at once in a channel, everybody sees something, though posts there wait for one another', async () => {
  const { slack, workspace, general, clock } = await begin({
    scripts: {
      imagine: async ({ reply, job }) => void (await reply.say({ text: `for ${job.requester.id}` })),
    },
  });
  const crowd = Array.from({ length: 10 }, (_, index) => slack.person(workspace, { name: `p${index}` }));
  for (const { user } of crowd) general.members.add(user.id);
  // The budgets of what was posted before are over.
  await stage.pass(5_000);
  const asked = clock.now();
  for (const person of crowd) void person.types('/imagine a cat', general);
  await stage.pass(patience - (clock.now() - asked));
  const posts = stage.posts(general).map(wordsOf);
  const unseen = crowd.filter(
    ({ user }) =>
      !workspace.ephemerals.some((one) => one.user === user.id) &&
      !posts.some((words) => words.includes(`for ${user.id}`)),
  );
  expect(unseen).toEqual([]);
});

test.each(['/ask', 'a mention'])(
  'of a crowd that asks at once in a channel (%s), everybody sees something, though one answer a second can begin',
  async (how) => {
    const { slack, workspace, general, clock } = await begin();
    const crowd = Array.from({ length: 10 }, (_, index) => slack.person(workspace, { name: `p${index}` }));
    for (const { user } of crowd) general.members.add(user.id);
    await stage.pass(5_000);
    const asked = clock.now();
    const mentions = new Map<string, string>();
    for (const person of crowd) {
      if (how === '/ask') void person.types('/ask tides', general);
      else mentions.set(person.user.id, person.says(`${person.bot} tides`, general).message.ts);
    }
    await stage.pass(patience - (clock.now() - asked));
    const isFor = (user: FakePerson['user'], post: Message) =>
      how === '/ask' ? wordsOf(post).includes(user.name) : post.threadTs === mentions.get(user.id);
    const unseen = crowd.filter(
      ({ user }) =>
        !workspace.ephemerals.some((one) => one.user === user.id) &&
        !stage.posts(general).some((post) => isFor(user, post)),
    );
    expect(unseen.map(({ user }) => user.name)).toEqual([]);
  },
);

const asked: Readonly<Record<string, (s: Stage) => unknown>> = {
  '/ask': ({ ada, general }) => ada.types('/ask tides', general),
  '/speak': ({ ada, general }) => ada.types('/speak tides', general),
  'a mention': ({ ada, general }) => ada.says(`${ada.bot} tides`, general),
};
test.each(Object.keys(asked))(
  '%s, while Slack takes no post for half a minute: a line, then the words',
  async (how) => {
    const { ada, general, slack, clock } = await begin({ scripts: { speak: says('The moon.') } });
    await stage.pass(5_000);
    slack.api.faults.plan('chat.postMessage', { kind: 'too-many', seconds: 30 }, 1);
    const since = clock.now();
    asked[how]?.(stage);
    await stage.pass(1_000);
    stage.answers[0]?.append('The moon.');
    await stage.pass(patience - (clock.now() - since));
    expect(ada.whispers.map(wordsOf)).toEqual([expect.stringContaining('On it.')]);
    expect(stage.texts(general)).toEqual([]);
    await stage.pass(60_000);
    expect(stage.texts(general)).toEqual([expect.stringContaining('The moon.')]);
    expect(ada.whispers).toHaveLength(1);
  },
);

test.each(
  ['service_unavailable', 'internal_error'].flatMap((code) =>
    ['/ask', 'a mention'].map((how) => [how, code]),
  ),
)(
  '%s, while each post meets Slack’s %s for half a minute: a line, then the words',
  async (how, code = '') => {
    const { ada, general, slack, clock } = await begin();
    await stage.pass(5_000);
    const since = clock.now();
    const fault = { kind: 'error', code } as const;
    slack.api.faults.plan('chat.postMessage', fault, 1_000, () => clock.now() < since + 30_000);
    asked[how ?? '']?.(stage);
    await stage.pass(1_000);
    stage.answers[0]?.append('The moon.');
    await stage.pass(patience + 3_000);
    expect(ada.whispers.map(wordsOf)).toEqual([expect.stringContaining('On it.')]);
    await stage.pass(120_000);
    expect(stage.texts(general)).toEqual([expect.stringContaining('The moon.')]);
    expect(ada.whispers).toHaveLength(1);
  },
);

test.each([
  ['is slow', { kind: 'too-many', seconds: 30 }, 'On it.'],
  ['fails', { kind: 'error', code: 'internal_error' }, 'On it.'],
  ['knows no such file', { kind: 'error', code: 'file_not_found' }, 'I can’t open a file of your message.'],
] as const)(
  'a picture in Slack Connect, where Slack’s description of it %s: a line',
  async (_, fault, line) => {
    const { ada, general, slack } = await begin();
    slack.world.readings.filesInMessages = 'refused';
    slack.api.faults.plan('files.info', fault, fault.kind === 'error' ? 100 : 1);
    ada.says(`${ada.bot} imagine: make it blue`, general, {
      files: [ada.file('cat.png', Buffer.from('png'))],
    });
    await stage.pass(patience);
    expect(ada.whispers.map(wordsOf)).toEqual([expect.stringContaining(line)]);
  },
);

test('a sign comes after all where what it was held for can’t be sent', async () => {
  const { ada, general } = await begin({
    scripts: {
      speak: async ({ reply }) => {
        await expect(reply.say({ text: 'made' })).rejects.toThrow();
        await new Promise<void>((resolve) => ends.push(resolve));
      },
    },
  });
  stage.slack.api.faults.plan('chat.postMessage', { kind: 'error', code: 'msg_too_long' }, 50);
  ada.says(`${ada.bot} speak hello`, general);
  await stage.until(() => ends.length === 1);
  await stage.pass(patience);
  expect(ada.whispers.map(wordsOf)).toEqual([expect.stringContaining('On it.')]);
});

test('what is quick, or comes to nothing, needs no sign', async () => {
  const { ada, ben, general } = await begin({
    scripts: { speak: says('made'), usage: async () => {} },
  });
  const { message: root } = ben.says('Tides?', general);
  await ada.types('/speak hello', general);
  await ada.types('/troupe usage', general);
  await stage.pass(3_000);
  ada.says(`${ada.bot} speak hello`, general, { thread: root.ts });
  await stage.pass(3_000);
  await ada.types('/ask tides', general);
  await stage.until(() => stage.answers.length === 1);
  live().append('The moon.');
  await stage.pass(10_000);
  await stage.done(live().finish({ kind: 'done' }));
  expect(ada.whispers).toEqual([]);
  expect(statusCalls()).toEqual([]);
  expect(stage.texts(general).join()).not.toContain('Thinking');
  expect(stage.posts(general)).toHaveLength(3);
});
