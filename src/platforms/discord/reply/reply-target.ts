import type { APIMessage } from 'discord-api-types/v10';
import { type Clock, every } from '../../../lib/clock.ts';
import { isLocal } from '../../../lib/local-faults.ts';
import { type Address, type LoadingRecords, type MessageAddress, refusalOf } from '../../../port/index.ts';
import { LeaseEndedError } from '../../../store/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { asReplyTo, channelIdOf, type MessageContent, nonceOf } from '../api/messages.ts';
import { channelBucket } from '../api/rate-limits.ts';
import { accessAsBot, type MessageRequest } from '../post/message-access.ts';
import { PostedMessages, recordsInMemory } from '../post/posted-messages.ts';
import type { DiscordServices } from '../post/services.ts';

/** Identifies a message of an answer, so that it's recognised if it's sent again. */
export type MessageName =
  /** A message of a growing answer. */
  | string
  /** A finished message: the keys it's posted under in its channel and directly, also by a late delivery of the same. */
  | { readonly key: string; readonly directKey: string };

/** Where one answer is written, one message after the other. */
export interface ReplyTarget {
  /**
   * Writes the answer's next message; the first one ends the loading state. `name` is the same if the same message is
   * sent again: it's then posted once.
   */
  write(name: MessageName, request: MessageRequest): Promise<MessageAddress>;
  /** Edits a message of the answer. */
  edit(message: MessageAddress, request: MessageRequest): Promise<APIMessage>;
  /** Writes a message that only the requester sees. */
  whisper(request: MessageRequest): Promise<void>;
  /**
   * Does work that uploads files, with the bytes that one file may have. It's called again with a lower limit if
   * Discord turns out to accept less, so it has to continue where it stopped.
   */
  uploadWithin<T>(work: (limit: number) => Promise<T>): Promise<T>;
  /** Where its messages are. */
  readonly address: Address;
  /** Where the bot can post as itself for everyone to see, which a voice message needs; undefined if it can't. */
  readonly voiceAddress: Address | undefined;
  /** The id of the message that a voice message replies to, so that people see what it belongs to; undefined if unknown. */
  answeredMessage(): Promise<string | undefined>;
  /** See the port's `Reply`; absent where nothing stands for the answer. */
  recordLoading?(records: LoadingRecords): Promise<void>;
  /** Takes that away, unless an answer has replaced it. */
  discard?(): Promise<void>;
  /** When writing here ends, in milliseconds since the epoch; undefined if it doesn't. */
  readonly closesAt: number | undefined;
  /** Whether only the requester sees its messages; what can't be written here any more comes as a direct message. */
  readonly hidden?: boolean;
  /** The rate limit bucket that the next edit, or the next new message, counts in. */
  bucket(kind: 'edit' | 'post'): string;
  /** The same, but its first message is written into one that's there, or below it. Absent if it never is. */
  rewriting?(message: MessageAddress, isBelow: boolean): ReplyTarget;
  /** Identifies the answer, so that its requests are recognised if they are sent again. */
  readonly key: string;
}

type Services = Pick<DiscordServices, 'api' | 'identity' | 'clock' | 'postedMessages' | 'unlessTakenOver'>;

/** The messages with which the bot, as itself, answers an event; each is posted once. */
export class AnswerMessages {
  readonly #services: Services;
  readonly #eventId: string;
  /**
   * Those of a growing answer are known for as long as the process lives; what a dead process leaves behind is found by
   * recovery.
   */
  readonly #growing: PostedMessages;
  /** The newest known one of them: one that is searched for comes after it. */
  #newest: string;

  /** `eventId` is Discord's id of the event, a snowflake as those of messages are. */
  constructor(services: Services, eventId: string) {
    const { unlessTakenOver } = services;
    this.#services = services;
    this.#eventId = eventId;
    this.#newest = eventId;
    this.#growing = new PostedMessages(recordsInMemory(), services, { expectLiving: unlessTakenOver });
  }

  /** Posts in a channel and returns the message's id; `name` is the same if the same message is sent again. */
  async post(channel: string, name: MessageName, content: MessageContent): Promise<string> {
    if (typeof name !== 'string') return this.#postRecorded(channel, name.key, content);
    const known = { nonce: nonceOf(this.#eventId, name), after: this.#newest };
    this.#newest = await this.#growing.postOnce(channel, name, content, known);
    return this.#newest;
  }

  /** If this machine can't write the record, the nonce alone prevents a second message: people needn't wait for that. */
  async #postRecorded(channel: string, key: string, content: MessageContent): Promise<string> {
    const { api, postedMessages } = this.#services;
    try {
      return await postedMessages.postOnce(channel, key, content);
    } catch (error) {
      if (!isLocal(error) || error instanceof LeaseEndedError) throw error;
      return (await api.createMessage(channel, content, nonceOf(channel, key))).id;
    }
  }
}

/** Writes an answer for everyone as the bot: into a message that's there, and goes on below it. */
export class RewriteTarget implements ReplyTarget {
  readonly key: string;
  readonly closesAt = undefined;
  readonly voiceAddress = undefined;
  readonly answeredMessage = async () => undefined;
  readonly address: Address;
  readonly #services: DiscordServices;
  readonly #press: ReplyTarget;
  readonly #messages: AnswerMessages;
  /** The message, until something is written into it. */
  #free: MessageAddress | undefined;

