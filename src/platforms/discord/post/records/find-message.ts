import type { RawFile } from '@discordjs/rest';
import { type APIMessage, type APIMessageTopLevelComponent, ComponentType } from 'discord-api-types/v10';
import type { DiscordApi } from '../../api/api.ts';
import { type BodyComponent, type MessageBody, nonceOf } from '../../api/message-body.ts';

const pageSize = 100;

/** What is known of a message that is searched for. */
export interface SoughtMessage {
  readonly nonce: string;
  /** The fingerprints it may have: its text may have differed when it was sent first. */
  readonly fingerprints: readonly string[];
}

/** The first message of a channel after the one of this id that matches, searched in at most `maxPages` of a hundred. */
export async function findMessageAfter(
  api: Pick<DiscordApi, 'messagesAfter'>,
  channel: string,
  after: string,
  matches: (message: APIMessage) => boolean,
  maxPages: number,
): Promise<APIMessage | undefined> {
  let from = after;
  for (let page = 0; page < maxPages; page++) {
    const messages = await api.messagesAfter(channel, from, pageSize);
    const found = messages.findLast(matches);
    const [newest] = messages;
    if (found || !newest || messages.length < pageSize) return found;
    from = newest.id;
  }
  return undefined;
}

/**
 * Whether a message is the one searched for: by its nonce, which Discord may return only to the request that sent it
 * (discord.py#2451), else by its fingerprint.
 */
export function isMessage(message: APIMessage, { nonce, fingerprints }: SoughtMessage): boolean {
  return (
    message.nonce === nonce ||
    (message.author.bot === true && fingerprints.includes(messageFingerprint(message)))
  );
}

/**
 * Tells messages apart by their text, their buttons (whose ids contain the job) and their files. Of those in a gallery
 * Discord tells too little. A hash: what a message says can't be read from it.
 */
export function fingerprint({ content, components = [] }: MessageBody, files: readonly RawFile[]): string {
  const isGallery = components.some(({ type }) => type === ComponentType.MediaGallery);
  const described = isGallery ? [] : files.map(({ name, data }) => describeFile(name, byteLength(data)));
  return hash(textOf(content, components), buttonsOf(components), described);
}

/** The same of a message as Discord returns it. */
export function messageFingerprint({ content, components = [], attachments }: APIMessage): string {
  const files = attachments.map(({ filename, size }) => describeFile(filename, size));
  return hash(textOf(content, components), buttonsOf(components), files);
}

type Component = BodyComponent | APIMessageTopLevelComponent;

function textOf(content: string | null | undefined, components: readonly Component[]): string {
  const texts = components.map((one) => (one.type === ComponentType.TextDisplay ? one.content : ''));
  return [content, ...texts].filter(Boolean).join('\n').trim();
}

function buttonsOf(components: readonly Component[]): readonly string[] {
  return components.flatMap((row) =>
    row.type === ComponentType.ActionRow
      ? row.components.map((button) => ('custom_id' in button ? button.custom_id : ''))
      : [],
  );
}

function hash(content: string, buttons: readonly string[], files: readonly string[]): string {
  return nonceOf(content, buttons.join(), files.join());
}

/** By its size, and by its name if Discord has no reason to change that. */
function describeFile(name: string, size: number): string {
  return /^[\w.-]+$/.test(name) ? `${size} ${name}` : String(size);
}

function byteLength(data: RawFile['data']): number {
  return typeof data === 'object' ? data.byteLength : Buffer.byteLength(String(data));
}
