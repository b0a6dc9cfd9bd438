import { expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import { shown } from '../../fakes/slack/index.ts';
import { labelsOf, passes, type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

/** An image and an answer are asked for, and announced or begun. */
async function begun({ ada, general, said, until, labelled }: SlackScene) {
  ada.says(`${ada.bot} imagine a lighthouse`, general);
  ada.says(`${ada.bot} Write 4000 characters about green`, general);
  const image = await until('an announcement', () => said().find((one) => textOf(one).endsWith('Drawing…')));
  const answer = await labelled('Stop');
  return { image, answer };
}

it('what an answer and an image leave where the bot is taken out ends once it’s invited again', async () => {
  const scene = await startSlackScene('socket', { pace: 3, renderTime: 5 });
  const { ada, general, workspace, said, until } = scene;
  const { image, answer } = await begun(scene);
  general.members.delete(workspace.botUser);
  const labels = () => said(ada.directMessages).flatMap(labelsOf);
  const haveAll = () => ['Again', 'Regenerate'].every((label) => labels().includes(label));
  await until('all in direct messages', haveAll);
  expect(textOf(image)).toContain('Drawing…');
  general.members.add(workspace.botUser);
  const ending = words('en').postedDirectly('not-a-member');
  for (const one of [image, answer]) await until('its end', () => textOf(one).endsWith(`\n${ending}`));
  expect([image, answer].flatMap(labelsOf)).toEqual([]);
});

it('an answer’s session isn’t at work any more where the bot was taken out of its channel, once it’s invited again after a restart', async () => {
  const scene = await startSlackScene('socket', { pace: 3 });
  const { ada, general, slack, workspace, said, until } = scene;
  const { answer } = await begun(scene);
  const session = () => slack.world.sessions.get(`${general.id} ${answer.threadTs}`)?.status;
  general.members.delete(workspace.botUser);
  await until('all in direct messages', () =>
    said(ada.directMessages).flatMap(labelsOf).includes('Regenerate'),
  );
  expect(session()).toBe('processing');
  await scene.restart();
  general.members.add(workspace.botUser);
  await until('its end', () => session() === 'active');
});

it('where Slack takes edits without the bot in the channel, an answer ends in its message and an image’s announcement says where it is', async () => {
  const scene = await startSlackScene('socket', { pace: 3, renderTime: 5 });
  const { ada, general, slack, workspace, said, until } = scene;
  slack.world.readings.updateWhereAbsent = 'works';
  const { image, answer } = await begun(scene);
  general.members.delete(workspace.botUser);
  await until('the answer', () => labelsOf(answer).includes('Regenerate'));
  const ending = words('en').postedDirectly('not-a-member');
  await until('its end', () => textOf(image).endsWith(`\n${ending}`));
  expect(said(ada.directMessages).flatMap(labelsOf)).toContain('Again');
  expect(said(ada.directMessages).flatMap(labelsOf)).not.toContain('Regenerate');
});

it('where Slack tells only as the bot posts that it may not, people read words instead of its code', async () => {
  const { ada, general, slack, whispered } = await startSlackScene('socket');
  general.readOnly = true;
  slack.world.readings.channelSettingsTold = 'refused';
  await ada.types('/imagine a cat', general);
  const told = shown(await whispered(ada, 'Try again'));
  expect(told).toContain('I’m not allowed to do this. An administrator can change that.');
});

it('an answer whose bot is taken out for a moment ends in what’s below its first message, which has no Stop any more', async () => {
  const scene = await startSlackScene('socket', { pace: 3 });
  const { ada, general, workspace, said, until, labelled } = scene;
  await ada.types('/ask Write 14000 characters about green', general);
  const first = await labelled('Stop');
  ada.takesOutBot(general);
  await passes(scene, 0.1);
  general.members.add(workspace.botUser);
  await until('its end', () => said().flatMap(labelsOf).includes('Regenerate'));
  expect(labelsOf(first)).toEqual([]);
});
