import { describe, expect, test } from 'vitest';
import { questionLife } from '../../../../src/engine/index.ts';
import { slackFeatures } from '../../../../src/platforms/slack/api/errors.ts';
import { actionId, type Job } from '../../../../src/port/index.ts';
import { asking } from '../../../fakes/commands.ts';
import type { Ephemeral } from '../../../fakes/slack/index.ts';
import { recover } from '../../recover.ts';
import { says, type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;
const begin = async (options?: StageOptions) => (stage = await startStage(options));

const free = ['help', 'usage', 'voices', 'renders', 'me', 'settings'];
const expensive = asking('This costs 800 credits. Go on?', 'video');
const wordsOf = (whisper: Ephemeral | undefined) => JSON.stringify(whisper?.blocks);

/** The one thing that ada is shown, alone. */
async function whispered(): Promise<Ephemeral> {
  await stage.until(() => stage.ada.whispers.length > 0, 10_000);
  await stage.pass(3_000);
  const [whisper, ...more] = stage.ada.whispers;
  expect(more).toEqual([]);
  return whisper as Ephemeral;
}

describe('a mention in a channel, to which nobody has replied yet: what its author alone is told is seen', () => {
  test.each([
    ['', 'did help'],
    ['help', 'did help'],
    ['what can you do?', 'did help'],
    ['usage', 'did usage'],
    ['voices', 'did voices'],
    ['renders', 'did renders'],
    ['me', 'did me'],
    ['settings', 'did settings'],
    ['imagine', 'did help'],
    ['video a cat --duration 100', 'duration'],
  ])('“@troupe %s”', async (text, told) => {
    const { chief, ada, general } = await begin({
      scripts: Object.fromEntries(free.map((name) => [name, says(`did ${name}`)])),
    });
    const person = text === 'settings' ? chief : ada;
    person.says(`${ada.bot} ${text}`, general);
    await stage.until(() => person.whispers.length > 0, 10_000);
    expect(person.whispers.map(wordsOf)).toEqual([expect.stringContaining(told)]);
    expect(person.whispers[0]?.threadTs).toBeUndefined();
    expect(stage.posts(general)).toEqual([]);
    expect(stage.posts(person.directMessages)).toEqual([]);
  });

  test('a refusal by the rules', async () => {
    const { ada, general } = await begin({
      rules: async () => ({ kind: 'refused', text: 'The budget is used up.' }),
    });
    ada.says(`${ada.bot} hello`, general);
    expect(wordsOf(await whispered())).toContain('The budget is used up.');
  });

  test('a question, and the answer is in the mention’s thread', async () => {
    const { ada, general } = await begin({ rules: expensive, scripts: { video: says('filming') } });
    const { message } = ada.says(`${ada.bot} video: a cat`, general);
    const question = await whispered();
    expect(wordsOf(question)).toContain('800 credits');
    await ada.presses(question, 'Yes, go ahead');
    await stage.until(() => stage.posts(general).length > 0);
    expect(stage.posts(general).map(({ threadTs }) => threadTs)).toEqual([message.ts]);
    expect(question.blocks.some(({ type }) => type === 'actions')).toBe(false);
  });

  test.each(['channel', 'thread'])('a question, which plain words answer, in the %s', async (where) => {
    const { ada, general } = await begin({ rules: expensive, scripts: { video: says('filming') } });
    const { message } = ada.says(`${ada.bot} video: a cat`, general);
    await whispered();
    ada.says(`${ada.bot} yes!`, general, where === 'thread' ? { thread: message.ts } : {});
    await stage.until(() => stage.posts(general).length > 0);
    expect(
      stage
        .posts(general)
        .map(({ text }) => text)
        .join(),
    ).toContain('filming');
  });

  test('a question about something private, which plain words answer, and its author alone sees that', async () => {
    const { ada, general } = await begin({ rules: expensive, scripts: { video: says('filming') } });
    await ada.types('/video my secret boat --private', general);
    await stage.until(() => JSON.stringify(ada.whispers).includes('800 credits'), 10_000);
    ada.says(`${ada.bot} yes!`, general);
    await stage.until(() => stage.posts(ada.directMessages).some(({ text }) => text === 'filming'), 10_000);
    expect(stage.posts(general)).toEqual([]);
  });

  test.each([
    ['without a mention, to somebody else', 'OK'],
    ['with one, where the question isn’t', '@bot OK'],
  ])('a question in the channel, which an “OK” in a thread doesn’t answer %s', async (_, said) => {
    const { ada, ben, general } = await begin({ rules: expensive, scripts: { video: says('filming') } });
    await ben.types('/ask hello', general);
    await stage.until(() => stage.posts(general).length === 1);
    const root = stage.posts(general)[0]!;
    ben.says('Shall we have lunch at twelve?', general, { thread: root.ts });
    await stage.until(() => stage.posts(general).length === 2);
    await ada.types('/video a lighthouse', general);
    await whispered();
    ada.says(said.replace('@bot', ada.bot), general, { thread: root.ts });
    await stage.until(() => stage.posts(general).length === 3);
    expect(stage.posts(general)[2]?.text).not.toContain('filming');
    ada.says(`${ada.bot} OK`, general);
    await stage.until(() => stage.posts(general).length === 4);
    expect(stage.posts(general)[3]?.text).toContain('filming');
  });

  test('a question that has expired loses its buttons once one of them is pressed: Slack edits it no sooner', async () => {
    const { ada, general } = await begin({ rules: expensive, scripts: { video: says('filming') } });
    ada.says(`${ada.bot} video: a cat`, general);
    const question = await whispered();
    await stage.pass(questionLife + 1_000);
    await ada.presses(question, 'Yes, go ahead');
    await stage.until(() => wordsOf(question)?.includes('This question has expired') === true);
    expect(question.blocks.some(({ type }) => type === 'actions')).toBe(false);
    expect(ada.whispers).toEqual([question]);
  });

  test('a question that isn’t on record as asked when the process dies is asked again, alone again', async () => {
    const { ada, general, database } = await begin({
      rules: expensive,
      scripts: { video: says('filming') },
    });
    ada.says(`${ada.bot} video: a cat`, general);
    await whispered();
    await stage.kill();
    await database.updateTable('jobs').set({ state: 'asking' }).execute();
    await database.deleteFrom('answer_messages').execute();
    await stage.startBot();
    const question = (job: Job) => stage.dispatcher.questionOf(job);
    const { adapter } = stage.platform;
    await stage.done(recover(database, adapter, [], stage.clock, async () => {}, question));
    expect(stage.posts(general)).toEqual([]);
    expect(ada.whispers.map(wordsOf)).toEqual([
      expect.stringContaining('800 credits'),
      expect.stringContaining('800 credits'),
    ]);
    await ada.presses(ada.whispers[1]!, 'Yes, go ahead');
    await stage.until(() => stage.posts(general).length > 0);
  });

  test('what is told while a private answer is made, and the answer', async () => {
    const { ada, general } = await begin();
    ada.says(`${ada.bot} /ask hello --private`, general);
    await stage.until(() => ada.whispers.length === 2, 10_000);
    expect(wordsOf(ada.whispers[1])).toContain('You asked: hello');
    expect(stage.posts(general)).toEqual([]);
  });
});

describe('a mention in a thread', () => {
  test('is told there what its author alone is told', async () => {
    const { ada, ben, general } = await begin({ scripts: { usage: says('did usage') } });
    const { message: root } = ben.says('Breakfast?', general);
    ada.says(`${ada.bot} usage`, general, { thread: root.ts });
    expect(await whispered()).toMatchObject({ threadTs: root.ts });
  });

  test.each([
    ['in the channel where nobody lets the bot see whether that’s seen there', ['channels:history'], false],
    ['there where the bot may read little, and has heard of a reply', [], true],
  ])('is told %s', async (_, withoutScopes, inThread) => {
    const { ada, ben, general, workspace } = await begin({
      withoutScopes,
      scripts: { usage: says('did usage') },
    });
    if (inThread) await stage.capabilities.note(workspace.id, slackFeatures.quickHistory, 'refused');
    const { message: root } = ben.says('Breakfast?', general);
    ada.says(`${ada.bot} usage`, general, { thread: root.ts });
    expect((await whispered()).threadTs).toBe(inThread ? root.ts : undefined);
    expect(stage.slack.api.of('conversations.replies')).toHaveLength(inThread ? 0 : 1);
  });

  test('that the bot has answered in is a thread like any other', async () => {
    const { ada, general } = await begin({ scripts: { usage: says('did usage') } });
    const { message } = ada.says(`${ada.bot} hello`, general);
    await stage.until(() => stage.posts(general).length === 1);
    ada.says('/troupe usage', general, { thread: message.ts });
    expect(await whispered()).toMatchObject({ threadTs: message.ts });
  });
});

test('what comes of a button that only its presser sees comes in the thread that the button was about', async () => {
  const { ada, general } = await begin({
    scripts: {
      imagine: async ({ job, reply }) => {
        const button = (action: string) => ({ id: actionId('imagine', action, job.id, 1), label: action });
        await reply.say({ text: 'drawn', buttons: [button('use'), button('again')] });
      },
    },
    presses: {
      'imagine.use': async ({ job, reply }) => {
        const button = { id: actionId('imagine', 'again', job.id, 1), label: 'Again' };
        await reply.say({ text: 'Chosen.', buttons: [button] });
      },
    },
  });
  const { message } = ada.says(`${ada.bot} imagine a cat`, general);
  await stage.until(() => stage.posts(general).length === 1);
  await ada.presses(stage.posts(general)[0] as never, 'use');
  const chosen = await whispered();
  expect(chosen.threadTs).toBe(message.ts);
  await ada.presses(chosen, 'Again');
  await stage.until(() => stage.posts(general).length === 2);
  expect(stage.posts(general).map(({ threadTs }) => threadTs)).toEqual([message.ts, message.ts]);
});

test('a private answer has no button to stop it, as nothing could take that away', async () => {
  const { ada, general } = await begin();
  await ada.types('/ask hello --private', general);
  await stage.until(() => ada.whispers.length === 2);
  expect(ada.whispers.map(wordsOf).join()).not.toContain('Stop');
  expect(wordsOf(ada.whispers[1])).toContain('Regenerate');
});
