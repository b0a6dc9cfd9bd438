import type { APIMessage, RawFile } from 'discord.js';
import type { MessageBody } from '../../api/message-body.ts';
import { nonceOf } from '../../api/nonce.ts';

/**
 * Tells messages apart by their text, their buttons (whose ids contain the job) and their files. A hash: what a message
 * says can't be read from it.
 */
export function fingerprint(
  { content = '', components = [] }: MessageBody,
  files: readonly RawFile[],
): string {
  const buttons = components.flatMap((row) => row.components.map((button) => button.custom_id));
  const described = files.map(({ name, data }) => describeFile(name, byteLength(data)));
  return hash(content.trim(), buttons, described);
}

/** The same of a message as Discord returns it. */
export function messageFingerprint({ content, components, attachments }: APIMessage): string {
  const buttons = (components ?? []).flatMap((row) =>
    'components' in row
      ? row.components.map((button) => ('custom_id' in button ? button.custom_id : ''))
      : [],
  );
  return hash(
    content,
    buttons,
    attachments.map(({ filename, size }) => describeFile(filename, size)),
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
