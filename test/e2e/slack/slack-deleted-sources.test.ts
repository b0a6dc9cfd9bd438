import { expect, it } from 'vitest';
import type { Message } from '../../fakes/slack/index.ts';
import { noise } from '../../platforms/discord/support/pictures.ts';
import { type SlackScene, startSlackScene } from '../support/slack-scene.ts';

/** What’s made of messages by shortcuts and Draw it, once those are deleted. */

const finished = (scene: SlackScene) => scene.labelled('Delete');
async function answered(scene: SlackScene): Promise<Message> {
  await scene.ada.types('/ask Say something about tides', scene.general);
  return finished(scene);
}
/** A long answer, whose price was confirmed. */
async function confirmed(scene: SlackScene): Promise<Message> {
  await scene.ada.types('/ask Write 6000 characters', scene.general);
  await scene.ada.presses(await scene.whispered(scene.ada, 'Yes, go ahead'), 'Yes, go ahead');
  return finished(scene);
}
async function drawn(scene: SlackScene): Promise<Message> {
  await scene.ada.types('/imagine a cat', scene.general);
  return finished(scene);
}
const picture = async ({ ada, general }: SlackScene) =>
  ada.says('look', general, { files: [ada.file('a.png', noise(16))] }).message;

/** Ben opens a form at a message, and sends it; `before` what happens while that's open. */
async function asks({ ben, until }: SlackScene, message: Message, name: string, before = async () => {}) {
  await (name === 'Draw it' ? ben.presses(message, name) : ben.picks(message, name));
  await until('the form', () => ben.form);
  await before();
  await ben.sends(name === 'Imagine this' ? { prompt: 'the same by night' } : {});
}
async function deletes({ ada, slack }: SlackScene, message: Message): Promise<void> {
  await slack.acknowledged(ada.deletes(message));
}
/** Nothing comes of what Ben asked for but a word to him, in his language. */
async function comesToNothing(scene: SlackScene, spent: number): Promise<void> {
  await scene.whispered(scene.ben, '结果已失效');
  let looks = 0;
  await scene.until('a while', () => ++looks > 60);
  expect(scene.said()).toEqual([]);
  expect(await scene.spent()).toBe(spent);
}

it.each([
  { name: 'Speak this', whose: 'an answer', source: answered },
  { name: 'Imagine this', whose: 'a person’s picture', source: picture },
  { name: 'Imagine this', whose: 'an image', source: drawn },
])(
  '$name of $whose on Slack that’s deleted while its form is open buys nothing, and says why',
  async ({ name, source }) => {
    const scene = await startSlackScene('socket');
    const message = await source(scene);
    const spent = await scene.spent();
    await asks(scene, message, name, () => deletes(scene, message));
    await comesToNothing(scene, spent);
  },
);

it.each([
  { name: 'Speak this', over: 1, source: confirmed },
  { name: 'Imagine this', over: 10, source: picture },
  { name: 'Draw it', over: 10, source: answered },
])(
  '$name on Slack that’s confirmed after its message was deleted buys nothing, and says why',
  async ({ name, over, source }) => {
    const scene = await startSlackScene('socket', {}, { CONFIRM_OVER_CREDITS: String(over) });
    const message = await source(scene);
    const spent = await scene.spent();
    await asks(scene, message, name);
    const asked = await scene.whispered(scene.ben, '确定');
    await deletes(scene, message);
    await scene.ben.presses(asked, '确定');
    await comesToNothing(scene, spent);
  },
);
