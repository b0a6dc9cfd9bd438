import type { APIMessage, RawFile } from 'discord.js';
import type Keyv from 'keyv';
import type { Clock } from '../../clock.ts';
import type { DiscordApi } from './api.ts';
import { nonceOf } from './nonce.ts';
import type { MessageBody } from './payload.ts';
import { firstAfter, isSame, nonceMemory, type Wanted } from './search.ts';

/** How long it is known what was posted. */
const recordLife = 30 * 86_400_000;
const discordEpoch = 1_420_070_400_000;
/** So many pages of messages are looked through at most. */
const maxPages = 20;

interface PostRecord {
  /** When it was about to be posted and certainly was not there: it stands there since then, or not at all. */
  readonly at: number;
  readonly message?: string;
}

/** Posts of the bot that must stand there once, however often they are sent and whatever becomes of the process. */
export class Posts {
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
  async once(channel: string, key: string, body: MessageBody, files: readonly RawFile[]): Promise<string> {
    const nonce = nonceOf(channel, key);
    const record = await this.#recordOf(nonce);
    if (record?.message !== undefined) return record.message;
    const now = this.#clock.now();
    const isForgotten = record !== undefined && now - record.at > nonceMemory;
    const found = isForgotten ? await this.#find(channel, record.at, { nonce, body, files }) : undefined;
    const at = record && !isForgotten ? record.at : now;
    if (at !== record?.at) await this.#records.set(nonce, { at }, recordLife);
    const { id } = found ?? (await this.#api.createMessage(channel, body, files, nonce));
    await this.#records.set(nonce, { at, message: id }, recordLife);
    return id;
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
    const found = await this.#find(channel, record.at, { nonce, body, files });
    if (found) await this.#records.set(nonce, { at: record.at, message: found.id }, recordLife);
    return found?.id;
  }

  async #recordOf(nonce: string): Promise<PostRecord | undefined> {
    return (await this.#records.get(nonce)) as PostRecord | undefined;
  }

  #find(channel: string, at: number, wanted: Wanted): Promise<APIMessage | undefined> {
    const after = (BigInt(at - discordEpoch - nonceMemory) << 22n).toString();
    return firstAfter(this.#api, channel, after, (message) => isSame(message, wanted), maxPages);
  }
}
