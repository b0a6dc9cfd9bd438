import { expect, it } from 'vitest';
import { startSlackScene } from '../support/slack-scene.ts';

// Fact: Where it’s taken out of a channel, Slackbot tells the bot so by a direct message like a person’s, from `USLACKBOT`
// (node-slack-sdk#211, java-slack-sdk#1062)
it('that the bot was taken out of a channel on Slack is no question: nothing is said or bought', async () => {
  const scene = await startSlackScene('socket');
  const { ada, general, slack, workspace } = scene;
  const told = ada.takesOutBot(general);
  expect((await slack.acknowledged(told)).ok).toBe(true);
  // Whatever came of it would have come before.
  ada.says('Say: red', ada.directMessages);
  await scene.until('an answer', () => scene.said(ada.directMessages).length > 0);
  const others = [...workspace.channels.values()].filter((channel) => channel !== ada.directMessages);
  expect(others.flatMap((channel) => scene.said(channel))).toEqual([]);
});
