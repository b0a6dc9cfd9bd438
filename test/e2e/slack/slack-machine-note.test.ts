import { expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import type { Channel, FakePerson, Message } from '../../fakes/slack/index.ts';
import { labelsOf, startSlackScene, textOf } from '../support/slack-scene.ts';

it('what’s made with AI says so once where administrators want that, in its requester’s language', async () => {
  const scene = await startSlackScene('socket');
  const { ada, ben, general, said, until } = scene;
  const chief = scene.chief();
  for (const scope of ['channel', 'workspace'])
    await chief.types(`/troupe settings --scope ${scope} --machine_note everything`, general);
  await until('the settings', () => chief.whispers.length > 1);
  const count = (note: string, messages: readonly Message[]) =>
    messages.map(textOf).join('\n').split(note).length - 1;
  ada.says(`${ada.bot} Write 200 characters about green`, general);
  ben.says(`${ben.bot} 画一只猫`, general);
  ada.says('Write 6000 characters about blue', ada.directMessages);
  const ended = (messages: readonly Message[], label: string) =>
    messages.some((one) => labelsOf(one).includes(label));
  await until('the answer', () => ended(said(), 'Regenerate'));
  await until('the image', () => ended(said(), '修改'));
  await until('the long answer', () => ended(said(ada.directMessages), 'Regenerate'));
  expect(count('Made with AI', said())).toBe(1);
  expect(count('AI 生成', said())).toBe(1);
  expect(count('Made with AI', said(ada.directMessages))).toBe(1);
  expect(textOf(said(ada.directMessages).at(-1))).toMatch(/Made with AI_\n_I’m an AI .*_\nReply/);
});

it('the first answer in a workspace, and the first in somebody’s direct messages, says that one talks to a machine', async () => {
  const { ada, ben, general, said, until, whispered } = await startSlackScene('socket');
  const asks = async (person: FakePerson, channel: Channel) => {
    const before = said(channel).length;
    person.says(`${person.bot} repeat: hello`, channel);
    const answer = await until('an answer', () => {
      const last = said(channel).slice(before).at(-1);
      return labelsOf(last).length > 2 && last;
    });
    const text = textOf(answer);
    return (['en', 'zh-CN'] as const).filter((one) => text.includes(words(one).firstContact.slice(3)));
  };
  // Which others don't see.
  await ada.types('/ask repeat: hush --private true', general);
  await whispered(ada, 'hush');
  expect(await asks(ada, general)).toEqual(['en']);
  expect(await asks(ben, general)).toEqual([]);
  expect(await asks(ben, ben.directMessages)).toEqual(['zh-CN']);
  expect(await asks(ben, ben.directMessages)).toEqual([]);
});

it('the first answer says so, though a workflow had one before that nobody was shown', async () => {
  const { ada, general, labelled, until } = await startSlackScene('socket');
  const { execution } = ada.runs('ask', { prompt: 'repeat: hush' });
  await until('the step’s end', () => execution.state !== 'running');
  expect(execution.outputs).toEqual({ answer: 'hush' });
  ada.says(`${ada.bot} repeat: hello`, general);
  expect(textOf(await labelled('Regenerate'))).toContain(words('en').firstContact.slice(3));
});
