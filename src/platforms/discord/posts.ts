import type { APIMessage, RawFile } from 'discord.js';
import type Keyv from 'keyv';
import type { Clock } from '../../clock.ts';
import type { DiscordApi } from './api.ts';
import { nonceOf } from './nonce.ts';
import type { MessageBody } from './payload.ts';

/** For how long Discord surely knows a nonce: it says "the past few minutes". */
const nonceMemory = 2 * 60_000;
/** How long it is known what was posted. */
const recordLife = 30 * 86_400_000;
const discordEpoch = 1_420_070_400_000;

interface PostRecord {
  /** When it was first about to be posted. */
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
    const record = (await this.#records.get(nonce)) as PostRecord | undefined;
    if (record?.message !== undefined) return record.message;
    const at = record?.at ?? this.#clock.now();
    if (!record) await this.#records.set(nonce, { at }, recordLife);
    const found =
      this.#clock.now() - at > nonceMemory ? await this.#find(channel, at, body, nonce) : undefined;
    const { id } = found ?? (await this.#api.createMessage(channel, body, files, nonce));
    await this.#records.set(nonce, { at, message: id }, recordLife);
    return id;
  }

  async #find(
    channel: string,
    at: number,
    body: MessageBody,
    nonce: string,
  ): Promise<APIMessage | undefined> {
    const before = BigInt(at - discordEpoch - nonceMemory) << 22n;
    const messages = await this.#api.messagesAfter(channel, before.toString());
    return messages.find((message) => message.nonce === nonce || isSame(message, body));
  }
}

/** Whether a message says what was to be posted: its words, its buttons with their job, its files. */
function isSame(message: APIMessage, body: MessageBody): boolean {
  const wanted = (body.components ?? []).flatMap((row) => row.components.map((button) => button.custom_id));
  const shown = (message.components ?? []).flatMap((row) =>
    'components' in row
      ? row.components.map((button) => ('custom_id' in button ? button.custom_id : ''))
      : [],
  );
  return (
    message.author.bot === true &&
    message.content === (body.content ?? '').trim() &&
    shown.join() === wanted.join() &&
    message.attachments.length === (body.attachments?.length ?? 0)
  );
}
