import type { APIMessage, RawFile } from 'discord.js';
import { PlatformError } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';
import type { MessageBody } from '../api/message-body.ts';
import { nonceOf } from '../api/nonce.ts';

const pageSize = 100;

/** A post that is looked for. */
export interface SoughtMessage {
  readonly nonce: string;
  /** What it may show, as `lookOf` tells it: what was sent first may have had other words. */
  readonly fingerprints: readonly string[];
}

/** The first message of a channel after another that fits, in so many pages of a hundred at most. */
export async function findMessageAfter(
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
export async function undefinedIfRefused<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind === 'unreachable') throw error;
    return undefined;
  }
}

/**
 * Whether a message is what was to be posted: by its nonce, which may be told only where it was sent (discord.py#2451),
 * else by what it shows.
 */
export function isMessage(message: APIMessage, { nonce, fingerprints: looks }: SoughtMessage): boolean {
  return (
    message.nonce === nonce || (message.author.bot === true && looks.includes(messageFingerprint(message)))
  );
}

/** Tells posts apart by their words, their buttons with their job, and their files; nothing can be read in it. */
export function fingerprint(
  { content = '', components = [] }: MessageBody,
  files: readonly RawFile[],
): string {
  const buttons = components.flatMap((row) => row.components.map((button) => button.custom_id));
  return look(
    content.trim(),
    buttons,
    files.map(({ name, data }) => fileLook(name, sizeOf(data))),
  );
}

/** The same of a message as Discord shows it. */
export function messageFingerprint(message: APIMessage): string {
  const buttons = (message.components ?? []).flatMap((row) =>
    'components' in row
      ? row.components.map((button) => ('custom_id' in button ? button.custom_id : ''))
      : [],
  );
  return look(
    message.content,
    buttons,
    message.attachments.map(({ filename, size }) => fileLook(filename, size)),
  );
}

function look(content: string, buttons: readonly string[], files: readonly string[]): string {
  return nonceOf(content, buttons.join(), files.join());
}

/** By its size, and its name where Discord has no reason to change that. */
function fileLook(name: string, size: number): string {
  return /^[\w.-]+$/.test(name) ? `${size} ${name}` : String(size);
}

function sizeOf(data: RawFile['data']): number {
  return typeof data === 'object' ? data.byteLength : Buffer.byteLength(String(data));
}
