import { ChannelType, MessageFlags, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Events } from '../gateway/events.ts';
import { type Fields, isFields } from '../http/fields.ts';
import type { UploadedFile } from '../http/form-data.ts';
import { refusals } from '../http/refusal.ts';
import type { Channel, Interaction, Message, MessageState } from '../model.ts';
import { checkGalleryByEdit, displayedTexts } from '../rules/gallery-rules.ts';
import { faultyCommandMentions, pingsOf } from '../rules/mention-rules.ts';
import {
  channelMessageFlags,
  checkFileSizes,
  readFlags,
  readNonce,
  readParts,
  requireSomething,
  unfurledLinks,
} from '../rules/message-rules.ts';
import { checkModeration } from '../rules/moderation.ts';
import { permissionsIn } from '../rules/permissions.ts';
import { checkVoiceMessage } from '../rules/voice-rules.ts';
import type { World } from '../world.ts';
import { filesAfterEdit, storeFiles } from './files.ts';

const nonceMemory = 5 * 60_000;
const lateAfter = 60 * 60_000;
/** Edits of a published message in an hour. */
const publishedEdits = 3;

/** The origin of a new message. */
export interface Draft {
  readonly channel: Channel;
  readonly body: Fields;
  readonly uploads: readonly UploadedFile[];
  readonly settableFlags?: number;
  readonly extraFlags?: number;
  readonly interaction?: Interaction;
  readonly onlyFor?: string;
  readonly uploadLimit: number;
}

/** Creates, edits and deletes the bot's messages under Discord's rules. */
export class Messages {
  readonly #world: World;
  readonly #events: Events;
  /** How many edits a message older than an hour accepts; Discord doesn't publish the number. */
  lateEditLimit = 5;

  constructor(world: World, events: Events) {
    this.#world = world;
    this.#events = events;
  }

