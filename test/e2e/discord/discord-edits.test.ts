import { expect, it } from 'vitest';
import type { Message } from '../../fakes/discord/index.ts';
import {
  type DiscordScene,
  labelsOf,
  page,
  passes,
  privately,
  startDiscordScene,
} from '../support/discord-scene.ts';
import { everythingIn } from '../support/everything.ts';

const isWhole = (message: Message | undefined) => labelsOf(message).includes('Regenerate');
const mention = ({ discord }: DiscordScene, text: string) => `<@${discord.world.bot.id}> ${text}`;
/** Waits for so many whole answers; returns what they say. */
async function answers(scene: DiscordScene, count: number): Promise<string> {
  await scene.discord.until(`answer ${count}`, () => scene.said().filter(isWhole).length === count);
  await scene.rests();
  expect(scene.said().filter(isWhole)).toHaveLength(count);
  return scene
    .said()
    .map(({ content }) => content)
    .join();
}

// Fact: MESSAGE_UPDATE’s `edited_timestamp` tells edits from previews and pins (discord-api-docs#7017, discord.py#273)
it('a mention that an edit adds is answered once, in reply to its message', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, discord, said } = scene;
  const message = ada.writes(channel, 'Say: red');
  ada.edits(message, mention(scene, 'Say: green'));
  discord.events.messageUpdated(message);
  await answers(scene, 1);
  expect(said()[0]).toMatchObject({ replyTo: message.id });
  ada.edits(message, mention(scene, 'Say: blue'));
  ada.mentions(channel, 'Say: yellow');
  expect(await answers(scene, 2)).toMatch(/green.*yellow/su);
});

it.each(['', 'imagine'])(
  '“%s” that’s edited into a request is answered once, though it was explained',
  async (first) => {
    const scene = await startDiscordScene();
    const { ada, channel, discord, said } = scene;
    const message = ada.mentions(channel, first);
    await discord.until('the help', () => said().length === 1);
    await scene.rests();
    ada.edits(message, mention(scene, 'Say: green'));
    await answers(scene, 1);
    expect(said().at(-1)).toMatchObject({ replyTo: message.id });
    ada.edits(message, mention(scene, 'Say: blue'));
    await scene.restart();
    ada.edits(message, mention(scene, 'usage'));
    ada.mentions(channel, 'Say: yellow');
    expect(await answers(scene, 2)).toMatch(/green.*yellow/su);
    expect(said()).toHaveLength(3);
  },
);

it('a mention that’s edited into a question while the bot restarts is answered once, though it was explained', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, discord, said } = scene;
  const message = ada.mentions(channel, '');
  await discord.until('the help', () => said().length === 1);
  await scene.rests();
  await scene.restart(async () => void ada.edits(message, mention(scene, 'Say: green')));
  await answers(scene, 1);
  await scene.restart();
  ada.mentions(channel, 'Say: yellow');
  expect(await answers(scene, 2)).toMatch(/green.*yellow/su);
  expect(said()).toHaveLength(3);
});

it('a question that’s edited is answered once, also after a restart', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, said } = scene;
  const message = ada.mentions(channel, 'Say: red');
  await answers(scene, 1);
  ada.edits(message, mention(scene, 'Say: green'));
  await scene.restart();
  ada.edits(message, mention(scene, 'imagine a cat --size 9k'));
  ada.mentions(channel, 'Say: blue');
  expect(await answers(scene, 2)).not.toContain('green');
  expect(said()).toHaveLength(2);
});

it('a question that’s edited after Delete my data is answered once, and none of its words are left', async () => {
  const { url, rowsWith } = await everythingIn();
  const scene = await startDiscordScene({}, { environment: { DATABASE_URL: url } });
  const { ada, channel } = scene;
  const message = ada.mentions(channel, 'Say: red CHEDDAR');
  await answers(scene, 1);
  ada.types(channel, { name: 'privacy' });
  ada.presses(await page(scene, 'Delete my data'), 'Delete my data');
  const question = await privately(scene, ada, 'Delete');
  ada.presses(question, 'Delete my data');
  await privately(scene, ada, 'Deleted.');
  await passes(scene, 60);
  await scene.restart();
  ada.edits(message, mention(scene, 'Say: green'));
  ada.mentions(channel, 'Say: blue');
  expect(await answers(scene, 2)).not.toContain('green');
  expect(rowsWith('CHEDDAR')).toEqual([]);
});

it('an edit of an old “yes”, or one that adds a mention to it, doesn’t confirm another question', async () => {
  const scene = await startDiscordScene({}, { environment: { CONFIRM_OVER_CREDITS: '1' } });
  const { ada, channel, said, discord } = scene;
  const questions = () => said().filter((message) => labelsOf(message).includes('No'));
  ada.mentions(channel, 'imagine a cat');
  await discord.until('a question', () => questions()[0]);
  const plain = ada.writes(channel, 'yes');
  const yes = ada.mentions(channel, 'yes');
  await scene.withFile();
  await passes(scene, 60);
  ada.mentions(channel, 'imagine a dog');
  const question = await discord.until('another question', () => questions()[0]);
  ada.edits(yes, mention(scene, 'Yes'));
  ada.edits(yes, mention(scene, 'imagine a bird'));
  ada.edits(plain, mention(scene, 'yes'));
  await scene.rests();
  expect(labelsOf(question)).toContain('No');
  expect(await scene.spent()).toBeLessThan(2 * 22);
});

it('a refused mention that’s corrected is answered', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, said, saying } = scene;
  const message = ada.mentions(channel, 'imagine a cat --size 9k');
  await saying('size');
  ada.edits(message, mention(scene, 'imagine a cat --size 3k'));
  await scene.withFile();
  expect(said()).toHaveLength(2);
});

it('what changes about a message besides its words brings nothing, nor do edits of bots, and old ones', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, discord, guild, owner, rests, said } = scene;
  owner.types(channel, { name: 'settings', sub: 'moderation', options: { answer_bots: 'on' } });
  const parrot = discord.addPerson(guild, 'parrot', { bot: true });
  const { events } = discord;
  const refused = ada.writes(channel, 'imagine a cat');
  ada.edits(refused, mention(scene, 'imagine a cat --size 9k'));
  events.messageUpdated(refused);
  await scene.saying('size');
  await rests();
  expect(said()).toHaveLength(1);
  await passes(scene, 60);
  await scene.restart();
  // Somebody pins it.
  events.messageUpdated(refused);
  const growing = parrot.writes(channel, 'I');
  parrot.edits(growing, mention(scene, 'say hello'));
  await rests();
  expect(said()).toHaveLength(1);
});
