import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { slackAddress, streamAt } from '../../../../src/platforms/slack/post/address.ts';
import type { LiveAnswer } from '../../../../src/port/index.ts';
import { refuse } from '../../../fakes/database.ts';
import { type Channel, type Message, shown } from '../../../fakes/slack/index.ts';
import { labelsOf, type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
let channel: Channel;

beforeEach(async () => {
  stage = await startStage({ writtenAsk: 'ended' });
  channel = stage.ada.directMessages;
});

/** Somebody writes to the bot directly; the test writes the answer. */
const asked = (more: Parameters<Stage['ada']['says']>[2] = {}) =>
  stage.answerTo(stage.ada.says('hello', channel, more));

const words = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `word${from + index} `).join('');
const textOf = (message: Message) => shown(message).replace(/\n?(?:Stop|Regenerate)$/, '');
const read = (thread: string) => stage.read(channel, thread);
const calls = (method: string) => stage.slack.api.of(`chat.${method}`);
const buttons = (thread: string) => stage.posts(channel, thread).flatMap(labelsOf);

/** As Slack does by itself, at five minutes or whenever it likes. */
function endStreams(thread: string): void {
  for (const { stream } of stage.posts(channel, thread)) if (stream) stream.state = 'dead';
}

/** No edit ever goes to a message that is or was a stream: it would be refused, or show the text twice. */
function expectNoStreamEdited(): void {
  const streams = ['startStream', 'appendStream', 'stopStream'].flatMap(calls).map(({ args }) => args.ts);
  expect(calls('update').filter(({ args }) => streams.includes(args.ts))).toEqual([]);
}

