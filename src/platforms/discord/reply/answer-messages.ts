import type { RawFile } from '@discordjs/rest';
import type { APIMessage } from 'discord-api-types/v10';
import { isLocal } from '../../../lib/local-faults.ts';
import { refusalOf, undefinedIfRefused } from '../../../port/index.ts';
import { LeaseEndedError } from '../../../store/index.ts';
import { type MessageBody, nonceLifetime, nonceOf } from '../api/message-body.ts';
import type { Pace } from '../api/rate-limits.ts';
import { findMessageAfter, fingerprint, isMessage } from '../post/records/find-message.ts';
import type { DiscordServices } from '../post/services.ts';
import type { MessageName } from './reply-target.ts';

type Services = Pick<DiscordServices, 'api' | 'clock' | 'postedMessages' | 'unlessTakenOver'>;

/** Pages of newer messages that are searched at most. */
const maxPages = 20;

/** A message of a growing answer as it's sent. */
interface AnswerMessage {
  readonly channel: string;
  /** The same if it's sent again. */
  readonly key: string;
  readonly nonce: string;
  readonly body: MessageBody;
  readonly files: readonly RawFile[];
}

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
  async post(
    channel: string,
    name: MessageName,
    body: MessageBody,
    files: readonly RawFile[],
    pace?: Pace,
  ): Promise<string> {
    if (typeof name !== 'string') return this.#postRecorded(channel, name.key, body, files);
    const nonce = nonceOf(this.#eventId, name);
    const key = `${channel} ${name}`;
    const { id } =
      (await this.#find(channel, key, nonce)) ??
      (await this.#send({ channel, key, nonce, body, files }, pace));
    this.#unconfirmed.delete(key);
    this.#newest = id;
    return id;
  }

  /** If this machine can't write the record, the nonce alone prevents a second message: people needn't wait for that. */
  async #postRecorded(
    channel: string,
    key: string,
    body: MessageBody,
    files: readonly RawFile[],
  ): Promise<string> {
    const { api, postedMessages } = this.#services;
    try {
      return await postedMessages.postOnce(channel, key, body, files);
    } catch (error) {
      if (!isLocal(error) || error instanceof LeaseEndedError) throw error;
      return (await api.createMessage(channel, body, files, nonceOf(channel, key))).id;
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

  async #send(
    { channel, key, nonce, body, files }: AnswerMessage,
    pace: Pace | undefined,
  ): Promise<APIMessage> {
    const { api, clock, unlessTakenOver } = this.#services;
    const unconfirmed = this.#unconfirmed.get(key) ?? { since: clock.steady(), fingerprints: [] };
    unconfirmed.fingerprints.push(fingerprint(body, files));
    this.#unconfirmed.set(key, unconfirmed);
    const life = nonceLifetime - (clock.steady() - unconfirmed.since);
    try {
      const paced = { ...pace, beforeSending: unlessTakenOver };
      return await api.createMessage(channel, body, files, nonce, life, paced);
    } catch (error) {
      // Discord said that it was not posted.
      if (refusalOf(error)) unconfirmed.fingerprints.pop();
      if (unconfirmed.fingerprints.length === 0) this.#unconfirmed.delete(key);
      throw error;
    }
  }
}
