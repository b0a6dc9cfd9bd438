import type { ChannelType } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import { alone } from '../../../../src/coordination/index.ts';
import { DiscordApi } from '../../../../src/platforms/discord/api/api.ts';
import { Servers } from '../../../../src/platforms/discord/servers/servers.ts';
import { endsWithTest } from '../../../at-end.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { FakeDiscord } from '../../../fakes/discord/index.ts';
import { invited } from '../support/invited.ts';

/** What a process knows of a server, whose shard it may have or not. */
async function start() {
  const clock = new FakeClock();
  const discord = await FakeDiscord.start({ clock, rateClock: clock });
  const { world } = discord;
  const owner = world.addUser('owner');
  const guild = world.addGuild({ name: 'Analysts', owner, permissions: invited });
  const channel = world.addChannel(guild, 'general');
  const api = new DiscordApi({ token: discord.token, apiUrl: discord.apiUrl, clock });
  let hasShard = false;
  const servers = new Servers({
    ...{ api, clock, coordination: alone(), log: { warn: () => {} } },
    ...{ me: () => world.bot.id, isTold: () => hasShard, onServer: () => {} },
  });
  endsWithTest(async () => {
    servers.close();
    api.close();
    await discord.close();
  });
  const movesShard = () => {
    hasShard = !hasShard;
    servers.forgetShard(0, 1);
  };
  const finds = ({ id, type }: { readonly id: string; readonly type: ChannelType } = channel) =>
    servers.find({ serverId: guild.id, channelId: id, type });
  return { discord, guild, channel, servers, movesShard, finds };
}

it('a server whose shard goes and comes back is found again, however lately it was asked for', async () => {
  const { guild, servers, movesShard, finds } = await start();
  await servers.learn(guild.id);
  for (let move = 0; move < 3; move++) movesShard();
  expect(servers.isOutside(guild.id)).toBe(false);
  expect(await finds()).toBe(true);
});

it('what was asked for while another process had the shard is asked for anew', async () => {
  const { discord, guild, servers, movesShard, finds } = await start();
  await servers.learn(guild.id);
  const role = discord.world.addRole(guild, 'artists', 0n);
  movesShard();
  await finds();
  expect(servers.hasRoles(guild.id, [role.id])).toBe(true);
});

it('an answer that the shard overtakes is asked for anew', async () => {
  const { discord, guild, servers, movesShard, finds } = await start();
  const release = discord.faults.hold('GET /guilds/{guild_id}');
  const found = finds();
  movesShard();
  release();
  await found;
  expect(discord.journal.to('GET /guilds/{guild_id}')).toHaveLength(2);
  expect(servers.server(guild.id)).toBeDefined();
});

it('a thread is found though the shard goes meanwhile', async () => {
  const { discord, channel, movesShard, finds } = await start();
  movesShard();
  await finds();
  const owner = [...discord.world.users.values()].find(({ name }) => name === 'owner');
  const { id } = discord.person(owner!).writes(channel, 'root');
  const thread = discord.threads.open(channel, id, { name: 'a thread' });
  const held = Promise.withResolvers<void>();
  const route = 'GET /channels/{channel_id}';
  discord.faults.next(route, { kind: 'hold', until: held.promise });
  const found = finds(thread);
  await discord.until('the request', () => discord.faults.left(route) === 0);
  movesShard();
  held.resolve();
  expect(await found).toBe(true);
});
