import type { APIMessage, RawFile } from 'discord.js';
import { OutletError } from '../../port/index.ts';
import { nonceOf } from './nonce.ts';
import type { MessageBody } from './payload.ts';
import type { RouteParts } from './routes.ts';
import { firstAfter, isSame, nonceMemory, unlessRefused, type Wanted } from './search.ts';

/** So many pages of what was written since are looked through at most. */
const maxPages = 20;

/** A message of which nobody knows whether it's there. */
interface Unseen {
  /** When it was sent first, by the steady clock. */
  readonly since: number;
  /** What it would show: a growing answer is longer each time it's sent. */
  readonly sent: Wanted[];
}

/**
 * The messages with which the bot itself answers an event, each of them once: Discord recognises what is sent again for
 * some minutes, and after that it's looked for first. Lasts as long as the answer; what a process that dies leaves is
 * found by the recovery.
 */
export class AnswerPosts {
  readonly #parts: Pick<RouteParts, 'api' | 'clock'>;
  readonly #eventId: string;
  readonly #unseen = new Map<string, Unseen>();
  /** The newest message of the answer that is known; what is looked for stands below it. */
  #newest: string;

  /** `eventId` is Discord's id of the event: a snowflake, like those of messages. */
  constructor(parts: Pick<RouteParts, 'api' | 'clock'>, eventId: string) {
    this.#parts = parts;
    this.#eventId = eventId;
    this.#newest = eventId;
  }

  /** Posts in a channel; `name` is the same where the same message is sent again. */
  async write(
    channel: string,
    name: string,
    body: MessageBody,
    files: readonly RawFile[],
  ): Promise<APIMessage> {
    const wanted = { nonce: nonceOf(this.#eventId, name), body, files };
    const key = `${channel} ${name}`;
    const message = (await this.#found(channel, key)) ?? (await this.#sent(channel, key, wanted));
    this.#unseen.delete(key);
    this.#newest = message.id;
    return message;
  }

  /** Looks for what Discord may not recognise any more. */
  async #found(channel: string, key: string): Promise<APIMessage | undefined> {
    const { api, clock } = this.#parts;
    const unseen = this.#unseen.get(key);
    if (!unseen || clock.steady() - unseen.since <= nonceMemory) return undefined;
    const fits = (message: APIMessage) => unseen.sent.some((one) => isSame(message, one));
    const found = await unlessRefused(firstAfter(api, channel, this.#newest, fits, maxPages));
    this.#unseen.delete(key);
    return found;
  }

  async #sent(channel: string, key: string, wanted: Wanted): Promise<APIMessage> {
    const { api, clock } = this.#parts;
    const unseen = this.#unseen.get(key) ?? { since: clock.steady(), sent: [] };
    unseen.sent.push(wanted);
    this.#unseen.set(key, unseen);
    try {
      return await api.createMessage(channel, wanted.body, wanted.files, wanted.nonce);
    } catch (error) {
      if (isRefusal(error)) unseen.sent.pop();
      if (unseen.sent.length === 0) this.#unseen.delete(key);
      throw error;
    }
  }
}

/** Whether Discord said that it wasn't posted. */
function isRefusal(error: unknown): boolean {
  return error instanceof OutletError && error.kind !== 'unreachable';
}
