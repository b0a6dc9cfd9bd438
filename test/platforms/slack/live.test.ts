import { afterEach, describe, expect, test } from 'vitest';
import type { LiveAnswer } from '../../../src/port/index.ts';
import { type Message, shown } from '../../fakes/slack/index.ts';
import { askButtons, type Stage, type StageOptions, startStage } from './stage.ts';

let stage: Stage;
const begin = async (options?: StageOptions) => {
  stage = await startStage(options);
  return stage;
};
afterEach(() => stage.stop());

/** A stage whose answers the test writes. */
async function beginWriting(): Promise<{ answers: LiveAnswer[] }> {
  const answers: LiveAnswer[] = [];
  await begin({
    scripts: {
      ask: async ({ job, reply }) => {
        answers.push(reply.stream({ buttons: askButtons(job.id) }));
      },
    },
  });
  return { answers };
}

async function asked(answers: LiveAnswer[]): Promise<{ live: LiveAnswer; thread: string }> {
  const { ada, general } = stage;
  const { message } = ada.says(`${ada.bot} hello`, general);
  await stage.until(() => answers.length > 0);
  return { live: answers[0] as LiveAnswer, thread: message.ts };
}

const words = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `word${from + index} `).join('');

/** A message's text less what is not the answer's. */
const answerIn = (message: Message) =>
  shown(message)
    .replace(/\n?(?:Stop|Regenerate)$/, '')
    .replace(/^Stop\n?/, '');

describe('in a thread', () => {
  test('the answer is a native stream for the asker, with a Stop button, and ends as an ordinary message', async () => {
    const { answers } = await beginWriting();
    const { live, thread } = await asked(answers);
    live.append('The first words');
    await stage.until(() => stage.posts(stage.general, thread).length === 1);
    const [message] = stage.posts(stage.general, thread);
    expect(message?.stream).toMatchObject({ recipient: stage.ada.user.id, state: 'streaming' });
    expect(message && shown(message)).toContain('Stop');
    live.append(' and then more, **bold** and `code`');
    await stage.pass(2_000);
    live.append(' until the end.');
    const done = live.finish({ kind: 'done' });
    await stage.until(() => message?.stream?.state === 'stopped');
    await stage.pass(2_000);
    await done;
    expect(message && shown(message)).toBe(
      'The first words and then more, **bold** and `code` until the end.\nRegenerate',
    );
    expect(stage.slack.api.of('chat.startStream').map(({ outcome }) => outcome)).toEqual(['ok']);
  });

  test('a stream is stopped before Slack ends it, and the answer goes on by edits', async () => {
    const { answers } = await beginWriting();
    const { live, thread } = await asked(answers);
    for (let minute = 0; minute < 8; minute++) {
      live.append(words(minute * 10, minute * 10 + 10));
      await stage.pass(60_000);
    }
    const done = live.finish({ kind: 'done' });
    await stage.pass(5_000);
    await done;
    const [message, ...others] = stage.posts(stage.general, thread);
    expect(others).toEqual([]);
    expect(message?.stream?.state).toBe('stopped');
    expect(message && answerIn(message)).toBe(words(0, 80).trim());
    expect(stage.slack.api.calls.map(({ outcome }) => outcome)).not.toContain(
      'message_not_in_streaming_state',
    );
  });

  test.each([
    ['startStream', 'channel_type_not_supported'],
    ['startStream', 'invalid_blocks'],
    ['appendStream', 'message_not_in_streaming_state'],
    ['stopStream', 'message_not_in_streaming_state'],
  ])('where Slack refuses %s with %s the text arrives all the same', async (method, code) => {
    const { answers } = await beginWriting();
    stage.slack.api.faults.plan(`chat.${method}`, { kind: 'error', code });
    const { live, thread } = await asked(answers);
    live.append(words(0, 20));
    await stage.pass(3_000);
    live.append(words(20, 40));
    await stage.pass(3_000);
    const done = live.finish({ kind: 'done' });
    if (method === 'stopStream') {
      for (const message of stage.posts(stage.general, thread)) {
        if (message.stream) message.stream.state = 'dead';
      }
    }
    await stage.pass(10_000);
    await done;
    const [message, ...others] = stage.posts(stage.general, thread);
    expect(others).toEqual([]);
    expect(message && answerIn(message)).toBe(words(0, 40).trim());
  });

  test('an address in the answer is never in a stream, so Slack fetches nothing', async () => {
    const { answers } = await beginWriting();
    const { live, thread } = await asked(answers);
    live.append('Look at');
    await stage.pass(2_000);
    live.append(' https://leak.example/?secret=1 and [this](https://leak.example/2).');
    await stage.pass(3_000);
    const done = live.finish({ kind: 'done' });
    await stage.pass(5_000);
    await done;
    const [message] = stage.posts(stage.general, thread);
    expect(message && shown(message)).toContain('https://leak.example/2');
    expect(message?.unfurled).toEqual([]);
  });

  test('nothing that a model writes rings, however it is cut into pieces', async () => {
    const { answers } = await beginWriting();
    const { live, thread } = await asked(answers);
    for (const piece of [
      'Look ',
      '<',
      '!chan',
      'nel',
      '> and <@',
      `${stage.ben.user.id}> and <!here>`,
      ' done',
    ]) {
      live.append(piece);
      await stage.pass(1_500);
    }
    const done = live.finish({ kind: 'done' });
    await stage.pass(5_000);
    await done;
    const [message] = stage.posts(stage.general, thread);
    expect(message && shown(message)).toContain('done');
    expect(message?.pings).toEqual([]);
  });

  test('three deltas at once are one stream with the text once', async () => {
    const { answers } = await beginWriting();
    const { live, thread } = await asked(answers);
    for (const piece of ['one ', 'two ', 'three']) live.append(piece);
    const done = live.finish({ kind: 'done' });
    await stage.pass(5_000);
    await done;
    expect(stage.posts(stage.general, thread).map(answerIn)).toEqual(['one two three']);
  });
});

