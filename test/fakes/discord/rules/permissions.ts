import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { refusals } from '../http/refusal.ts';
import type { Channel, Guild } from '../model.ts';
import type { World } from '../world.ts';

/** Every permission there is. */
export const allPermissions: bigint = Object.values(PermissionFlagsBits).reduce((all, bit) => all | bit, 0n);

/** A user's permissions in a channel, without regard to time-outs. */
export function permissionsIn(world: World, channel: Channel, userId: string): bigint {
  const granted = grantedIn(world, channel, userId);
  return isTimedOut(world, channel, userId) ? granted & whileTimedOut : granted;
}

/** What a user is given in a channel (topics/permissions, permission overwrites); threads inherit. */
export function grantedIn(world: World, channel: Channel, userId: string): bigint {
  if (channel.guildId === undefined) {
    const botIsIn = channel.type === ChannelType.DM && userId === world.bot.id;
    return botIsIn || channel.recipients.includes(userId) ? allPermissions : 0n;
  }
  const guild = world.guild(channel.guildId);
  const base = basePermissions(guild, userId);
  if (base === undefined) return 0n;
  if ((base & PermissionFlagsBits.Administrator) !== 0n) return allPermissions;
  const place = channel.thread && channel.parentId ? world.channel(channel.parentId) : channel;
  const permissions = withOverwrites(base, place, guild, userId);
  const shut = isVoice(place) && (permissions & PermissionFlagsBits.Connect) === 0n;
  return shut && world.readings.voiceChatWithoutConnect === 'refused' ? 0n : permissions;
}

/** All that is left to who is timed out, bots among them (topics/permissions; discord-api-docs#6847). */
const whileTimedOut = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory;

/** Owners and administrators never are. */
function isTimedOut({ clock, guilds }: World, { guildId }: Channel, userId: string): boolean {
  const guild = guildId === undefined ? undefined : guilds.get(guildId);
  if (!guild || (guild.members.get(userId)?.timedOutUntil ?? 0) <= clock.now()) return false;
  return ((basePermissions(guild, userId) ?? 0n) & PermissionFlagsBits.Administrator) === 0n;
}

/** Voice and stage channels need Connect as others need View Channel (topics/permissions, implicit permissions). */
export function isVoice({ type }: Channel): boolean {
  return type === ChannelType.GuildVoice || type === ChannelType.GuildStageVoice;
}

/** A user's permissions in a server, without those of its channels; undefined if they aren't a member. */
export function basePermissions(guild: Guild, userId: string): bigint | undefined {
  const member = guild.members.get(userId);
  if (!member) return undefined;
  if (guild.ownerId === userId) return allPermissions;
  let permissions = guild.roles.get(guild.id)?.permissions ?? 0n;
  for (const roleId of member.roles) permissions |= guild.roles.get(roleId)?.permissions ?? 0n;
  return permissions;
}

function withOverwrites(base: bigint, channel: Channel, guild: Guild, userId: string): bigint {
  let permissions = base;
  const everyone = channel.overwrites.find((overwrite) => overwrite.id === guild.id);
  if (everyone) permissions = (permissions & ~everyone.deny) | everyone.allow;
  const roles = guild.members.get(userId)?.roles ?? [];
  let allow = 0n;
  let deny = 0n;
  for (const overwrite of channel.overwrites) {
    if (overwrite.type !== 'role' || !roles.includes(overwrite.id)) continue;
    allow |= overwrite.allow;
    deny |= overwrite.deny;
  }
  permissions = (permissions & ~deny) | allow;
  const own = channel.overwrites.find((overwrite) => overwrite.type === 'member' && overwrite.id === userId);
  if (own) permissions = (permissions & ~own.deny) | own.allow;
  return permissions;
}

/** Whether the bot may see a channel or thread. */
export function isVisibleToBot(world: World, channel: Channel): boolean {
  const granted = permissionsIn(world, channel, world.bot.id);
  return (granted & PermissionFlagsBits.ViewChannel) !== 0n && !isShutOut(world, channel, granted);
}

/** Whether the bot hears of a channel's or thread's messages; that it needs Connect for those of a voice channel isn't known. */
export function isHeardByBot(world: World, channel: Channel): boolean {
  if (channel.guildId === undefined) return true;
  const place = channel.thread && channel.parentId ? world.channel(channel.parentId) : channel;
  return (
    !isHiddenFromBot(world, place) && !isShutOut(world, channel, permissionsIn(world, channel, world.bot.id))
  );
}

/** Whether the bot lacks View Channel in a server's channel: of that it hears little (resources/channel, obfuscated channels). */
export function isHiddenFromBot(world: World, channel: Channel): boolean {
  const guild = world.guild(channel.guildId ?? '');
  const base = basePermissions(guild, world.bot.id) ?? 0n;
  if ((base & PermissionFlagsBits.Administrator) !== 0n) return false;
  return (withOverwrites(base, channel, guild, world.bot.id) & PermissionFlagsBits.ViewChannel) === 0n;
}

/** Refuses with 50001 if the bot can't see the channel, and with 50013 if it lacks `needed`. */
export function requireBotPermissions(world: World, channel: Channel, needed: bigint): bigint {
  if (!isVisibleToBot(world, channel)) throw refusals.missingAccess();
  const granted = permissionsIn(world, channel, world.bot.id);
  if ((granted & needed) !== needed) throw refusals.missingPermissions();
  return granted;
}

/** A private thread is for those in it, and for who manages threads (topics/threads, private threads). */
function isShutOut({ bot }: World, { type, thread }: Channel, granted: bigint): boolean {
  if (type !== ChannelType.PrivateThread || thread?.members.has(bot.id)) return false;
  return (granted & PermissionFlagsBits.ManageThreads) === 0n;
}

/** The permission that writing needs: threads have one of their own. */
export function permissionToSend(channel: Channel): bigint {
  return channel.thread ? PermissionFlagsBits.SendMessagesInThreads : PermissionFlagsBits.SendMessages;
}

/** Whether messages can be written in such a channel at all. */
export function holdsMessages(channel: Channel): boolean {
  return channel.type !== ChannelType.GuildCategory && !isThreadOnly(channel);
}

/** Forums and media channels hold nothing but posts, which are threads (topics/threads, thread-only channels). */
export function isThreadOnly({ type }: Channel): boolean {
  return type === ChannelType.GuildForum || type === ChannelType.GuildMedia;
}
