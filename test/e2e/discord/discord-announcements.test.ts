import { ChannelType } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import { changeSandbox } from '../../fakes/sandbox.ts';
import { type DiscordScene, labelsOf, startDiscordScene } from '../support/discord-scene.ts';

/** A channel that others follow, in which another bot publishes at once whatever can be. */
async function startFollowed(): Promise<DiscordScene> {
  const scene = await startDiscordScene({ pace: 'human' });
  const { channel, discord, owner } = scene;
  (channel as { type: ChannelType }).type = ChannelType.GuildAnnouncement;
  discord.world.on('change', () => {
    for (const one of discord.messagesIn(channel))
      if (!one.published && !one.replyTo && !one.interactionId) owner.publishes(one);
  });
  return scene;
}

async function willAnswer({ sandbox }: DiscordScene, answer: string): Promise<void> {
  await changeSandbox(sandbox, { answers: [answer] });
}

// Fact: A published message takes three edits an hour; only the 429’s body says for how long (discord-api-docs#2258,
// #6109)
it('a long answer whose messages are published arrives whole, though Discord takes few edits of them', async () => {
  const scene = await startFollowed();
  const { ada, channel, discord } = scene;
  const numbers = Array.from({ length: 200 }, (_, index) => String(index));
  await willAnswer(scene, numbers.map((number) => `Sentence ${number} of two hundred.`).join(' '));
  ada.types(channel, { name: 'ask', options: { prompt: 'Tell me' } });
  await scene.labelled('Regenerate');
  expect(scene.said().some(({ published }) => published?.edits.length === 3)).toBe(true);
  const refused = () => discord.journal.requests.filter(({ status }) => status === 429).length;
  const shown = () => {
    const text = scene.said().map(({ content }) => content);
    return [...text.join(' ').matchAll(/Sentence (\d+)/g)].map(([, number]) => number);
  };
  expect(shown()).toEqual(numbers);
  expect(refused()).toBeLessThan(10);
  // An hour later Discord takes edits again.
  await scene.restart(async () => {
    for (const { published } of scene.said()) published?.edits.splice(0);
  });
  await scene.until('no Stop', () => !scene.said().flatMap(labelsOf).includes('Stop'));
  expect(shown()).toEqual(numbers);
});

// Fact: Copies of a deleted published message stay elsewhere, emptied and flagged by MESSAGE_UPDATE
// (resources/message, message flags)
it('of the copy of a published message nothing is bought once that’s deleted', async () => {
  const scene = await startDiscordScene();
  const { bob, channel, discord, owner } = scene;
  const elsewhere = discord.world.addGuild({
    ...{ name: 'News', owner: owner.user, hasBot: false },
    permissions: scene.guild.roles.get(scene.guild.id)!.permissions,
  });
  const news = discord.world.addChannel(elsewhere, 'news', ChannelType.GuildAnnouncement);
  const source = owner.writes(news, 'A NASTY SLUR');
  owner.publishes(source);
  const form = await discord.opened(bob.picks(discord.messages.copy(source, channel), 'Imagine this'));
  owner.deletes(source);
  await scene.rests(50);
  bob.submits(form, { prompt: 'the same by night' });
  await discord.told(channel, words('en').errors.resultGone);
  expect(scene.said()).toEqual([]);
  expect(await scene.spent()).toBe(0);
});
