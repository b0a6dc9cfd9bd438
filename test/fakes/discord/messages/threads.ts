import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Events } from '../gateway/events.ts';
import { type Fields, integerAt, requiredTextAt, textAt } from '../http/fields.ts';
import { invalidField, refusals } from '../http/refusal.ts';
import type { Channel } from '../model.ts';
import { checkTitle } from '../rules/moderation.ts';
import {
  isThreadOnly,
  permissionsIn,
  permissionToSend,
  requireBotPermissions,
} from '../rules/permissions.ts';
import type { World } from '../world.ts';

const archiveMinutes = [60, 1440, 4320, 10_080];
/** Members of a thread (opcodes-and-status-codes, 30033). */
const mostMembers = 1_000;

/** The properties of a new thread. */
interface NewThread extends Pick<Channel, 'type' | 'name'> {
  /** That of its message. */
  readonly id?: string;
  readonly ownerId: string;
  readonly autoArchiveMinutes?: number | undefined;
}

/** Threads (topics/threads), opened under a message and with its id. */
export class Threads {
  readonly #world: World;
  readonly #events: Events;

  constructor(world: World, events: Events) {
    this.#world = world;
    this.#events = events;
  }

  /** Opens the thread of a message; a second one is refused with 160004. */
  open(channel: Channel, messageId: string, body: Fields): Channel {
    requireBotPermissions(
      this.#world,
      channel,
      PermissionFlagsBits.CreatePublicThreads | PermissionFlagsBits.ReadMessageHistory,
    );
    if (channel.type !== ChannelType.GuildText && channel.type !== ChannelType.GuildAnnouncement)
      throw refusals.wrongChannelType();
    const message = this.#world.message(messageId);
    if (message.channelId !== channel.id || message.onlyFor !== undefined) throw refusals.unknownMessage();
    if (this.#world.channels.has(messageId)) throw refusals.threadExists();
    const name = requiredTextAt(body, 'name', { min: 1, max: 100 });
    if (name.trim() === '') throw invalidField('name', 'BASE_TYPE_REQUIRED', 'This field is required');
    checkTitle(this.#world, channel, name);
    this.#requireRoom(channel);
    const isText = channel.type === ChannelType.GuildText;
    const thread = this.#keep(channel, {
      id: messageId,
      type: isText ? ChannelType.PublicThread : ChannelType.AnnouncementThread,
      name,
      ownerId: this.#world.bot.id,
      autoArchiveMinutes: readArchiveMinutes(body),
    });
    this.#events.threadCreated(thread);
    return thread;
  }

  /** A person's post in a forum: a thread without a message in the forum itself. */
  openPost(forum: Channel, ownerId: string, name: string): Channel {
    if (!isThreadOnly(forum)) throw refusals.wrongChannelType();
    const post = this.#keep(forum, { type: ChannelType.PublicThread, name, ownerId });
    this.#events.threadCreated(post);
    return post;
  }

