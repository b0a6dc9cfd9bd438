import { GatewayIntentBits } from 'discord-api-types/v10';
import { type Fields, isFields } from '../http/fields.ts';
import type { Channel, Guild, Message, Role } from '../model.ts';
import { isHeardByBot } from '../rules/permissions.ts';
import { activeThreads, guildBody, guildOwnBody, roleBody } from '../serialize/serialize-guild.ts';
import { messageBody } from '../serialize/serialize-message.ts';
import { channelBody, heardChannelBody, memberBody, userBody } from '../serialize/serialize.ts';
import type { World } from '../world.ts';
import { visible } from './visibility.ts';

/** Sends an event to every session that may receive it; its content may depend on the session's intents. */
export type Dispatch = (name: string, data: (intents: number) => Fields, guildId: string | undefined) => void;

/**
 * Sends gateway events for what happens (events/gateway-events). Of messages in channels that the bot can't view, it gets
 * none (discord-api-docs#867).
 */
export class Events {
  readonly #world: World;
  readonly #dispatch: Dispatch;

  constructor(world: World, dispatch: Dispatch) {
    this.#world = world;
    this.#dispatch = dispatch;
  }

  messageCreated(message: Message): void {
    this.#message('MESSAGE_CREATE', message);
  }

  messageUpdated(message: Message): void {
    this.#message('MESSAGE_UPDATE', message);
  }

  messageDeleted(message: Message): void {
    const channel = this.#world.channel(message.channelId);
    if (!this.#isHeard(message)) return;
    const guildId = guildOf(message, channel);
    this.#dispatch(
      'MESSAGE_DELETE',
      () => ({ id: message.id, channel_id: message.channelId, ...(guildId && { guild_id: guildId }) }),
      guildId,
    );
  }

  /** A moderator deletes several messages of a channel at once. */
  messagesDeleted(messages: readonly Message[]): void {
    const channel = this.#world.channel(messages[0]!.channelId);
    if (!isHeardByBot(this.#world, channel)) return;
    const { id, guildId } = channel;
    const ids = messages.map((message) => message.id);
    this.#dispatch('MESSAGE_DELETE_BULK', () => ({ ids, channel_id: id, guild_id: guildId }), guildId);
  }

  roleCreated({ id }: Guild, role: Role): void {
    this.#dispatch('GUILD_ROLE_CREATE', () => ({ guild_id: id, role: roleBody(role) }), id);
  }

  roleUpdated({ id }: Guild, role: Role): void {
    this.#dispatch('GUILD_ROLE_UPDATE', () => ({ guild_id: id, role: roleBody(role) }), id);
  }

  roleDeleted({ id }: Guild, role: Role): void {
    this.#dispatch('GUILD_ROLE_DELETE', () => ({ guild_id: id, role_id: role.id }), id);
  }

  /** Goes with no intent: to every session of the server's shard (events/gateway, list of intents). */
  commandPermissionsUpdated({ id }: Guild, permissions: Fields): void {
    this.#dispatch('APPLICATION_COMMAND_PERMISSIONS_UPDATE', () => permissions, id);
  }

  guildUpdated(guild: Guild): void {
    this.#dispatch('GUILD_UPDATE', () => guildOwnBody(guild), guild.id);
  }

  channelUpdated(channel: Channel): void {
    this.#dispatch('CHANNEL_UPDATE', () => heardChannelBody(this.#world, channel), channel.guildId);
  }

  threadCreated(thread: Channel): void {
    this.#ofThread('THREAD_CREATE', thread, () => ({
      ...channelBody(this.#world, thread),
      newly_created: true,
    }));
  }

