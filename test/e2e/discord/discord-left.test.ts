import { expect, it } from 'vitest';
import type { Channel, Guild, Person } from '../../fakes/discord/index.ts';
import { invited } from '../../platforms/discord/support/invited.ts';
import { type DiscordScene, labelsOf, passes, startDiscordScene } from '../support/discord-scene.ts';
import { everythingIn } from '../support/everything.ts';

const hour = 60;

/** A bot in two servers, in each of which somebody has asked for something that its database knows since. */
async function begin() {
  let neighbours: { readonly guild: Guild; readonly channel: Channel } | undefined;
  const { url, rowsWith } = await everythingIn();
  const isKept = (word: string) => rowsWith(word).length > 0;
  const scene = await startDiscordScene(
    {},
    {
      before: ({ world }) => {
        const owner = world.addUser('neighbour');
        const guild = world.addGuild({ name: 'Neighbours', owner, permissions: invited });
        neighbours = { guild, channel: world.addChannel(guild, 'over-there') };
      },
      environment: { DATABASE_URL: url },
    },
  );
  const { discord, channel, owner, bob, rests, restart } = scene;
  const next = neighbours!;
  discord.world.addMember(next.guild, bob.user);
  const asks = async (person: Person, at: Channel, words: string) => {
    const said = scene.said(at).length;
    person.mentions(at, words);
    await scene.until('an answer', () => scene.said(at).length > said);
    await rests();
  };
  const looksAfter = async (hours: number, meanwhile?: () => Promise<void>) => {
    await passes(scene, hours * hour);
    await restart(meanwhile);
    await rests();
  };
  await asks(scene.ada, channel, 'Is the moon of CHEDDAR');
  await asks(bob, next.channel, 'Is the moon of STILTON');
  owner.types(channel, { name: 'settings', sub: 'answers', options: { persona: 'You love GOUDA' } });
  await scene.until('the setting', () => isKept('GOUDA'));
  return { ...scene, next, asks, looksAfter, rowsWith, isKept };
}

const leaves = ({ discord, guild }: Pick<DiscordScene, 'discord' | 'guild'>) => {
  discord.events.guildRemoved(guild);
  guild.members.delete(discord.world.bot.id);
};

// Fact: GUILD_DELETE with `unavailable` is an outage, without it the bot’s removal (events/gateway-events, guild
// delete)
it('a day after a server has removed the bot nothing of it is left, but what it cost', async () => {
  const scene = await begin();
  const { discord, guild, channel, ada, next, looksAfter, rowsWith, isKept, said, rests } = scene;
  // Of an answer with several versions, each is kept.
  ada.presses(said().at(-1)!, 'Regenerate');
  await scene.until('a second version', () => labelsOf(said().at(-1)!).includes('2/2'));
  await rests();
  discord.events.guildUnavailable(next.guild);
  leaves(scene);
  await looksAfter(23);
  expect(['CHEDDAR', 'GOUDA'].map(isKept)).toEqual([true, true]);
  await looksAfter(2);
  for (const word of ['CHEDDAR', 'GOUDA', guild.id, channel.id]) expect(rowsWith(word)).toEqual([]);
  // Everywhere together nobody may spend more in a day than operators allow, and their language is theirs.
  const isTheirs = (row: string) => row.startsWith('budget_use') || row.includes('locale of');
  expect(rowsWith(ada.user.id).filter((row) => !isTheirs(row))).toEqual([]);
  expect(rowsWith('"kind":"chat"').length).toBe(3);
  expect(isKept('STILTON')).toBe(true);
});

it('a server that invites the bot again within a day loses nothing; one that removed it while it was off does', async () => {
  const scene = await begin();
  const { discord, guild, looksAfter, isKept } = scene;
  const kept = () => ['CHEDDAR', 'GOUDA', 'STILTON'].filter(isKept);
  leaves(scene);
  await passes(scene, 20 * hour);
  discord.events.invited(guild, guild.roles.get(guild.id)!.permissions);
  await looksAfter(20);
  expect(kept()).toEqual(['CHEDDAR', 'GOUDA', 'STILTON']);
  discord.gateway.resumable = false;
  await looksAfter(0, async () => {
    guild.hasBot = false;
    guild.members.delete(discord.world.bot.id);
  });
  await looksAfter(23);
  expect(kept()).toEqual(['CHEDDAR', 'GOUDA', 'STILTON']);
  await looksAfter(2);
  expect(kept()).toEqual(['STILTON']);
});