  /** A person's private thread: people and bots that were not added can't see it or write there. */
  openPrivate(channel: Channel, ownerId: string, name: string, { withBot = true } = {}): Channel {
    if (channel.type !== ChannelType.GuildText) throw refusals.wrongChannelType();
    const thread = this.#keep(channel, { type: ChannelType.PrivateThread, name, ownerId });
    if (withBot) {
      thread.thread?.members.add(this.#world.bot.id);
      this.#events.threadCreated(thread);
    }
    return thread;
  }

  /** A new thread with its owner as the only member. */
  #keep(parent: Channel, { id, type, name, ownerId, autoArchiveMinutes = 4320 }: NewThread): Channel {
    return this.#world.keepChannel({
      id: id ?? this.#world.ids.next(),
      type,
      guildId: parent.guildId,
      parentId: parent.id,
      recipients: [],
      overwrites: [],
      name,
      lastMessageId: undefined,
      messageCount: 0,
      thread: {
        ownerId,
        createdAt: this.#world.clock.now(),
        members: new Set([ownerId]),
        archived: false,
        locked: false,
        autoArchiveMinutes,
      },
    });
  }

  /** Somebody adds the bot to a private thread. */
  addBot(thread: Channel): void {
    thread.thread?.members.add(this.#world.bot.id);
    this.#events.botAdded(thread);
    this.#world.changed();
  }

  /** Somebody or a new message unarchives a thread. */
  reopen(thread: Channel): void {
    if (!thread.thread?.archived) return;
    thread.thread.archived = false;
    this.#events.threadReopened(thread);
  }

  /** The bot is removed from a thread. */
  takeOutBot(thread: Channel): void {
    thread.thread?.members.delete(this.#world.bot.id);
    this.#events.botTakenOut(thread);
    this.#world.changed();
  }

  /** A thread is deleted with its messages. */
  delete(thread: Channel): void {
    this.#events.threadDeleted(thread);
    this.#world.channels.delete(thread.id);
    this.#world.changed();
  }

  /**
   * Renames, archives or locks one of the bot's own threads, or any with MANAGE_THREADS. Only to unarchive one that isn't
   * locked takes no more than a message there does, of who is in it (topics/threads, editing & deleting threads).
   */
  edit(thread: Channel, body: Fields): Channel {
    const state = thread.thread;
    if (!state) throw refusals.wrongChannelType();
    const granted = permissionsIn(this.#world, thread, this.#world.bot.id);
    const manages = (granted & PermissionFlagsBits.ManageThreads) !== 0n;
    const maySend = (granted & permissionToSend(thread)) !== 0n;
    const onlyUnarchives = body.archived === false && Object.keys(body).length === 1;
    const isThere = state.members.has(this.#world.bot.id);
    const isOpenToAll = onlyUnarchives && maySend && isThere && !state.locked;
    if (!manages && !isOpenToAll && state.ownerId !== this.#world.bot.id) throw refusals.missingPermissions();
    if (!manages && (state.locked || body.locked !== undefined)) throw refusals.missingPermissions();
    if (state.archived && body.archived !== false) throw refusals.archivedThread();
    if (state.archived) this.#requireRoom(thread);
    thread.name = textAt(body, 'name', { min: 1, max: 100 }) ?? thread.name;
    state.autoArchiveMinutes = readArchiveMinutes(body) ?? state.autoArchiveMinutes;
    const isReopened = state.archived && body.archived === false;
    if (typeof body.archived === 'boolean') state.archived = body.archived;
    if (typeof body.locked === 'boolean') state.locked = body.locked;
    this.#world.changed();
    if (isReopened) this.#events.threadReopened(thread);
    else this.#events.threadUpdated(thread);
    return thread;
  }

  /**
   * Before the bot posts a message: an archived thread is unarchived, a locked one stays locked. Who writes there is in it from then
   * on, for which there may be no room (resources/channel, threads).
   */
  wake(thread: Channel): void {
    if (!thread.thread) return;
    const { members } = thread.thread;
    this.#requireUnlocked(thread);
    if (!members.has(this.#world.bot.id) && members.size >= mostMembers) throw refusals.tooManyInThread();
    this.unarchive(thread);
    members.add(this.#world.bot.id);
  }

  /** Before a message is posted, by whomever. */
  unarchive(thread: Channel): void {
    if (!thread.thread?.archived) return;
    this.#requireRoom(thread);
    this.reopen(thread);
  }

  /** Before anything in it is edited: an archived thread refuses with 50083, a locked one as it refuses messages. */
  requireActive(thread: Channel): void {
    this.requireUnarchived(thread);
    this.#requireUnlocked(thread);
  }

  /** The same by an interaction's token. */
  requireUnarchived(thread: Channel): void {
    if (thread.thread?.archived) throw refusals.archivedThread();
  }

  /** Before anything in it is deleted: it may be archived or locked, not both (topics/threads, locked threads). */
  requireDeletable(thread: Channel): void {
    if (!thread.thread?.archived || this.#isManager(thread)) return;
    if (thread.thread.locked || this.#world.readings.deleteInArchivedThread === 'refused')
      throw refusals.archivedThread();
  }

  /** Where too many are active none is opened or unarchived (resources/channel, threads). */
  #requireRoom({ guildId, type }: Channel): void {
    const { channels, guilds } = this.#world;
    const active = [...channels.values()].filter(
      (one) => one.guildId === guildId && one.thread?.archived === false,
    );
    if (active.length < (guilds.get(guildId ?? '')?.mostActiveThreads ?? 0)) return;
    const isAnnouncement = type === ChannelType.GuildAnnouncement || type === ChannelType.AnnouncementThread;
    throw isAnnouncement ? refusals.tooManyAnnouncementThreads() : refusals.tooManyThreads();
  }

  #requireUnlocked(thread: Channel): void {
    if (thread.thread?.locked && !this.#isManager(thread)) throw refusals.lockedThread();
  }

  #isManager(thread: Channel): boolean {
    const granted = permissionsIn(this.#world, thread, this.#world.bot.id);
    return (granted & PermissionFlagsBits.ManageThreads) !== 0n;
  }
}

function readArchiveMinutes(body: Fields): number | undefined {
  const minutes = integerAt(body, 'auto_archive_duration');
  if (minutes !== undefined && !archiveMinutes.includes(minutes))
    throw invalidField(
      'auto_archive_duration',
      'BASE_TYPE_CHOICES',
      `Value must be one of (${archiveMinutes.join(', ')}).`,
    );
  return minutes;
}
