import type { APIMessage } from 'discord-api-types/v10';
import { type Clock, every } from '../../../lib/clock.ts';
import { type Address, type MessageAddress, refusalOf } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { asReplyTo, channelIdOf, type MessageContent, nonceOf } from '../api/messages.ts';
import { channelBucket } from '../api/rate-limits.ts';
import { accessAsBot, type MessageRequest } from '../post/message-access.ts';
import type { DiscordServices } from '../post/services.ts';
import { AnswerMessages, type MessageName, type ReplyTarget } from './reply-target.ts';

/** A message somebody wrote to the bot. */
export interface IncomingMessage {
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
