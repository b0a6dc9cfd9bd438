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
/** So many pages of messages are looked through at most. */
const maxPages = 20;
const pageSize = 100;

interface PostRecord {
  /** When it was about to be posted and certainly was not there: it stands there since then, or not at all. */
  readonly at: number;
  readonly message?: string;
}

/** A post that is looked for. */
interface Wanted {
  readonly nonce: string;
  readonly body: MessageBody;
  readonly files: readonly RawFile[];
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

  async #find(channel: string, at: number, wanted: Wanted): Promise<APIMessage | undefined> {
    const isIt = (message: APIMessage) => message.nonce === wanted.nonce || isSame(message, wanted);
    let after = (BigInt(at - discordEpoch - nonceMemory) << 22n).toString();
    for (let pages = 0; pages < maxPages; pages++) {
      const messages = await this.#api.messagesAfter(channel, after, pageSize);
      const found = messages.find(isIt);
      const [newest] = messages;
      if (found || !newest || messages.length < pageSize) return found;
      after = newest.id;
    }
    return undefined;
  }
}

function sizeOf(data: RawFile['data']): number {
  return typeof data === 'object' ? data.byteLength : Buffer.byteLength(String(data));
}

/** Whether a message says what was to be posted: its words, its buttons with their job, the sizes of its files. */
function isSame(message: APIMessage, { body, files }: Wanted): boolean {
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
    message.attachments.map(({ size }) => size).join() === files.map(({ data }) => sizeOf(data)).join()
  );
}