  /** Posts the bot's message; the same enforced nonce returns the first message again. */
  create(draft: Draft): Message {
    const { body, channel } = draft;
    const nonce = readNonce(body);
    const earlier = body.enforce_nonce === true ? this.#withNonce(nonce) : undefined;
    if (earlier) return earlier;
    const flags = readFlags(body, draft.settableFlags ?? channelMessageFlags) | (draft.extraFlags ?? 0);
    checkFileSizes(draft.uploads, draft.uploadLimit);
    if (flags & MessageFlags.IsVoiceMessage) checkVoiceMessage(body, draft.uploads);
    const names = new Set(draft.uploads.map((upload) => upload.name));
    const parts = readParts(body, (flags & MessageFlags.IsComponentsV2) !== 0, names);
    requireSomething(parts, draft.uploads.length, body);
    checkModeration(this.#world, channel, { ...parts, files: draft.uploads.length });
    const replyTo = this.#referenced(body, channel);
    const files = storeFiles(this.#world, channel.id, body, draft.uploads);
    const state = this.#state({ channel, flags, files, ...parts }, body.allowed_mentions, replyTo);
    return this.#keep({ ...draft, nonce, replyTo }, state);
  }

  /** Stores a message without checks: a person's own, or a loading message. */
  keepUnchecked(
    draft: Pick<Message, 'channelId' | 'authorId'> & Partial<Message>,
    state: Partial<MessageState>,
  ): Message {
    const message: Message = {
      content: '',
      embeds: [],
      components: [],
      files: [],
      flags: 0,
      mentions: [],
      mentionRoles: [],
      mentionEveryone: false,
      unfurled: [],
      nonce: undefined,
      replyTo: undefined,
      interactionId: undefined,
      onlyFor: undefined,
      id: this.#world.ids.next(),
      createdAt: this.#world.clock.now(),
      history: [],
      editedAt: undefined,
      lateEdits: 0,
      deleted: false,
      ...state,
      ...draft,
    };
    this.#world.messages.set(message.id, message);
    const channel = this.#world.channel(message.channelId);
    channel.lastMessageId = message.id;
    channel.messageCount += 1;
    this.#world.changed();
    this.#events.messageCreated(message);
    return message;
  }

  /** Edits a message; `settable` are the flags an edit may change, the others stay. */
  edit(message: Message, body: Fields, uploads: readonly UploadedFile[], uploadLimit: number): Message {
    if (message.authorId !== this.#world.bot.id) throw refusals.notYourMessage();
    if (message.flags & MessageFlags.IsVoiceMessage) throw refusals.voiceNotEditable();
    this.#countLateEdit(message);
    this.#countPublishedEdit(message);
    checkFileSizes(uploads, uploadLimit);
    const flags = editedFlags(message.flags, body.flags);
    const files = filesAfterEdit(this.#world, message.channelId, body, uploads, message.files);
    const isVersion2 = (flags & MessageFlags.IsComponentsV2) !== 0;
    const names = new Set(files.map((file) => file.name));
    // Components are read by the flags that come with them (discord-net/Discord.Net#3132).
    const isReadAsVersion2 =
      typeof body.flags === 'number' ? (body.flags & MessageFlags.IsComponentsV2) !== 0 : isVersion2;
    const parts = readParts(body, isVersion2, names, { message, isReadAsVersion2 });
    if (isVersion2) checkGalleryByEdit(this.#world.readings, parts.components, uploads);
    const merged = {
      content: parts.content ?? message.content,
      embeds: parts.embeds ?? message.embeds,
      components: parts.components ?? message.components,
    };
    requireSomething(merged, files.length, body);
    const channel = this.#world.channel(message.channelId);
    checkModeration(this.#world, channel, { ...merged, files: uploads.length }, 'edits');
    const state = this.#state({ channel, flags, files, ...merged }, body.allowed_mentions);
    this.change(message, state);
    return message;
  }

  /** Its author changes a person's message. */
  change(message: Message, state: Partial<MessageState>): void {
    message.history.push(stateOf(message));
    Object.assign(message, state, { editedAt: this.#world.clock.now() });
    this.#world.changed();
    this.#events.messageUpdated(message);
  }

  /**
   * A message of an announcement channel is published: no reply, and no answer to a command (resources/message, crosspost
   * message; discord.js: crosspostable).
   */
  publish(message: Message): void {
    const { type } = this.#world.channel(message.channelId);
    const isPlain = !message.replyTo && !message.interactionId && !message.forwardOf;
    if (type !== ChannelType.GuildAnnouncement || !isPlain) throw new Error('It can’t be published');
    message.published = { edits: [] };
    message.flags |= MessageFlags.Crossposted;
    this.#world.changed();
    this.#events.messageUpdated(message);
  }

  /** The copy of a published message in a channel that follows its own, by a webhook. */
  copy(source: Message, channel: Channel): Message {
    const webhook = this.#world.addUser(`Analysts #${this.#world.channel(source.channelId).name}`, {
      bot: true,
    });
    const from = { channelId: channel.id, authorId: webhook.id, copyOf: source.id };
    return this.keepUnchecked(from, { content: source.content, flags: MessageFlags.IsCrosspost });
  }

  /** Its copies elsewhere stay, and say so (resources/message, message flags). */
  delete(message: Message): void {
    message.deleted = true;
    this.#world.changed();
    this.#events.messageDeleted(message);
    for (const copy of this.#world.messages.values()) {
      if (copy.copyOf !== message.id || copy.deleted) continue;
      const flags = copy.flags | MessageFlags.SourceMessageDeleted;
      Object.assign(copy, { content: '[Original Message Deleted]', flags });
      this.#events.messageUpdated(copy);
    }
  }

  /** All at once, in one channel of a server. */
  deleteTogether(messages: readonly Message[]): void {
    for (const message of messages) message.deleted = true;
    this.#world.changed();
    this.#events.messagesDeleted(messages);
  }

  #withNonce(nonce: string | number | undefined): Message | undefined {
    if (nonce === undefined) return undefined;
    const since = this.#world.clock.now() - nonceMemory;
    const known = [...this.#world.messages.values()].filter(
      (message) =>
        message.nonce === nonce && message.authorId === this.#world.bot.id && message.createdAt > since,
    );
    const standing = known.find(({ deleted }) => !deleted);
    if (!standing && known.length > 0 && this.#world.readings.nonceOfDeleted === 'refused')
      throw refusals.unknownMessage();
    return standing;
  }

  #referenced(body: Fields, channel: Channel): Message | undefined {
    const reference = body.message_reference;
    if (!isFields(reference)) return undefined;
    // Whether or not the message is there, and whatever fail_if_not_exists says (resources/message).
    const granted = permissionsIn(this.#world, channel, this.#world.bot.id);
    if ((granted & PermissionFlagsBits.ReadMessageHistory) === 0n) throw refusals.replyNeedsHistory();
    const message = this.#world.messages.get(String(reference.message_id));
    if (!message || message.deleted || message.channelId !== channel.id || message.onlyFor !== undefined) {
      if (reference.fail_if_not_exists === false) return undefined;
      throw refusals.unknownMessage();
    }
    return message;
  }

  #state(
    parts: {
      channel: Channel;
      flags: number;
      files: MessageState['files'];
      content: string | undefined;
      embeds: readonly Fields[] | undefined;
      components: readonly Fields[] | undefined;
    },
    allowedMentions: unknown,
    replyTo?: Message,
  ): MessageState {
    const content = parts.content ?? '';
    this.#world.misuses.push(...faultyCommandMentions(this.#world, parts.channel, content));
    const words = [content, ...displayedTexts(parts.components ?? [])].join('\n');
    const pings = pingsOf(this.#world, parts.channel, words, allowedMentions, replyTo);
    return {
      content,
      embeds: parts.embeds ?? [],
      components: parts.components ?? [],
      files: parts.files,
      flags: parts.flags & ~MessageFlags.Loading,
      mentions: pings.users,
      mentionRoles: pings.roles,
      mentionEveryone: pings.everyone,
      unfurled: this.#isPreviewed(parts) ? unfurledLinks(content) : [],
    };
  }

  /** Links without Embed Links have no preview (topics/permissions); of apps that aren't members that is uncertain. */
  #isPreviewed({ channel, flags }: { readonly channel: Channel; readonly flags: number }): boolean {
    if ((flags & (MessageFlags.SuppressEmbeds | MessageFlags.IsComponentsV2)) !== 0) return false;
    const { bot, guilds } = this.#world;
    if (!guilds.get(channel.guildId ?? '')?.members.has(bot.id)) return true;
    return (permissionsIn(this.#world, channel, bot.id) & PermissionFlagsBits.EmbedLinks) !== 0n;
  }

  #keep(
    draft: Draft & { nonce: string | number | undefined; replyTo: Message | undefined },
    state: MessageState,
  ): Message {
    return this.keepUnchecked(
      {
        channelId: draft.channel.id,
        authorId: this.#world.bot.id,
        nonce: draft.nonce,
        replyTo: draft.replyTo?.id,
        interactionId: draft.interaction?.id,
        onlyFor: draft.onlyFor,
      },
      state,
    );
  }

  /** Three an hour; the response says only in its body when the next one is taken (discord-api-docs#2258, #6109). */
  #countPublishedEdit({ published }: Message): void {
    if (!published) return;
    const now = this.#world.clock.now();
    const { edits } = published;
    while (edits[0] !== undefined && edits[0] <= now - lateAfter) edits.shift();
    const [oldest] = edits;
    if (oldest !== undefined && edits.length >= publishedEdits)
      throw refusals.tooManyPublishedEdits((oldest + lateAfter - now) / 1000);
    edits.push(now);
  }

  #countLateEdit(message: Message): void {
    if (this.#world.clock.now() - message.createdAt <= lateAfter) return;
    const limit = this.#world.readings.lateEdit === 'works' ? this.lateEditLimit : 0;
    if (message.lateEdits >= limit) throw refusals.tooManyLateEdits();
    message.lateEdits += 1;
  }
}

function editedFlags(present: number, asked: unknown): number {
  if (typeof asked !== 'number') return present;
  const editable = MessageFlags.SuppressEmbeds | MessageFlags.IsComponentsV2;
  const once = present & MessageFlags.IsComponentsV2;
  return (present & ~editable) | (asked & editable) | once;
}

function stateOf(message: Message): MessageState {
  const { content, embeds, components, files, flags, mentions, mentionRoles, mentionEveryone, unfurled } =
    message;
  return { content, embeds, components, files, flags, mentions, mentionRoles, mentionEveryone, unfurled };
}
