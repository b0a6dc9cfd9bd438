import { expect, test } from 'vitest';
import { type Address, conversationKey } from '../../../../src/port/index.ts';
import { type Script, type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;
const begin = async (options?: StageOptions) => (stage = await startStage(options));

test('an answer in a thread says whose question it answers; below a message of its own it needn’t', async () => {
  const { ada, ben, general } = await begin();
  const { message } = ada.says(`${ada.bot} one`, general);
  await stage.until(() => stage.posts(general, message.ts).length === 1);
  ben.says('two <b>', general, { thread: message.ts });
  ada.says('three', general, { thread: message.ts });
  await stage.until(
    () => stage.texts(general, message.ts).filter((text) => text.includes('Regenerate')).length === 3,
  );
  const texts = stage.texts(general, message.ts);
  expect(texts[0]).toBe('You asked: one\nRegenerate');
  expect(texts.slice(1).toSorted()).toEqual([
    '*ada*: three\nYou asked: three\nRegenerate',
    '*ben*：two &lt;b&gt;\nYou asked: two <b>\nRegenerate',
  ]);
  expect(stage.refusals).toBe(0);
});

test('answers in threads and to commands in direct messages of a group say it too', async () => {
  const { ada, ben, slack, workspace } = await begin();
  const group = slack.channel(workspace, 'mpdm-ada--ben-1', [ada, ben], { kind: 'mpim' });
  const { message } = ada.says(`${ada.bot} one`, group);
  await stage.until(() => stage.posts(group, message.ts).length === 1);
  ben.says('two', group, { thread: message.ts });
  await stage.until(() => stage.texts(group, message.ts).some((text) => text.startsWith('*ben*：two\n')));
});

test('in a thread that was opened for a conversation of its own nobody has to mention the bot', async () => {
  const seen: Address[] = [];
  const ask: Script = async ({ address, reply }) => {
    seen.push(address);
    const live = reply.stream({ buttons: () => [] });
    live.append('Answer');
    const [first] = await live.finish({ kind: 'done' });
    if (address.thread === undefined && first)
      expect(await stage.platform.adapter.threadsAt?.(address)).toEqual({ kind: 'possible' });
  };
  const { ada, ben, general } = await begin({ scripts: { ask } });
  await ada.types('/ask one', general);
  await stage.until(() => stage.posts(general).length === 1);
  const [root] = stage.posts(general);
  const { adapter } = stage.platform;
  const message = {
    platform: 'slack',
    workspace: stage.workspace.id,
    channel: general.id,
    message: root!.ts,
  } as const;
  ben.says('before', general, { thread: root!.ts });
  await stage.until(() => seen.length === 2);
  expect(conversationKey(seen[1]!)).toBe(conversationKey(seen[0]!));
  const thread = await adapter.openOwnThread?.(message, 'one');
  ben.says('after', general, { thread: root!.ts });
  await stage.until(() => seen.length === 3);
  expect(conversationKey(seen[2]!)).toBe(conversationKey(thread!));
  expect(await adapter.threadsAt?.(seen[2]!)).toEqual({ kind: 'none' });
  expect(await adapter.openOwnThread?.({ ...message, message: '' }, 'one')).toBeUndefined();
});

test('where administrators want mentions in threads, the rest is left alone', async () => {
  const { ada, ben, general } = await begin({ mentionOnly: true });
  const { message } = ada.says(`${ada.bot} one`, general);
  await stage.until(() => stage.posts(general, message.ts).length === 1);
  ben.says('two', general, { thread: message.ts });
  ben.says('imagine a cat --siez 3k', general, { thread: message.ts });
  ben.says(`${ben.bot} three`, general, { thread: message.ts });
  await stage.until(() => stage.texts(general, message.ts).some((text) => text.includes('You asked: three')));
  expect(stage.texts(general, message.ts).filter((text) => text.includes('two'))).toEqual([]);
  expect(ben.whispers).toEqual([]);
  ben.says('alone', ben.directMessages);
  await stage.until(() => stage.posts(ben.directMessages).length > 0);
});