  /** A channel, which says nothing of the bot's membership. */
  threadUpdated(thread: Channel): void {
    const { member: _, ...body } = channelBody(this.#world, thread);
    this.#ofThread('THREAD_UPDATE', thread, () => body);
  }

  /** A thread is unarchived: who's in it is told so (topics/threads, unarchiving a thread). */
  threadReopened(thread: Channel): void {
    this.threadUpdated(thread);
    const { member } = channelBody(this.#world, thread);
    if (!isFields(member)) return;
    this.#dispatch('THREAD_MEMBER_UPDATE', () => ({ ...member, guild_id: thread.guildId }), thread.guildId);
  }

  /** The bot gains access to a channel: its active threads, and those that the bot was added to. */
  threadsSynced(parent: Channel): void {
    const guild = this.#world.guild(parent.guildId ?? '');
    const active = activeThreads(this.#world, guild).filter(({ parentId }) => parentId === parent.id);
    const bodies = active.map((thread) => channelBody(this.#world, thread));
    const data = {
      guild_id: guild.id,
      channel_ids: [parent.id],
      threads: bodies.map(({ member: _, ...body }) => body),
      members: bodies.flatMap(({ member }) => (member === undefined ? [] : [member])),
    };
    this.#dispatch('THREAD_LIST_SYNC', () => data as Fields, guild.id);
  }

  threadDeleted(thread: Channel): void {
    const { id, guildId, parentId, type } = thread;
    this.#ofThread('THREAD_DELETE', thread, () => ({ id, guild_id: guildId, parent_id: parentId, type }));
  }

  /** Of a thread the bot hears where it can view it (events/gateway-events, threads). */
  #ofThread(type: string, thread: Channel, body: () => Fields): void {
    if (isHeardByBot(this.#world, thread)) this.#dispatch(type, body, thread.guildId);
  }

  /**
   * A channel is deleted, with what's in it: no event tells of its messages and threads (discord.js#10883,
   * discord-api-docs#4581).
   */
  channelDeleted(channel: Channel): void {
    this.#dispatch('CHANNEL_DELETE', () => channelBody(this.#world, channel), channel.guildId);
    for (const { id, parentId } of [...this.#world.channels.values()])
      if (id === channel.id || parentId === channel.id) this.#world.channels.delete(id);
    this.#world.changed();
  }

  /** Somebody adds the bot to a private thread: the thread comes with its membership (topics/threads, thread access). */
  botAdded(thread: Channel): void {
    const body = channelBody(this.#world, thread);
    this.#dispatch('THREAD_CREATE', () => body, thread.guildId);
    const about = { id: thread.id, guild_id: thread.guildId, member_count: thread.thread?.members.size };
    this.#dispatch(
      'THREAD_MEMBERS_UPDATE',
      () => ({ ...about, added_members: [body.member] }),
      thread.guildId,
    );
  }

  /** Events about itself the bot receives without the privileged intent for members (topics/threads). */
  botTakenOut({ id, guildId, thread }: Channel): void {
    const about = { id, guild_id: guildId, member_count: thread?.members.size };
    this.#dispatch(
      'THREAD_MEMBERS_UPDATE',
      () => ({ ...about, removed_member_ids: [this.#world.bot.id] }),
      guildId,
    );
  }

  /** The bot is timed out; it receives events about itself without the privileged intent for members. */
  timedOut(guild: Guild, until: number | undefined): void {
    const { bot } = this.#world;
    const member = guild.members.get(bot.id);
    if (!member) return;
    member.timedOutUntil = until;
    this.#dispatch(
      'GUILD_MEMBER_UPDATE',
      () => ({ ...memberBody(member), user: userBody(bot), guild_id: guild.id }),
      guild.id,
    );
  }

  /** Somebody invites the bot with these permissions: the bot joins now. */
  invited(guild: Guild, permissions: bigint): void {
    this.#world.addBot(guild, { permissions, joinedAt: this.#world.clock.now() });
    this.guildCreated(guild);
  }

  /** What the bot learns of a server when it joins, or when an outage is over. */
  guildCreated(guild: Guild): void {
    guild.available = true;
    this.#dispatch('GUILD_CREATE', () => guildBody(this.#world, guild), guild.id);
  }

  /** The bot left, or was removed; the commands that it had registered there go with it (discord.js#10321). */
  guildRemoved(guild: Guild): void {
    this.#world.commands.delete(guild.id);
    guild.hasBot = true;
    this.#dispatch('GUILD_DELETE', () => ({ id: guild.id }), guild.id);
    guild.hasBot = false;
  }

  /** An outage of a server: the bot stays in it. */
  guildUnavailable(guild: Guild): void {
    guild.available = false;
    this.#dispatch('GUILD_DELETE', () => ({ id: guild.id, unavailable: true }), guild.id);
  }

  interactionCreated(data: Fields, guildId: string | undefined): void {
    this.#dispatch('INTERACTION_CREATE', () => data, guildId);
  }

  #message(name: string, message: Message): void {
    if (!this.#isHeard(message)) return;
    const channel = this.#world.channel(message.channelId);
    const guildId = guildOf(message, channel);
    const guild = guildId === undefined ? undefined : this.#world.guilds.get(guildId);
    const member = guild?.members.get(message.authorId);
    const body = messageBody(this.#world, message);
    const around = {
      channel_type: channel.type,
      ...(guild && { guild_id: guild.id }),
      ...(member && { member: memberBody(member) }),
    };
    this.#dispatch(
      name,
      (intents) => {
        const hasIntent = (intents & GatewayIntentBits.MessageContent) !== 0;
        return { ...visible(this.#world, message, body, hasIntent), ...around };
      },
      guildId,
    );
  }

  #isHeard(message: Message): boolean {
    if (message.onlyFor !== undefined) return true;
    const channel = this.#world.channel(message.channelId);
    const isElsewhere = channel.guildId !== undefined && !this.#world.guilds.get(channel.guildId)?.hasBot;
    return !isElsewhere && isHeardByBot(this.#world, channel);
  }
}

/**
 * Its server. What only one person sees the bot that wrote it is told as if it were a direct message (events/gateway-events,
 * messages; discord-api-docs#4557).
 */
function guildOf({ onlyFor }: Message, { guildId }: Channel): string | undefined {
  return onlyFor === undefined ? guildId : undefined;
}
