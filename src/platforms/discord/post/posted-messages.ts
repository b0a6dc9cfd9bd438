import type { APIMessage, RawFile } from 'discord.js';
import type Keyv from 'keyv';
import type { Clock } from '../../../lib/clock.ts';
import type { DiscordApi } from '../api/api.ts';
import type { MessageBody } from '../api/message-body.ts';
import { nonceMemory, nonceOf } from '../api/nonce.ts';
import { findMessageAfter, fingerprint, isMessage, type SoughtMessage } from './find-message.ts';

/** How long it is known what was posted. */
const recordLife = 30 * 86_400_000;
const discordEpoch = 1_420_070_400_000;
/** So many pages of messages are looked through at most. */
const maxPages = 20;
/** So many of the forms in which one was sent are remembered. */
const maxLooks = 8;

/** The key of one of the messages that a message of the port takes. */
export function partKey(key: string, index: number): string {
  return `${key}:${index}`;
}

interface PostRecord {
  /** When it was about to be posted and certainly was not there: it stands there since then, or not at all. */
  readonly at: number;
  readonly message?: string;
  /** What it showed when it was sent (`lookOf`): who sends it later may have other words for the same. */
  readonly looks?: readonly string[];
}

/** Posts of the bot that must stand there once, however often they are sent and whatever becomes of the process. */
export class PostedMessages {
  readonly #records: Keyv;
  readonly #api: DiscordApi;
  readonly #clock: Clock;

  constructor(records: Keyv, api: DiscordApi, clock: Clock) {
    this.#records = records;
    this.#api = api;
    this.#clock = clock;
  }

  /**
   * Posts under a key, or answers which message it was. On record before and after: a post whose end nobody saw
   * is known to Discord by its nonce for some minutes, and is looked for in the channel later.
   */
  async postOnce(
    channel: string,
    key: string,
    body: MessageBody,
    files: readonly RawFile[],
  ): Promise<string> {
    const nonce = nonceOf(channel, key);
    const record = await this.#recordOf(nonce);
    if (record?.message !== undefined) return record.message;
    const now = this.#clock.now();
    const looks = [...new Set([...(record?.looks ?? []), fingerprint(body, files)])].slice(-maxLooks);
    const age = record ? now - record.at : 0;
    const isForgotten = age < 0 || age >= nonceMemory;
    const at = record && !isForgotten ? record.at : now;
    const found =
      record && isForgotten
        ? await this.#find(channel, record.at, { nonce, fingerprints: looks })
        : undefined;
    if (!found) await this.#records.set(nonce, { at, looks } satisfies PostRecord, recordLife);
    const life = nonceMemory - (now - at);
    const { id } = found ?? (await this.#api.createMessage(channel, body, files, nonce, life));
    await this.#records.set(nonce, { at, message: id } satisfies PostRecord, recordLife);
    return id;
  }

  /** The message that stands there under a key, as far as that is on record. */
  async idOf(channel: string, key: string): Promise<string | undefined> {
    return (await this.#recordOf(nonceOf(channel, key)))?.message;
  }

  /** Notes that a message of the port is about to be posted whose first part has a key of its own. */
  async markStarted(channel: string, key: string): Promise<void> {
    await this.#records.set(
      nonceOf(channel, key),
      { at: this.#clock.now() } satisfies PostRecord,
      recordLife,
    );
  }

  /** Whether a message of the port was posted under a key, or was about to be: it may stand there. */
  async isStarted(channel: string, key: string): Promise<boolean> {
    const records = await Promise.all(
      [key, partKey(key, 0)].map((of) => this.#recordOf(nonceOf(channel, of))),
    );
    return records.some((record) => record !== undefined);
  }

  /** The message that a former process posted under a key, or was about to: by what is on record of how it looked. */
  async findStarted(channel: string, key: string): Promise<APIMessage | undefined> {
    const nonce = nonceOf(channel, key);
    const record = await this.#recordOf(nonce);
    if (record?.message !== undefined) return this.#api.message(channel, record.message);
    return record && this.#find(channel, record.at, { nonce, fingerprints: record.looks ?? [] });
  }

  /** Looks for a post whose end nobody saw; undefined where it does not stand in the channel. */
  async find(
    channel: string,
    key: string,
    body: MessageBody,
    files: readonly RawFile[],
  ): Promise<string | undefined> {
    const nonce = nonceOf(channel, key);
    const record = await this.#recordOf(nonce);
    if (!record || record.message !== undefined) return record?.message;
    const looks = [...(record.looks ?? []), fingerprint(body, files)];
    const found = await this.#find(channel, record.at, { nonce, fingerprints: looks });
    if (found) await this.#records.set(nonce, { at: record.at, message: found.id }, recordLife);
    return found?.id;
  }

  async #recordOf(nonce: string): Promise<PostRecord | undefined> {
    return (await this.#records.get(nonce)) as PostRecord | undefined;
  }

  #find(channel: string, at: number, wanted: SoughtMessage): Promise<APIMessage | undefined> {
    const since = Math.min(at, this.#clock.now());
    const after = (BigInt(since - discordEpoch - nonceMemory) << 22n).toString();
    return findMessageAfter(this.#api, channel, after, (message) => isMessage(message, wanted), maxPages);
  }
}