  /** `isBelow`: the message takes no edits, so everything is written below it. */
  constructor(services: DiscordServices, press: ReplyTarget, message: MessageAddress, isBelow: boolean) {
    const { message: _, ...address } = message;
    this.address = address;
    this.key = press.key;
    this.#services = services;
    this.#press = press;
    this.#messages = new AnswerMessages(services, press.key);
    this.#free = isBelow ? undefined : message;
  }

  async write(name: MessageName, request: MessageRequest): Promise<MessageAddress> {
    const into = this.#free;
    if (into) {
      await this.edit(into, request);
      this.#free = undefined;
      return into;
    }
    return { ...this.address, message: await this.#messages.post(this.#channel, name, request) };
  }

  edit({ message }: MessageAddress, request: MessageRequest): Promise<APIMessage> {
    return accessAsBot(this.#services, this.#channel).edit(message, request);
  }

  whisper(request: MessageRequest): Promise<void> {
    return this.#press.whisper(request);
  }

  uploadWithin<T>(work: (limit: number) => Promise<T>): Promise<T> {
    return this.#press.uploadWithin(work);
  }

  bucket(kind: 'edit' | 'post'): string {
    return channelBucket(this.#free ? 'edit' : kind, this.#channel);
  }

  get #channel(): string {
    return channelIdOf(this.address);
  }
}

/** A message somebody wrote to the bot. */
interface IncomingMessage {
  readonly id: string;
  /** What's said is posted under; its id where left out. */
  readonly key?: string;
  readonly userId: string;
  readonly address: Address;
  /** False if the bot is known to lack Read Message History, which a reply needs. */
  readonly canReply: boolean;
  /** It's answered directly, not where it was written: under the keys of direct messages. */
  readonly isElsewhere?: boolean;
}

/** Answers a message; the first message of the answer is a reply to it, if Discord allows that. */
export class MessageReplyTarget implements ReplyTarget {
  readonly key: string;
  readonly closesAt = undefined;
  readonly #services: DiscordServices;
  readonly #message: IncomingMessage;
  readonly #messages: AnswerMessages;
  #onFirstMessage = () => {};
  /** Whether the next message is to be a reply. */
  #replies: boolean;

  constructor(services: DiscordServices, message: IncomingMessage) {
    this.#services = services;
    this.#message = message;
    this.#replies = message.canReply;
    this.key = message.key ?? message.id;
    this.#messages = new AnswerMessages(services, message.id);
  }

  /** Calls `listener` when the first message is posted. */
  onFirstMessage(listener: () => void): void {
    this.#onFirstMessage = listener;
  }

  /** Whether the next message shows what it replies to. */
  get replies(): boolean {
    return this.#replies;
  }

  uploadWithin<T>(work: (limit: number) => Promise<T>): Promise<T> {
    return this.#services.uploadLimits.retryWithLowerLimits(this.#message.address, work);
  }

  get address(): Address {
    return this.#message.address;
  }

  get voiceAddress(): Address {
    return this.#message.address;
  }

  async answeredMessage(): Promise<string | undefined> {
    return this.#message.isElsewhere ? undefined : this.#message.id;
  }

  bucket(kind: 'edit' | 'post'): string {
    return channelBucket(kind, this.#channel);
  }

  get #channel(): string {
    return channelIdOf(this.#message.address);
  }

  async write(name: MessageName, request: MessageRequest): Promise<MessageAddress> {
    const id = await this.#post(name, request);
    this.#replies = false;
    this.#onFirstMessage();
    return { ...this.#message.address, message: id };
  }

  /** As a reply first, if that's allowed. */
  #post(given: MessageName, { body, files, pace }: MessageRequest): Promise<string> {
    const isDirectly = this.#message.isElsewhere === true && typeof given !== 'string';
    const name = isDirectly ? { ...given, key: given.directKey } : given;
    const post = (content: MessageContent) => this.#messages.post(this.#channel, name, content);
    if (!this.#replies) return post({ body, files, pace });
    return asReplyTo(this.#message.id, (reply) =>
      post({ body: { ...body, ...reply }, files, pace: reply && pace }),
    );
  }

  edit({ message }: MessageAddress, request: MessageRequest): Promise<APIMessage> {
    return accessAsBot(this.#services, this.#channel).edit(message, request);
  }

  /** As a direct message: without an interaction nothing in a channel can be shown to one person only. */
  async whisper({ body, files }: MessageRequest): Promise<void> {
    const { api } = this.#services;
    const channel = await api.directChannel(this.#message.userId);
    await api.createMessage(channel, { body, files }, nonceOf(this.key, 'whisper', body.content ?? ''));
  }
}

/** Milliseconds; Discord shows the indicator for ten seconds. */
const renewAfter = 8_000;
/** Milliseconds after which it stops in any case. */
const longest = 5 * 60_000;

/**
 * Shows the typing indicator in a channel until the returned function is called, if that holds nothing else up. Failures are
 * ignored.
 */
export function showTyping(api: DiscordApi, clock: Clock, channel: string): () => void {
  const end = clock.steady() + longest;
  const show = () => {
    if (clock.steady() >= end) return stop();
    api.typing(channel, { urgency: 'optional' }).catch((error: unknown) => refusalOf(error) && stop());
  };
  const stop = every(clock, renewAfter, show);
  show();
  return stop;
}
