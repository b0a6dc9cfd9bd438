import type { APIMessage, RawFile } from 'discord.js';
import { isLocal } from '../../../lib/local-faults.ts';
import { PlatformError } from '../../../port/index.ts';
import type { PostingDependencies } from '../api/message-access.ts';
import type { MessageBody } from '../api/message-body.ts';
import { nonceMemory, nonceOf } from '../api/nonce.ts';
import { findMessageAfter, fingerprint, isMessage, undefinedIfRefused } from '../post/find-message.ts';
import type { MessageName } from './reply-target.ts';

/** So many pages of what was written since are looked through at most. */
const maxPages = 20;

/** A message of which nobody knows whether it's there. */
interface Unseen {
  /** When it was sent first, by the steady clock. */
  readonly since: number;
  /** What it would show: a growing answer is longer each time it's sent. */
  readonly looks: string[];
}

/**
 * The messages with which the bot itself answers an event, each of them once: Discord recognises what is sent again for
 * some minutes, and after that it's looked for first. What is known of a growing answer's lasts as long as that; what a
 * process that dies leaves is found by the recovery.
 */
export class AnswerMessages {
  readonly #dependencies: Pick<PostingDependencies, 'api' | 'clock' | 'postedMessages'>;
  readonly #eventId: string;
  readonly #unseen = new Map<string, Unseen>();
  /** The newest message of the answer that is known; what is looked for stands below it. */
  #newest: string;

  /** `eventId` is Discord's id of the event: a snowflake, like those of messages. */
  constructor(dependencies: Pick<PostingDependencies, 'api' | 'clock' | 'postedMessages'>, eventId: string) {
    this.#dependencies = dependencies;
    this.#eventId = eventId;
    this.#newest = eventId;
  }

  /** Posts in a channel; `name` is the same where the same message is sent again. Answers the message's id. */
  async post(
    channel: string,
    name: MessageName,
    body: MessageBody,
    files: readonly RawFile[],
  ): Promise<string> {
    if (typeof name !== 'string') return this.#kept(channel, name.key, body, files);
    const nonce = nonceOf(this.#eventId, name);
    const key = `${channel} ${name}`;
    const { id } =
      (await this.#found(channel, key, nonce)) ?? (await this.#sent(channel, key, nonce, body, files));
    this.#unseen.delete(key);
    this.#newest = id;
    return id;
  }

  /** Where this machine can't put it on record, it's known by its nonce alone: people need not wait for that. */
  async #kept(channel: string, key: string, body: MessageBody, files: readonly RawFile[]): Promise<string> {
    const { api, postedMessages: posts } = this.#dependencies;
    try {
      return await posts.postOnce(channel, key, body, files);
    } catch (error) {
      if (!isLocal(error)) throw error;
      return (await api.createMessage(channel, body, files, nonceOf(channel, key))).id;
    }
  }

  /** Looks for what Discord may not recognise any more. */
  async #found(channel: string, key: string, nonce: string): Promise<APIMessage | undefined> {
    const { api, clock } = this.#dependencies;
    const unseen = this.#unseen.get(key);
    if (!unseen || clock.steady() - unseen.since < nonceMemory) return undefined;
    const fits = (message: APIMessage) => isMessage(message, { nonce, fingerprints: unseen.looks });
    const found = await undefinedIfRefused(findMessageAfter(api, channel, this.#newest, fits, maxPages));
    this.#unseen.delete(key);
    return found;
  }

  async #sent(
    channel: string,
    key: string,
    nonce: string,
    body: MessageBody,
    files: readonly RawFile[],
  ): Promise<APIMessage> {
    const { api, clock } = this.#dependencies;
    const unseen = this.#unseen.get(key) ?? { since: clock.steady(), looks: [] };
    unseen.looks.push(fingerprint(body, files));
    this.#unseen.set(key, unseen);
    const life = nonceMemory - (clock.steady() - unseen.since);
    try {
      return await api.createMessage(channel, body, files, nonce, life);
    } catch (error) {
      if (isRefusal(error)) unseen.looks.pop();
      if (unseen.looks.length === 0) this.#unseen.delete(key);
      throw error;
    }
  }
}

/** Whether Discord said that it wasn't posted. */
function isRefusal(error: unknown): boolean {
  return error instanceof PlatformError && error.kind !== 'unreachable';
}
