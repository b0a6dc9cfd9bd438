import { type APIAttachment, MessageFlags, RESTJSONErrorCodes } from 'discord.js';
import {
  type Address,
  type IncomingFile,
  type Message,
  type MessageAddress,
  type OutgoingFile,
  type Outlet,
  OutletError,
} from '../../port/index.ts';
import { discordWords } from '../../words/discord.ts';
import type { Download } from './download.ts';
import { codeOf, limitedFor, namingPermissions } from './errors.ts';
import type { Media } from './media/index.ts';
import type { MessageNotes } from './message-notes.ts';
import { bodyOf, maxMessageLength, textsOf, withHeader } from './payload.ts';
import type { PermissionName } from './permissions.ts';
import type { Posts } from './posts.ts';
import { requestsFor } from './reply.ts';
import { botRoute, type RouteParts, routeTo, tokenRoute } from './routes.ts';
import { channelOf, type Ticket, ticketIn, ticketOf } from './ticket.ts';
import { maxImageBytes, maxRequestBytes } from './uploads.ts';

export interface OutletParts extends RouteParts {
  readonly posts: Posts;
  readonly media: Media;
  readonly notes: MessageNotes;
  readonly download: Download;
  /** Bytes a file may have in a server; of a direct message where it is undefined. */
  readonly uploadLimit: (guildId: string) => number;
  /** The permissions that posting in a channel needs and the bot lacks, as far as that is known. */
  readonly missingIn: (channelId: string, files: boolean) => readonly string[];
  /** Which of these permissions the bot lacks in a channel, as far as that is known. */
  readonly lacking: (channelId: string, names: readonly PermissionName[]) => readonly string[];
  readonly channelName: (channelId: string) => string | undefined;
}

const maxThreadName = 100;
/** A thread's own refusals, after which its channel is tried. */
const threadShut: readonly (number | undefined)[] = [
  RESTJSONErrorCodes.UnknownChannel,
  RESTJSONErrorCodes.ThreadLocked,
  RESTJSONErrorCodes.InvalidActionOnArchivedThread,
  RESTJSONErrorCodes.MissingPermissions,
  RESTJSONErrorCodes.MissingAccess,
];

/** Posts to Discord at any time: as the bot where it is a member, by an interaction's token elsewhere. */
export class DiscordOutlet implements Outlet {
  readonly platform = 'discord';
  readonly hasPublicFiles = true;
  readonly pieces = { maxLength: maxMessageLength };
  readonly #parts: OutletParts;

  constructor(parts: OutletParts) {
    this.#parts = parts;
  }

  async post(address: Address, message: Message, key: string): Promise<MessageAddress> {
    const ticket = ticketOf(address);
    if (ticket) return this.#postByTicket(address, ticket, message, key);
    try {
      return await this.#postAsBot(address, message, key);
    } catch (error) {
      if (address.thread === undefined || !threadShut.includes(codeOf(error)))
        throw this.#named(error, address, message);
      const { thread, ...channel } = address;
      return this.#postAsBot(channel, message, key);
    }
  }

  async directMessages(_workspace: string, person: string): Promise<Address> {
    const channel = await this.#parts.api.directChannel(person);
    return { platform: 'discord', workspace: channel, channel };
  }

