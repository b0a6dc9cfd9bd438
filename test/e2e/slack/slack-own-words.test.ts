import { expect, it } from 'vitest';
import { labelsOf, startSlackScene } from '../support/slack-scene.ts';

// Fact: Slackbot (`USLACKBOT`) reports the bot’s removal from a channel by a direct message like a person’s
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

it('what was typed isn’t lost where administrators turned a command off: Slack keeps nothing of it', async () => {
  const scene = await startSlackScene('socket');
  const { ada, general } = scene;
  const chief = scene.chief();
  await chief.types('/troupe settings commands --off imagine', general);
  await scene.until('the setting', () => chief.whispers.length > 0);
  await ada.types('/imagine a boat on a lake', general);
  const told = JSON.stringify((await scene.whispered(ada, 'turned off here')).blocks);
  expect(told).toContain('You typed: `/imagine a boat on a lake`');
  expect(await scene.spent()).toBe(0);
});

// Fact: An app’s own deletions are reported to it like others’ (bolt-python#724)
it('that the bot took its announcement away on Slack ends nothing: the image stands, and its buttons work', async () => {
  const scene = await startSlackScene('socket', { renderTime: 40 });
  const { ada, general, slack } = scene;
  const images = () => scene.said().filter((one) => labelsOf(one).includes('Again'));
  await ada.types('/imagine a cat', general);
  const image = await scene.until('the image', () => images()[0]);
  await scene.until('only the image', () => scene.said().length === 1);
  expect(slack.api.of('chat.delete').map(({ outcome }) => outcome)).toEqual(['ok']);
  await ada.presses(image, 'Again');
  await scene.until('another', () => images().length === 2 && scene.said().length === 2);
  expect(scene.said(ada.directMessages)).toEqual([]);
  expect(await scene.spent()).toBe(44);
});
