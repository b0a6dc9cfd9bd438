import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { Channel, Message } from '../../fakes/discord/index.ts';
import { channelBody } from '../../fakes/discord/serialize/serialize.ts';
import { type DiscordScene, labelsOf, startDiscordScene } from '../support/discord-scene.ts';

/** How the long answer begins. */
const beginning = 'This is the sandbox';

/** A moderator takes permissions in the channel from the bot, or gives them back. */
function deny({ discord, channel }: DiscordScene, permissions: bigint): void {
  const at = discord.world.channel(channel.id);
  at.overwrites.splice(0);
  if (permissions !== 0n)
    at.overwrites.push({ id: discord.world.bot.id, type: 'member', allow: 0n, deny: permissions });
  discord.gateway.dispatch('CHANNEL_UPDATE', () => channelBody(discord.world, at), at.guildId);
}

/** Asks for a long answer by a mention. @returns its first message, as soon as that's there. */
function growing({ ada, discord, channel, said }: DiscordScene, place = channel): Promise<Message> {
  ada.writes(place, `<@${discord.world.bot.id}> Write 3000 characters about green`);
  return discord.until('its first words', () => said(place).find((one) => labelsOf(one).includes('Stop')));
}

function talkIn({ ada, discord, channel }: DiscordScene): Channel {
  return discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
}

describe('an answer in a public thread in whose middle', () => {
  // Fact: In a locked thread the bot can’t edit its own messages without Manage Threads; the code 160005 is assumed (discord.js#9216, discord-api-docs#5919)
  it.each([
    ['a moderator closes and locks the thread', 'locked'],
    ['the bot loses Send Messages in Threads', 'denied'],
  ] as const)('%s: the channel gets the whole of it', async (_, how) => {
    const scene = await startDiscordScene({ pace: 3 });
    const { ada, discord, said, until } = scene;
    const thread = talkIn(scene);
    await growing(scene, thread);
    if (how === 'locked') ada.closes(thread, true);
    else deny(scene, PermissionFlagsBits.SendMessagesInThreads);
    await until('it in the channel', () => labelsOf(said().at(-1)).includes('Regenerate'));
    expect(said()[0]?.content).toContain(beginning);
    expect(discord.journal.violations).toEqual([]);
  });
});