test('in direct messages the answer is a native stream of chunks, and ends with its buttons below', async () => {
  const { live, thread } = await asked();
  live.append('The first words');
  await stage.until(() => stage.posts(channel, thread).length === 1);
  const [message] = stage.posts(channel, thread);
  expect(message?.stream).toMatchObject({ state: 'streaming', mode: 'chunks' });
  // Slack shows a Stop button of its own.
  expect(message && shown(message)).toBe('The first ');
  live.append(' and then more, **bold** and `code`');
  await stage.pass(2_000);
  live.append(' until the end.');
  await stage.finish(live);
  expect(message?.stream?.state).toBe('stopped');
  expect(message && shown(message)).toBe(
    'The first words and then more, **bold** and `code` until the end.\nRegenerate',
  );
  expect(stage.posts(channel, thread)).toHaveLength(1);
  const made = ['startStream', 'appendStream', 'stopStream'].flatMap(calls);
  expect(made.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  for (const { args } of made) expect(args).not.toHaveProperty('markdown_text');
  expect(calls('update')).toEqual([]);
});

test('an answer with a line above it is no stream, which couldn’t show that line', async () => {
  const { live, thread } = await asked({ files: [stage.ada.file('cat.png', Buffer.from('png'))] });
  const note = 'I only read text files, so I can’t open `cat.png`.';
  live.append(words(0, 3));
  await stage.until(() => stage.posts(channel, thread).length === 1);
  const [message] = stage.posts(channel, thread);
  expect(message && shown(message)).toMatch(`${note}\nword0 word1`);
  expect(buttons(thread)).toContain('Stop');
  live.append(words(3, 6));
  await stage.finish(live);
  expect(message && textOf(message)).toBe(`${note}\n${words(0, 6).trim()}`);
  expect(calls('startStream')).toEqual([]);
});

test('a withdrawn answer ends its stream, so that it can be deleted and others are streams after it', async () => {
  for (let count = 0; count < 14; count++) {
    const { live, thread } = await asked();
    live.append(words(0, 3));
    await stage.until(() => stage.posts(channel, thread).length === 1);
    const [message] = stage.posts(channel, thread);
    expect(message?.stream?.state).toBe('streaming');
    const withdrawn = live.finish({ kind: 'withdrawn' });
    await stage.pass(10_000);
    expect(message?.stream?.state).toBe('stopped');
    const removed = (await withdrawn).map((one) => stage.platform.adapter.remove(one));
    await stage.pass(5_000);
    await Promise.all(removed);
    expect(stage.posts(channel, thread)).toEqual([]);
  }
});

test('a stream that nobody has ended is deleted all the same', async () => {
  const { live, thread } = await asked();
  live.append(words(0, 3));
  await stage.until(() => stage.posts(channel, thread).length === 1);
  const [message] = stage.posts(channel, thread);
  const at = streamAt(slackAddress(stage.workspace.id, channel.id, thread), message?.ts ?? '');
  const removed = stage.platform.adapter.remove(at);
  await stage.pass(5_000);
  await removed;
  expect(stage.posts(channel, thread)).toEqual([]);
});

test('a stream that nobody has ended ends where it’s edited, and takes no other words; one that’s gone is told as gone', async () => {
  const { live, thread } = await asked();
  live.append(words(0, 3));
  await stage.until(() => stage.posts(channel, thread).length === 1);
  const [message] = stage.posts(channel, thread) as [Message];
  const at = streamAt(slackAddress(stage.workspace.id, channel.id, thread), message.ts);
  const edited = () => stage.done(stage.platform.adapter.edit(at, { text: 'Something else' }));
  await expect(edited()).rejects.toMatchObject({ kind: 'refused' });
  expect([message.stream?.state, textOf(message)]).toEqual(['stopped', 'word0 word1 ']);
  stage.chief.deletes(message);
  await expect(edited()).rejects.toMatchObject({ kind: 'gone' });
});

test('a stream that begins as the database goes away goes on, and is noted when the database is back', async () => {
  const { database } = stage;
  const { live, thread } = await asked();
  const takesAgain = await refuse(database, 'insert on keyv', "new.value like '%streams%'");
  live.append('The first words');
  await stage.until(() => calls('startStream').length === 1);
  await stage.pass(10_000);
  await takesAgain();
  await stage.pass(10_000);
  const [stream] = stage.posts(channel, thread);
  const noted = database.selectFrom('keyv').select('key').where('value', 'like', `%streams%${stream?.ts}%`);
  expect(await noted.execute()).toHaveLength(1);
  live.append(' and more.');
  await stage.finish(live);
  expect(stage.posts(channel, thread)).toHaveLength(1);
  expect(stream?.stream?.state).toBe('stopped');
  expect(read(thread)).toBe('The first words and more.');
});

test('an answer that can’t be put on record is begun when the database is back', async () => {
  const { database } = stage;
  const takesAgain = await refuse(database, 'insert on keyv', "new.key like '%unfinished-answer%'");
  const { live, thread } = await asked();
  live.append('The first words');
  await stage.pass(10_000);
  expect(stage.posts(channel, thread)).toEqual([]);
  const failures = stage.log.filter(({ message }) => message === 'a write of a live answer failed');
  expect(failures.map(({ detail }) => detail)).toMatchObject([{ error: expect.stringMatching(/full$/) }]);
  await takesAgain();
  live.append(' and more.');
  await stage.finish(live);
  expect(read(thread)).toBe('The first words and more.');
});

test('a stream that begins with nothing settled begins without chunks', async () => {
  const { live, thread } = await asked();
  live.append('**Bold');
  await stage.until(() => calls('startStream').length === 1);
  expect(calls('startStream')[0]?.args).not.toHaveProperty('chunks');
  live.append(' words** first');
  await stage.finish(live);
  expect(read(thread)).toBe('**Bold words** first');
});

test('in channels, where a stream is live for one person alone, the answer grows by edits', async () => {
  stage.slack.world.readings.streamInChannel = 'works';
  const { ada, general } = stage;
  const { live, thread } = await stage.answerTo(ada.says(`${ada.bot} hello`, general));
  live.append('Some words');
  await stage.pass(3_000);
  live.append(' and more');
  await stage.finish(live);
  expect(stage.texts(general, thread)).toEqual(['Some words and more\nRegenerate']);
  expect(calls('startStream')).toEqual([]);
});

test('where Slack takes no streams that is remembered, and the answer grows by edits with a Stop button', async () => {
  stage.slack.world.readings.streamInDirectMessage = 'refused';
  for (let round = 0; round < 2; round++) {
    const { live, thread } = await asked();
    live.append(words(0, 20));
    await stage.pass(3_000);
    expect(stage.texts(channel, thread)).toEqual([`${words(0, 20).trim()}\nStop`]);
    await stage.finish(live);
    expect(read(thread)).toBe(words(0, 20).trim());
  }
  expect(calls('startStream')).toHaveLength(1);
});

test('where buttons cannot be below a stream they come in a message of their own, and that is remembered', async () => {
  stage.slack.world.readings.blocksAtStreamStop = 'refused';
  for (let round = 0; round < 2; round++) {
    const { live, thread } = await asked();
    live.append(words(0, 20));
    await stage.pass(3_000);
    await stage.finish(live);
    expect(read(thread)).toBe(words(0, 20).trim());
    expect(buttons(thread)).toEqual(['Regenerate']);
    expect(stage.posts(channel, thread)).toHaveLength(2);
  }
  expect(calls('stopStream').map(({ outcome }) => outcome)).toEqual(['invalid_blocks', 'ok', 'ok']);
});

// So it doesn't matter whether Slack takes such edits.
describe('without an edit of an ended stream', () => {
  afterEach(expectNoStreamEdited);

  const whole = words(0, 40).trim();

  /** An answer in two parts, with something in between. */
  async function interrupted(between: (thread: string) => Promise<void> | void): Promise<string> {
    const { live, thread } = await asked();
    live.append(words(0, 20));
    await stage.pass(3_000);
    await between(thread);
    live.append(words(20, 40));
    await stage.pass(3_000);
    await stage.finish(live, 30_000);
    return thread;
  }

  test('the button below a stream that has ended answers anew, in the same thread', async () => {
    const { live, thread } = await asked();
    live.append(whole);
    await stage.pass(3_000);
    await stage.finish(live);
    const [message] = stage.posts(channel, thread) as [Message];
    expect(message.stream?.state).toBe('stopped');
    await stage.ada.presses(message, 'Regenerate');
    await stage.until(() => stage.answers.length === 2);
    stage.answers[1]?.append('Another answer.');
    await stage.finish(stage.answers[1] as LiveAnswer);
    expect(stage.posts(channel, thread).map(textOf)).toEqual([whole, 'Another answer.']);
  });

  test('a long answer makes way for an ordinary message before Slack ends its stream', async () => {
    const { live, thread } = await asked();
    for (let minute = 0; minute < 8; minute++) {
      live.append(words(minute * 10, minute * 10 + 10));
      await stage.pass(60_000);
    }
    await stage.finish(live);
    expect(stage.posts(channel, thread)).toHaveLength(1);
    expect(read(thread)).toBe(words(0, 80).trim());
    expect(stage.slack.api.calls.map(({ outcome }) => outcome)).not.toContain(
      'message_not_in_streaming_state',
    );
  });

  test('an answer that paused for longer than a stream lives arrives whole, once', async () => {
    const thread = await interrupted(() => stage.pass(6 * 60_000));
    expect(read(thread)).toBe(whole);
    expect(buttons(thread)).toEqual(['Regenerate']);
  });

  test('a stream that Slack ends midway makes way for an ordinary message', async () => {
    const thread = await interrupted((thread) => {
      endStreams(thread);
    });
    expect(read(thread)).toBe(whole);
    expect(stage.posts(channel, thread)).toHaveLength(1);
    expect(buttons(thread)).toEqual(['Regenerate']);
  });

  test('a stream that Slack ends right before its end makes way for an ordinary message', async () => {
    const { live, thread } = await asked();
    live.append(words(0, 40));
    await stage.pass(3_000);
    endStreams(thread);
    await stage.finish(live, 30_000);
    expect(read(thread)).toBe(whole);
    expect(buttons(thread)).toEqual(['Regenerate']);
  });

  test('where its message cannot be taken away, what is missing comes below', async () => {
    stage.slack.api.faults.plan('chat.delete', { kind: 'error', code: 'cant_delete_message' }, 10);
    const thread = await interrupted((thread) => {
      endStreams(thread);
    });
    expect(read(thread)).toBe(whole);
    expect(stage.posts(channel, thread)).toHaveLength(2);
    expect(buttons(thread)).toEqual(['Regenerate']);
  });

  test('an address in the answer is never in a stream, so Slack fetches nothing', async () => {
    const { live, thread } = await asked();
    live.append('Look at');
    await stage.pass(2_000);
    live.append(' https://leak.example/?secret=1 and [this](https://leak.example/2).');
    await stage.pass(3_000);
    await stage.finish(live);
    expect(read(thread)).toBe('Look at https://leak.example/?secret=1 and [this](https://leak.example/2).');
    expect(stage.posts(channel, thread).flatMap(({ unfurled }) => unfurled)).toEqual([]);
  });

  test('nothing that a model writes rings, however it is cut into pieces', async () => {
    const { live, thread } = await asked();
    for (const piece of [
      'Look ',
      '<',
      '!chan',
      'nel',
      '> and <@',
      `${stage.ben.user.id}> and <!here>`,
      ` ${'y'.repeat(41)}<!`,
      'channel>z',
      'z'.repeat(31),
      'z'.repeat(20),
      ' @cha',
      `nnel and ${'x'.repeat(38)}/@her`,
      `e${'-'.repeat(36)}`,
      ' done',
    ]) {
      live.append(piece);
      await stage.pass(1_500);
    }
    await stage.finish(live);
    expect(read(thread)).toContain('done');
    expect(stage.posts(channel, thread).flatMap(({ pings }) => pings)).toEqual([]);
  });

  // Fact: Concurrent appends start several streams (measured)
  test('20,000 characters with code, a table and Chinese arrive whole, no part of them twice', async () => {
    const { live, thread } = await asked();
    const block = '```js\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n潮汐是海水的涨落。';
    const parts = Array.from({ length: 300 }, (_, index) => `## Part ${index}.\n\n${block}`);
    for (const part of parts) {
      live.append(`${part}\n\n`);
      await stage.pass(200);
    }
    await stage.finish(live, 60_000);
    const text = stage.posts(channel, thread).map(shown).join('\n');
    for (let part = 0; part < 300; part++) expect(text.split(`## Part ${part}.`)).toHaveLength(2);
    expect(buttons(thread)).toEqual(['Regenerate']);
    expect(stage.refusals).toBe(0);
  });

  test.each(['startStream', 'appendStream', 'stopStream'])(
    'the answer to %s is lost: the whole answer is there, once',
    async (method) => {
      stage.slack.api.faults.plan(`chat.${method}`, { kind: 'cut', when: 'after' });
      expect(read(await interrupted(() => {}))).toBe(whole);
    },
  );

  // Fact: Workspace admins may delete a bot’s message (bolt-js#1173)
  test.each(['grows', 'ends'])(
    'one that an administrator deletes doesn’t come back when it %s',
    async (then) => {
      const { live, thread } = await asked();
      live.append(words(0, 20));
      await stage.pass(3_000);
      for (const message of stage.posts(channel, thread)) stage.chief.deletes(message);
      if (then === 'grows') live.append(words(20, 40));
      await stage.pass(3_000);
      const done = expect(live.finish({ kind: 'done' })).rejects.toMatchObject({ kind: 'deleted' });
      await stage.pass(30_000);
      await done;
      expect(stage.posts(channel, thread)).toEqual([]);
    },
  );

  // Fact: A stream’s `message_not_found` may have other causes than deletion (chat.appendStream: errors)
  test.each(['appendStream', 'stopStream'])(
    '%s doesn’t find it, though it’s there: the whole answer is there, once',
    async (method) => {
      stage.slack.api.faults.plan(`chat.${method}`, { kind: 'error', code: 'message_not_found' });
      expect(read(await interrupted(() => {}))).toBe(whole);
      expect(stage.slack.api.faults.outstanding).toBe(0);
    },
  );

  test.each([
    ...['startStream', 'appendStream', 'stopStream', 'postMessage', 'delete'].flatMap((method) => [
      [method, 'internal_error'],
      [method, 'fatal_error'],
    ]),
    ['startStream', 'messaging_processing_failed'],
    ['appendStream', 'messaging_processing_failed'],
  ])('%s is carried out and answered with %s: the whole answer is there, once', async (method, code) => {
    stage.slack.api.faults.plan(`chat.${method}`, { kind: 'error', code: `${code}`, when: 'after' });
    const thread = await interrupted((thread) => {
      if (method === 'delete' || method === 'postMessage') endStreams(thread);
    });
    expect(stage.slack.api.faults.outstanding).toBe(0);
    expect(read(thread)).toBe(whole);
    expect(buttons(thread)).toEqual(['Regenerate']);
  });

  test.each(['startStream', 'appendStream', 'stopStream'])(
    '%s does not arrive: the whole answer is there, once',
    async (method) => {
      stage.slack.api.faults.plan(`chat.${method}`, { kind: 'cut', when: 'before' });
      expect(read(await interrupted(() => {}))).toBe(whole);
    },
  );

  test.each(['startStream', 'appendStream', 'stopStream', 'delete', 'postMessage'])(
    '%s is refused as too frequent: the whole answer is there, once',
    async (method) => {
      stage.slack.api.faults.plan(`chat.${method}`, { kind: 'too-many', seconds: 3 }, 2);
      const thread = await interrupted((thread) => {
        if (method !== 'delete' && method !== 'postMessage') return;
        endStreams(thread);
      });
      expect(read(thread)).toBe(whole);
      expect(buttons(thread)).toEqual(['Regenerate']);
    },
  );

  test.each([
    ['Slack asks to wait 45 seconds with', { kind: 'too-many', seconds: 45 } as const],
    ['Slack asks to wait two minutes with', { kind: 'too-many', seconds: 120 } as const],
    ['Slack takes 40 seconds for', { kind: 'delay', ms: 40_000 } as const],
  ])('%s its end: the whole answer is there, once, with its buttons', async (_, fault) => {
    stage.slack.api.faults.plan('chat.stopStream', fault);
    const { live, thread } = await asked();
    live.append(whole);
    await stage.pass(3_000);
    await stage.finish(live, 5 * 60_000);
    expect(read(thread)).toBe(whole);
    expect(buttons(thread)).toEqual(['Regenerate']);
    expect(stage.posts(channel, thread)).toHaveLength(1);
    expect(calls('stopStream').map(({ outcome }) => outcome)).toEqual(
      fault.kind === 'delay' ? ['ok'] : ['429', 'ok'],
    );
  });

  test('where Slack asks to wait with a start, an ordinary message comes at once, and no stream after it', async () => {
    stage.slack.api.faults.plan('chat.startStream', { kind: 'too-many', seconds: 90 });
    const { live, thread } = await asked();
    live.append(words(0, 20));
    await stage.pass(3_000);
    expect(read(thread)).toBe(words(0, 20).trim());
    live.append(words(20, 40));
    await stage.finish(live);
    await stage.pass(2 * 60_000);
    expect(read(thread)).toBe(whole);
    expect(buttons(thread)).toEqual(['Regenerate']);
    expect(stage.posts(channel, thread)).toHaveLength(1);
  });

  test.each([
    ['startStream', 'channel_type_not_supported'],
    ['startStream', 'internal_error'],
    ['appendStream', 'message_not_in_streaming_state'],
    ['appendStream', 'streaming_mode_mismatch'],
    ['appendStream', 'internal_error'],
    ['stopStream', 'message_not_in_streaming_state'],
    ['stopStream', 'msg_too_long'],
    ['stopStream', 'fatal_error'],
  ])('where Slack answers %s with %s the whole answer is there, once', async (method, code) => {
    stage.slack.api.faults.plan(`chat.${method}`, { kind: 'error', code });
    const thread = await interrupted(() => {});
    expect(read(thread)).toBe(whole);
    expect(buttons(thread)).toEqual(['Regenerate']);
  });

  test.each([
    ['fails to start', 'messaging_processing_failed'],
    ['takes in direct messages only with their recipient', 'missing_recipient_user_id'],
    ['takes in direct messages only with their recipient’s workspace', 'missing_recipient_team_id'],
    ['takes no thread for', 'invalid_thread_ts'],
  ])('a stream that Slack %s is none, and the next answer is one again', async (_, code) => {
    const { ada, slack } = stage;
    slack.api.faults.plan('chat.startStream', { kind: 'error', code });
    expect(read(await interrupted(() => {}))).toBe(whole);
    const { live } = await stage.answerTo(ada.says('and again', channel));
    live.append('Some words and more. ');
    await stage.pass(3_000);
    expect(calls('startStream').at(-1)?.outcome).toBe('ok');
    await stage.finish(live);
  });

  test('a process that dies before its stream shows anything leaves none', async () => {
    const { slack } = stage;
    const { live, thread } = await asked();
    live.append('**Bold');
    await stage.until(() => slack.api.of('chat.startStream').length > 0);
    await stage.restart();
    await stage.until(() => stage.posts(channel, thread).length === 0);
  });

  test.each(['chat.startStream', 'chat.appendStream', 'chat.stopStream', 'chat.postMessage'])(
    'a process that dies right after %s leaves nothing that looks as if it grew',
    async (method) => {
      const { slack } = stage;
      slack.api.faults.plan(method, { kind: 'cut', when: 'after' }, 1_000);
      const { live, thread } = await asked();
      live.append(`A few words ${method === 'chat.postMessage' ? 'and https://leak.example/ ' : ''}`);
      await stage.pass(3_000);
      live.append('and more words.');
      if (method === 'chat.stopStream') live.finish({ kind: 'done' }).catch(() => {});
      await stage.killAt(method);
      await stage.pass(30_000);
      const left = stage.posts(channel, thread);
      expect(left.filter(({ stream }) => stream?.state === 'streaming')).toEqual([]);
      expect(buttons(thread)).not.toContain('Stop');
      expect(left.length).toBeGreaterThan(0);
      expect([...slack.world.sessions.values()].map(({ status }) => status)).toEqual(['active']);
    },
  );
});
