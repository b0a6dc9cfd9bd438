import type { RawFile } from '@discordjs/rest';
import { type APIMessage, type APIMessageTopLevelComponent, ComponentType } from 'discord-api-types/v10';
import type { BodyComponent, MessageBody } from '../../api/message-body.ts';
import { nonceOf } from '../../api/nonce.ts';

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
