import { MessageFlags } from 'discord-api-types/v10';
import {
  checkLength,
  type Fields,
  integerAt,
  objectAt,
  objectsAt,
  requiredTextAt,
  textAt,
} from '../http/fields.ts';
import type { UploadedFile } from '../http/form-data.ts';
import { invalidField, refusals } from '../http/refusal.ts';
import { checkMessageComponents } from './component-rules.ts';

/** Checks the embeds of a message (resources/message, embed limits): 10, and 6,000 characters in all. */
export function checkEmbeds(embeds: readonly Fields[]): void {
  checkLength(embeds.length, 'embeds', 0, 10);
  let total = 0;
  const take = (holder: Fields, name: string, max: number, path: string) => {
    total += textAt(holder, name, { max, path: `${path}.${name}` })?.length ?? 0;
  };
  embeds.forEach((embed, index) => {
    const path = `embeds.${index}`;
    take(embed, 'title', 256, path);
    take(embed, 'description', 4096, path);
    if (embed.footer) take(objectAt(embed, 'footer', `${path}.footer`), 'text', 2048, `${path}.footer`);
    if (embed.author) take(objectAt(embed, 'author', `${path}.author`), 'name', 256, `${path}.author`);
    const fields = objectsAt(embed, 'fields', `${path}.fields`);
    checkLength(fields.length, `${path}.fields`, 0, 25);
    fields.forEach((field, position) => {
      const at = `${path}.fields.${position}`;
      requiredTextAt(field, 'name', { min: 1, max: 256, path: `${at}.name` });
      requiredTextAt(field, 'value', { min: 1, max: 1024, path: `${at}.value` });
      take(field, 'name', 256, at);
      take(field, 'value', 1024, at);
    });
  });
  if (total > 6000)
    throw invalidField('embeds', 'MAX_EMBED_SIZE_EXCEEDED', 'Embed size exceeds maximum size of 6000');
}

/** The parts of a message that one request sets; undefined is untouched. */
export interface MessageContent {
  readonly content: string | undefined;
  readonly embeds: readonly Fields[] | undefined;
  readonly components: readonly Fields[] | undefined;
}

/** What's edited, and the version that the request's components are read as. */
interface Edited {
  readonly message: Pick<MessageContent, 'content' | 'embeds'>;
  readonly isReadAsVersion2: boolean;
}

/** Control characters, and those that turn the direction of a text around (resources/message, create message; discord-api-docs#1193). */
const stripped = /[^\P{Cc}\n\t]|[\u202D\u202E]/gu;

/** Reads and checks content, embeds and components; Discord strips white space at both ends of content, and some characters. */
export function readParts(
  body: Fields,
  version2: boolean,
  fileNames: ReadonlySet<string>,
  edited?: Edited,
): MessageContent {
  const content = textAt(body, 'content', { max: 2000 });
  const embeds = body.embeds === undefined ? undefined : objectsAt(body, 'embeds');
  const components = body.components === undefined ? undefined : objectsAt(body, 'components');
  if (embeds) checkEmbeds(embeds);
  if (components) checkMessageComponents(components, edited?.isReadAsVersion2 ?? version2, fileNames);
  // An edit that sets the flag has to take away what was there (resources/message, edit message).
  const words = body.content === undefined ? edited?.message.content : content;
  const cards = body.embeds === undefined ? edited?.message.embeds : embeds;
  if (version2 && (words || cards?.length || body.poll || body.sticker_ids))
    throw invalidField(
      'content',
      'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
      'Components version 2 stand alone',
    );
  return { content: body.content === null ? '' : content?.replace(stripped, '').trim(), embeds, components };
}

/** Refuses a message with nothing in it (50006). */
export function requireSomething(dependencies: MessageContent, files: number, body: Fields): void {
  if (
    !dependencies.content &&
    !dependencies.embeds?.length &&
    !dependencies.components?.length &&
    files === 0 &&
    !body.poll
  )
    throw refusals.emptyMessage();
}

/** Reads the flags of a new message; only `settable` ones may be set. */
export function readFlags(body: Fields, settable: number): number {
  const flags = integerAt(body, 'flags', { min: 0 }) ?? 0;
  if ((flags & ~settable) !== 0)
    throw invalidField(
      'flags',
      'MESSAGE_FLAGS_NOT_SETTABLE',
      `Flags ${flags & ~settable} cannot be set here.`,
    );
  return flags;
}

/** Flags a bot may set on a message it posts to a channel. */
export const channelMessageFlags =
  MessageFlags.SuppressEmbeds |
  MessageFlags.SuppressNotifications |
  MessageFlags.IsVoiceMessage |
  MessageFlags.IsComponentsV2;

/** Flags of an interaction's reply or follow-up; a deferral accepts only the ephemeral one. */
export const interactionMessageFlags = channelMessageFlags | MessageFlags.Ephemeral;

/** Checks a nonce (resources/message): at most 25 characters. */
export function readNonce(body: Fields): string | number | undefined {
  const { nonce } = body;
  if (nonce === undefined || nonce === null) return undefined;
  if (typeof nonce === 'number' && Number.isInteger(nonce)) return nonce;
  if (typeof nonce !== 'string')
    throw invalidField('nonce', 'NONCE_TYPE', 'A nonce is a string or an integer.');
  checkLength(nonce.length, 'nonce', 0, 25);
  return nonce;
}

/** Refuses files over the limit of the place (40005). */
export function checkFileSizes(files: readonly UploadedFile[], limit: number): void {
  for (const file of files) if (file.bytes.length > limit) throw refusals.tooLarge();
}

/** Addresses in a text that Discord would fetch for a preview: outside of code, not in angle brackets. */
export function unfurledLinks(content: string): readonly string[] {
  const prose = content.replace(/```[\s\S]*?(```|$)/g, ' ').replace(/`[^`\n]*`/g, ' ');
  return [...prose.matchAll(/(^|[^<])(https?:\/\/[^\s<>)\]]+)/g)].map((match) => match[2] ?? '');
}