describe('in the channel itself', () => {
  test('the answer grows by edits of the root, under who asked what, and goes on in its thread', async () => {
    const { answers } = await beginWriting();
    const { ada, general } = stage;
    await ada.types('/ask a long one', general);
    await stage.until(() => answers.length === 1);
    const [live] = answers;
    const text = Array.from({ length: 250 }, (_, line) => `Line ${line}: some words of an answer.`).join(
      '\n',
    );
    for (let at = 0; at < text.length; at += 500) {
      live?.append(text.slice(at, at + 500));
      await stage.pass(700);
    }
    const done = live?.finish({ kind: 'done' });
    await stage.pass(20_000);
    await done;
    const [root, ...rest] = stage.posts(general);
    expect(root?.threadTs).toBeUndefined();
    expect(rest.length).toBeGreaterThan(0);
    for (const message of rest) expect(message.threadTs).toBe(root?.ts);
    expect(root && shown(root).split('\n')[0]).toBe('*ada* · `/ask` a long one');
    const all = stage.posts(general).map(answerIn).join('\n');
    for (let line = 0; line < 250; line++) expect(all.split(`Line ${line}:`)).toHaveLength(2);
    expect(stage.refusals).toBe(0);
  });
});

test('20,000 characters with code, a table and Chinese arrive whole, beyond six messages as a file too', async () => {
  const { answers } = await beginWriting();
  const { live, thread } = await asked(answers);
  const block =
    '```js\nconst a = "<!channel>";\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n潮汐是海水的涨落。';
  const text = Array.from({ length: 600 }, (_, index) => `## Part ${index}\n\n${block}`).join('\n\n');
  live.append(text);
  const done = live.finish({ kind: 'done' });
  await stage.pass(60_000);
  await done;
  const posts = stage.posts(stage.general, thread);
  const files = [...stage.workspace.files.values()];
  expect(files.map(({ name }) => name)).toEqual(['answer.md']);
  expect(Buffer.from(stage.slack.bytesOf(stage.workspace, files[0]?.id ?? '')).toString()).toBe(text);
  expect(posts.flatMap(({ pings }) => pings)).toEqual([]);
  expect(posts.every((message) => (shown(message).match(/^```/gm)?.length ?? 0) % 2 === 0)).toBe(true);
  expect(stage.refusals).toBe(0);
});

test('20 live answers at once in one workspace complete without one 429', async () => {
  const { answers } = await beginWriting();
  const { slack, workspace, ada, general } = stage;
  const channels = Array.from({ length: 5 }, (_, index) => slack.channel(workspace, `c${index}`, [ada]));
  const threads: string[] = [];
  for (let ask = 0; ask < 10; ask++) {
    threads.push(ada.says(`${ada.bot} question ${ask}`, channels[ask % 5] ?? general).message.ts);
    await ada.types(`/ask question ${ask}`, channels[ask % 5] ?? general);
  }
  await stage.until(() => answers.length === 20);
  for (let round = 0; round < 30; round++) {
    for (const [index, live] of answers.entries()) live.append(`r${round}a${index} and a few words more. `);
    await stage.pass(1_000);
  }
  const done = Promise.all(answers.map((live) => live.finish({ kind: 'done' })));
  await stage.pass(180_000);
  await done;
  const texts = channels.flatMap((channel) => stage.posts(channel).map(answerIn));
  expect(texts).toHaveLength(20);
  for (let index = 0; index < 20; index++) {
    const mine = texts.filter((text) => text.includes(`r0a${index} `));
    expect(mine).toHaveLength(1);
    for (let round = 0; round < 30; round++) expect(mine[0]).toContain(`r${round}a${index} `);
  }
  expect(stage.refusals).toBe(0);
  expect(slack.api.of('chat.startStream').length).toBeGreaterThan(5);
});

test('first words come at once, also while many others grow', async () => {
  const { answers } = await beginWriting();
  const { ada, general } = stage;
  for (let ask = 0; ask < 5; ask++) await ada.types(`/ask question ${ask}`, general);
  await stage.until(() => answers.length === 5);
  const begun = stage.clock.now();
  for (const [index, live] of answers.entries()) live.append(`answer ${index}`);
  await stage.until(() => stage.posts(general).length === 5);
  // One message a second is all a channel takes.
  expect(stage.clock.now() - begun).toBeLessThan(6_000);
  const done = Promise.all(answers.map((live) => live.finish({ kind: 'done' })));
  await stage.pass(30_000);
  await done;
});

describe('a process that dies', () => {
  const long = Array.from({ length: 250 }, (_, line) => `Line ${line}: some words of an answer.`).join('\n');

  test.each([
    ['a mention', 'chat.startStream', 'A few words'],
    ['a mention', 'chat.appendStream', 'A few words'],
    ['a mention', 'chat.stopStream', 'A few words'],
    ['/ask', 'chat.postMessage', 'A few words'],
    ['/ask', 'chat.update', 'A few words'],
    ['/ask', 'chat.startStream', long],
  ])(
    'at the answer to %s, right after %s, leaves nothing that looks as if it grew',
    async (how, method, text) => {
      const { answers } = await beginWriting();
      const { ada, general, slack } = stage;
      slack.api.faults.plan(method, { kind: 'cut', when: 'after' }, 1_000);
      if (how === '/ask') await ada.types('/ask hello', general);
      else ada.says(`${ada.bot} hello`, general);
      await stage.until(() => answers.length > 0);
      const [live] = answers;
      live?.append(text);
      await stage.pass(3_000);
      live?.append(' and more words.');
      if (method === 'chat.stopStream') live?.finish({ kind: 'done' }).catch(() => {});
      await stage.until(() => slack.api.of(method).length > 0);
      await stage.kill();
      while (slack.api.faults.outstanding > 0) slack.api.faults.take(method, {});
      await stage.startBot();
      await stage.pass(30_000);
      const left = stage.posts(general);
      expect(left.filter((message) => shown(message).includes('Stop'))).toEqual([]);
      expect(left.filter(({ stream }) => stream?.state === 'streaming')).toEqual([]);
      expect(left.length).toBeGreaterThan(0);
    },
  );

  test('a stream whose start was not answered is gone on with, not begun twice', async () => {
    const { answers } = await beginWriting();
    stage.slack.api.faults.plan('chat.startStream', { kind: 'cut', when: 'after' });
    const { live, thread } = await asked(answers);
    live.append('one two');
    await stage.pass(5_000);
    live.append(' three');
    const done = live.finish({ kind: 'done' });
    await stage.pass(5_000);
    await done;
    expect(stage.posts(stage.general, thread).map(answerIn)).toEqual(['one two three']);
  });
});
