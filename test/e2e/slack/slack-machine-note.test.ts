import { expect, it } from 'vitest';
import type { Message } from '../../fakes/slack/index.ts';
import { labelsOf, startSlackScene, textOf } from '../support/slack-scene.ts';

it('what’s made with AI says so once where administrators want that, in its requester’s language', async () => {
  const scene = await startSlackScene('socket');
  const { ada, ben, general, slack, workspace, said, until } = scene;
  const chief = slack.person(workspace, { name: 'chief', admin: true });
  general.members.add(chief.user.id);
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
  expect(textOf(said(ada.directMessages).at(-1))).toContain('_Made with AI_\nReply');
});
