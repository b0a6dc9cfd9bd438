import { beforeEach, expect, test } from 'vitest';
import type { Message, OutgoingFile } from '../../../../src/port/index.ts';
import { image } from '../../../fakes/outgoing-files.ts';
import { type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
/** A thread whose first message is gone, and nobody has told the bot yet. */
let gone: string;

beforeEach(async () => {
  stage = await startStage({ writtenAsk: 'ended' });
  const { ada, general } = stage;
  gone = ada.says('hello', general).message.ts;
  general.messages.delete(gone);
});

const clip: OutgoingFile = { ...image, name: 'speech.mp3', contentType: 'audio/mpeg', kind: 'audio' };
const post = (message: Message) =>
  stage.done(
    stage.platform.adapter.post(
      { platform: 'slack', workspace: stage.workspace.id, channel: stage.general.id, thread: gone },
      message,
      'key',
    ),
  );

// Fact: Replies to a deleted message land in the channel, without `thread_ts` (slack-go#1571)
test.each<[string, Message]>([
  ['a message', { text: 'hello' }],
  ['several messages', { text: 'many words '.repeat(1_500) }],
  ['a clip', { text: 'hello', files: [clip] }],
  ['an image', { text: 'hello', files: [image] }],
  ['a clip that’s to be hidden', { text: 'hello', files: [clip], spoiler: true }],
])('%s in the thread of a deleted message is taken back, and refused', async (_, message) => {
  await expect(post(message)).rejects.toMatchObject({ kind: 'gone' });
  await stage.pass(60_000);
  expect(stage.posts(stage.general)).toEqual([]);
  expect([...stage.workspace.files.keys()]).toEqual([]);
});

test.each([clip, image])('so it is where nobody may delete files there: $name', async (file) => {
  stage.slack.api.faults.plan('files.delete', { kind: 'error', code: 'file_deleting_disabled' }, 100);
  await expect(post({ text: 'hello', files: [file] })).rejects.toMatchObject({ kind: 'gone' });
  await stage.pass(60_000);
  expect(stage.posts(stage.general)).toEqual([]);
});

test.each(['chat.postMessage', 'files.completeUploadExternal'])(
  'so it is where the response to %s is lost',
  async (method) => {
    stage.slack.api.faults.plan(method, { kind: 'cut', when: 'after' });
    const files = method === 'chat.postMessage' ? [] : [clip];
    await expect(post({ text: 'hello', files })).rejects.toMatchObject({ kind: 'gone' });
    await stage.pass(60_000);
    expect(stage.posts(stage.general)).toEqual([]);
  },
);

test('so it is where the process dies before it has the response', async () => {
  stage.slack.api.faults.plan('chat.postMessage', { kind: 'delay', ms: 60_000 });
  const { adapter } = stage.platform;
  const address = {
    platform: 'slack',
    workspace: stage.workspace.id,
    channel: stage.general.id,
    thread: gone,
  };
  void adapter.post(address as never, { text: 'hello' }, 'key').catch(() => {});
  await stage.until(() => stage.posts(stage.general).length === 1);
  await stage.kill();
  await stage.startBot();
  await expect(post({ text: 'hello' })).rejects.toMatchObject({ kind: 'gone' });
  expect(stage.posts(stage.general)).toEqual([]);
});

test('an answer to a question that was deleted a moment before isn’t in the channel', async () => {
  const { ada, general } = stage;
  const { live, thread } = await stage.answerTo(ada.says(`${ada.bot} a secret`, general));
  general.messages.delete(thread);
  live.append('The secret is out.');
  await stage.finish(live).catch(() => {});
  await stage.pass(60_000);
  expect(stage.texts(general)).toEqual([]);
});

test.each(['works', 'refused'] as const)(
  'a reply stays in its thread, told in the response: %s',
  async (reading) => {
    const { ada, general } = stage;
    stage.slack.world.readings.threadInResponse = reading;
    const root = ada.says('hello', general).message;
    ada.says('and hello', general, { thread: root.ts });
    // Of a deleted message, the replies keep the thread.
    ada.deletes(root);
    gone = root.ts;
    const { message } = await post({ text: 'hello' });
    expect(general.messages.get(message)?.threadTs).toBe(root.ts);
  },
);
