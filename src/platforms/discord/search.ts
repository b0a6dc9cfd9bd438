import type { APIMessage, RawFile } from 'discord.js';
import { OutletError } from '../../port/index.ts';
import type { DiscordApi } from './api.ts';
import type { MessageBody } from './payload.ts';

/** For how long Discord surely knows a nonce, in milliseconds: it says "the past few minutes". */
export const nonceMemory = 2 * 60_000;
const pageSize = 100;

/** A post that is looked for. */
export interface Wanted {
  readonly nonce: string;
  readonly body: MessageBody;
  readonly files: readonly RawFile[];
}

/** The first message of a channel after another that fits, in so many pages of a hundred at most. */
export async function firstAfter(
  api: Pick<DiscordApi, 'messagesAfter'>,
  channel: string,
  after: string,
  fits: (message: APIMessage) => boolean,
  maxPages: number,
): Promise<APIMessage | undefined> {
  let from = after;
  for (let page = 0; page < maxPages; page++) {
    const messages = await api.messagesAfter(channel, from, pageSize);
    const found = messages.findLast(fits);
    const [newest] = messages;
    if (found || !newest || messages.length < pageSize) return found;
    from = newest.id;
  }
  return undefined;
}

/** What may not be read is not found. */
export async function unlessRefused<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof OutletError) || error.kind === 'unreachable') throw error;
    return undefined;
  }
}

/**
 * Whether a message is what was to be posted: by its nonce, which may be told only where it was sent (discord.py#2451),
 * else by its words, its buttons with their job, and the sizes of its files.
 */
export function isSame(message: APIMessage, { nonce, body, files }: Wanted): boolean {
  if (message.nonce === nonce) return true;
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

function sizeOf(data: RawFile['data']): number {
  return typeof data === 'object' ? data.byteLength : Buffer.byteLength(String(data));
}