  async edit(message: MessageAddress, content: Message): Promise<void> {
    const [text] = textsOf(await this.#withHeader(message, content));
    await this.#edit(message, () =>
      routeTo(this.#parts, message).edit(message.message, bodyOf(text, content.buttons), []),
    );
  }

  async complete(message: MessageAddress, result: Message, key: string): Promise<MessageAddress> {
    const content = await this.#withHeader(message, result);
    const limit = await this.maxFileBytes(message, 'file');
    const requests = await requestsFor(content, limit, this.#parts.media);
    const [only, ...more] = requests;
    if (!only || more.length > 0) return this.post(message, content, key);
    try {
      await this.#edit(message, () =>
        routeTo(this.#parts, message).edit(message.message, only.body, only.files),
      );
      return message;
    } catch (error) {
      if (!isOver(error)) throw this.#named(error, message, content);
      const { message: _, ...address } = message;
      return this.post(address, content, key);
    }
  }

  /** Takes the place of the loading message; below an answer that was begun already it is added. */
  async settle(acknowledgement: Readonly<Record<string, string>>, message: Message): Promise<void> {
    const ticket = ticketIn(acknowledgement);
    if (!ticket) throw new OutletError('expired');
    const route = tokenRoute(this.#parts, ticket);
    const { flags = 0, content } = await route.get('@original');
    const begun = (flags & MessageFlags.Loading) === 0 ? content : '';
    const text = [begun, message.text].filter(Boolean).join('\n\n');
    const [whole] = textsOf({ text: text.length <= maxMessageLength ? text : begun });
    await route.edit('@original', bodyOf(whole, message.buttons), []);
  }

  async channelName(address: Address): Promise<string | undefined> {
    return this.#parts.channelName(channelOf(address));
  }

  async remove(message: MessageAddress): Promise<void> {
    await routeTo(this.#parts, message).remove(message.message);
  }

  async openThread(message: MessageAddress, name: string): Promise<Address> {
    const { message: id, ...address } = message;
    if (ticketOf(address) || address.thread !== undefined || address.workspace === address.channel)
      return address;
    // A thread that nobody could be answered in stays shut.
    if (
      this.#parts.lacking(address.channel, ['Create Public Threads', 'Send Messages in Threads']).length > 0
    )
      return address;
    const title = [...name.replace(/\s+/gu, ' ').trim()].slice(0, maxThreadName / 2).join('');
    try {
      await this.#parts.api.openThread(address.channel, id, title || id);
      return { ...address, thread: id };
    } catch (error) {
      // Somebody forbade threads here, or there are too many: the place itself will do.
      if (codeOf(error) !== undefined && !isGone(error)) return address;
      throw error;
    }
  }

  async maxFileBytes(address: Address, kind: OutgoingFile['kind']): Promise<number> {
    if (kind === 'image') return maxImageBytes;
    const limit = ticketOf(address)?.uploadLimit ?? this.#parts.uploadLimit(address.workspace);
    return Math.min(limit, maxRequestBytes);
  }

  async attachments(message: MessageAddress): Promise<readonly IncomingFile[]> {
    const { attachments } = await routeTo(this.#parts, message).get(message.message);
    const channel = ticketOf(message) ? undefined : channelOf(message);
    return attachments.map((attachment) => attachedFile(attachment, channel, message.message));
  }

  async readFile({ source }: IncomingFile, maxBytes: number): Promise<Uint8Array> {
    return this.#parts.download(await this.#addressOf(source), maxBytes);
  }

  /** The line that stands above a message's text stays when that changes. */
  async #withHeader({ message }: MessageAddress, content: Message): Promise<Message> {
    const note = await this.#parts.notes.of(message);
    return note?.header === undefined ? content : { ...content, text: withHeader(note.header, content.text) };
  }

  /** Addresses expire after a day; a message knows the present ones of its files. */
  async #addressOf(source: string): Promise<string> {
    const [, channel, message, id] = /^(\d+)\/(\d+)\/(\d+)$/.exec(source) ?? [];
    if (!channel || !message) return source;
    const { attachments } = await botRoute(this.#parts, channel).get(message);
    const attachment = attachments.find((candidate) => candidate.id === id);
    if (!attachment) throw new OutletError('gone');
    return attachment.url;
  }

  async #postAsBot(address: Address, message: Message, key: string): Promise<MessageAddress> {
    const limit = await this.maxFileBytes(address, 'file');
    let last = '';
    for (const [index, { body, files }] of (await requestsFor(message, limit, this.#parts.media)).entries()) {
      last = await this.#parts.posts.once(channelOf(address), `${key}:${index}`, body, files);
    }
    return { ...address, message: last };
  }

  /** By the token while it lives; after that as a direct message, because nobody else can post there. */
  async #postByTicket(
    address: Address,
    ticket: Ticket,
    message: Message,
    key: string,
  ): Promise<MessageAddress> {
    const { api, applicationId, clock } = this.#parts;
    if (clock.now() >= ticket.until) return this.#postDirectly(ticket, message, key);
    let last = '';
    for (const { body, files } of await requestsFor(
      message,
      await this.maxFileBytes(address, 'file'),
      this.#parts.media,
    )) {
      const flags = (body.flags ?? 0) | (ticket.hidden ? MessageFlags.Ephemeral : 0);
      last = (await api.followUp(applicationId(), ticket.token, { ...body, flags }, files)).id;
    }
    return { ...address, message: last };
  }

  async #postDirectly({ user, locale }: Ticket, message: Message, key: string): Promise<MessageAddress> {
    const channel = await this.#parts.api.directChannel(user);
    const address: Address = { platform: 'discord', workspace: channel, channel };
    const text = [discordWords(locale).fromElsewhere, message.text].filter(Boolean).join('\n');
    try {
      return await this.#postAsBot(address, { ...message, text }, key);
    } catch (error) {
      if (codeOf(error) === RESTJSONErrorCodes.CannotSendMessagesToThisUser) throw new OutletError('expired');
      throw error;
    }
  }

  /** Edits; a thread that went to sleep is woken first. */
  async #edit(message: MessageAddress, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (codeOf(error) !== RESTJSONErrorCodes.InvalidActionOnArchivedThread) throw error;
      await this.#parts.api.unarchive(channelOf(message));
      await work();
    }
  }

  #named(error: unknown, address: Address, { files = [] }: Message): unknown {
    if (ticketOf(address)) return error;
    return namingPermissions(error, () => this.#parts.missingIn(channelOf(address), files.length > 0));
  }
}

/**
 * Whether a message takes no edits any more: it is gone, or has its limit of edits for messages older than an
 * hour, which Discord tells as a rate limit without an end.
 */
function isOver(error: unknown): boolean {
  const code = codeOf(error);
  if (code === RESTJSONErrorCodes.MaximumNumberOfEditsToMessagesOlderThanOneHourReached) return true;
  return isGone(error) || isExpired(error) || limitedFor(error) !== undefined;
}

function isGone(error: unknown): boolean {
  return error instanceof OutletError && error.kind === 'gone';
}

function isExpired(error: unknown): boolean {
  return error instanceof OutletError && error.kind === 'expired';
}

/** A message's file; its source names the message where the bot can ask for it again. */
function attachedFile(attachment: APIAttachment, channel: string | undefined, message: string): IncomingFile {
  const { id, filename, content_type: contentType = '', size, url } = attachment;
  const source = channel === undefined ? url : `${channel}/${message}/${id}`;
  return { name: filename, contentType, size, url, source };
}
