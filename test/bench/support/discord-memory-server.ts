import { ChannelType } from 'discord-api-types/v10';
import { FakeDiscord } from '../../fakes/discord/index.ts';

/** A synthetic server: what a busy one of the middle size has. */
const size = { channels: 40, roles: 20, members: 50 };

const count = Number(process.argv[2]);
const discord = await FakeDiscord.start();
discord.gateway.maxConcurrency = 16;
const { world } = discord;
const people = Array.from({ length: 2000 }, (_, index) => world.addUser(`person ${index}`));
const owner = people[0];
if (!owner) throw new Error('there are people');
for (let index = 0; index < count; index++) {
  const guild = world.addGuild({
    name: `server ${index}`,
    owner,
    permissions: 1n << 10n,
    ageMilliseconds: index,
  });
  for (let role = 1; role < size.roles; role++) world.addRole(guild, `role ${role}`, 1n << 11n);
  const roles = [...guild.roles.values()];
  for (let member = 0; member < size.members - 2; member++) {
    const user = people[(index * size.members + member) % people.length];
    if (user) world.addMember(guild, user, roles.slice(1, 3));
  }
  for (let channel = 0; channel < size.channels; channel++) {
    const type = channel % 8 === 0 ? ChannelType.GuildVoice : ChannelType.GuildText;
    const made = world.addChannel(guild, `channel-${channel}`, type);
    if (channel % 4 === 0) made.overwrites.push({ id: guild.id, type: 'role', allow: 0n, deny: 1n << 11n });
  }
}
process.send?.({ apiUrl: discord.apiUrl, token: discord.token });
