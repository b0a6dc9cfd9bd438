import type { APIMessage } from 'discord-api-types/v10';
import { isLocal } from '../../../lib/local-faults.ts';
import {
  type Address,
  type LoadingRecords,
  type MessageAddress,
  refusalOf,
  undefinedIfRefused,
} from '../../../port/index.ts';
import { LeaseEndedError } from '../../../store/index.ts';
import { channelIdOf, type MessageContent, nonceLifetime, nonceOf } from '../api/messages.ts';
import { channelBucket } from '../api/rate-limits.ts';
import { accessAsBot, type MessageRequest } from '../post/message-access.ts';
import { findMessageAfter, fingerprint, isMessage } from '../post/posted-messages.ts';
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

type Services = Pick<DiscordServices, 'api' | 'clock' | 'postedMessages' | 'unlessTakenOver'>;

/** Pages of newer messages that are searched at most. */
const maxPages = 20;

/** A message that was sent and may or may not be there. */
interface UnconfirmedMessage {
  /** When it was first sent, by the steady clock. */
  readonly since: number;
  /** What it may look like: a growing answer is longer each time it's sent. */
  readonly fingerprints: string[];
}

/**
 * The messages with which the bot, as itself, answers an event; each is posted once. Discord recognises one that is
 * sent again for some minutes; after that it's searched for first. For a growing answer this is known only as long as
 * the process lives; what a dead process leaves behind is found by recovery.
 */
export class AnswerMessages {
  readonly #services: Services;
  readonly #eventId: string;
  readonly #unconfirmed = new Map<string, UnconfirmedMessage>();
  /** The newest known message of the answer: one that is searched for comes after it. */
  #newest: string;

  /** `eventId` is Discord's id of the event, a snowflake as those of messages are. */
  constructor(services: Services, eventId: string) {
    this.#services = services;
    this.#eventId = eventId;
    this.#newest = eventId;
  }

  /** Posts in a channel and returns the message's id; `name` is the same if the same message is sent again. */
  async post(channel: string, name: MessageName, content: MessageContent): Promise<string> {
    if (typeof name !== 'string') return this.#postRecorded(channel, name.key, content);
    const nonce = nonceOf(this.#eventId, name);
    const key = `${channel} ${name}`;
    const { id } =
      (await this.#find(channel, key, nonce)) ?? (await this.#send(channel, key, nonce, content));
    this.#unconfirmed.delete(key);
    this.#newest = id;
    return id;
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

  /** Searches for a message that Discord may not recognise any more. */
  async #find(channel: string, key: string, nonce: string): Promise<APIMessage | undefined> {
    const { api, clock } = this.#services;
    const unconfirmed = this.#unconfirmed.get(key);
    if (!unconfirmed || clock.steady() - unconfirmed.since < nonceLifetime) return undefined;
    const { fingerprints } = unconfirmed;
    const matches = (message: APIMessage) => isMessage(message, { nonce, fingerprints });
    const found = await undefinedIfRefused(findMessageAfter(api, channel, this.#newest, matches, maxPages));
    this.#unconfirmed.delete(key);
    return found;
  }

  /** `key` is the same if it's sent again. */
  async #send(
    channel: string,
    key: string,
    nonce: string,
    { body, files = [], pace }: MessageContent,
  ): Promise<APIMessage> {
    const { api, clock, unlessTakenOver } = this.#services;
    const unconfirmed = this.#unconfirmed.get(key) ?? { since: clock.steady(), fingerprints: [] };
    unconfirmed.fingerprints.push(fingerprint(body, files));
    this.#unconfirmed.set(key, unconfirmed);
    const life = nonceLifetime - (clock.steady() - unconfirmed.since);
    try {
      const paced = { body, files, pace: { ...pace, beforeSending: unlessTakenOver } };
      return await api.createMessage(channel, paced, nonce, life);
    } catch (error) {
      // Discord said that it was not posted.
      if (refusalOf(error)) unconfirmed.fingerprints.pop();
      if (unconfirmed.fingerprints.length === 0) this.#unconfirmed.delete(key);
      throw error;
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
