import type { APIAttachment, APIMessage, APIMessageSnapshot, Message } from 'discord.js';
import { ownMessage, type Quote, repliedTo } from '../../../../conversation/index.ts';
import type { Locale } from '../../../../port/index.ts';
import { withoutHeader } from '../../post/message-header.ts';
import type { RememberedMessages } from '../../post/records/remembered-messages.ts';
import { namesInQuoted } from './mention-names.ts';
import { type ReadableMessage, textOfMessage } from './message-text.ts';
import { readableText } from './readable-text.ts';

/** Who reads a message. */
export interface Reader {
  /** The bot's own id. */
  readonly me: string;
  readonly locale: Locale;
  readonly rememberedMessages: Pick<RememberedMessages, 'find'>;
}

/** The message that another one replies to, as a quote; what was made for people tells from what. */
export async function quotedMessage(
  reply: Message,
  replied: APIMessage,
  { me, locale, rememberedMessages }: Reader,
): Promise<Quote> {
  const { author, application_id: application } = replied;
  const isOwn = author.id === me || application === reply.client.application?.id;
  const header = isOwn ? (await rememberedMessages.find(replied.id))?.header : undefined;
  const said = withoutHeader(header, textOfMessage(replied));
  const files = filesOf(replied).map((file) => aboutFile(file, isOwn));
  const names = namesInQuoted(reply, replied.mentions);
  const name = author.global_name ?? author.username;
  const whose = isOwn ? ownMessage : `message from ${name}${author.bot ? ' (a bot)' : ''}`;
  return { title: `${whose}${repliedTo}`, text: linesOf(readableText(said, names, locale), files, replied) };
}

/** A message that another one forwards, as a quote; Discord doesn't tell who wrote it. */
export function quotedForward(
  forward: Message,
  { message: forwarded }: APIMessageSnapshot,
  locale: Locale,
): Quote {
  const said = readableText(textOfMessage(forwarded), namesInQuoted(forward, forwarded.mentions), locale);
  const files = forwarded.attachments.map((file) => aboutFile(file, false));
  return { title: 'forwarded message', text: linesOf(said, files, forwarded) };
}

function linesOf(
  said: string,
  files: readonly string[],
  { sticker_items: stickers = [] }: ReadableMessage,
): string {
  return [said, ...files, ...stickers.map(({ name }) => `[sticker: ${name}]`)].filter(Boolean).join('\n');
}

/** The files of a message and of those it forwards. */
export function filesOf({
  attachments,
  message_snapshots: snapshots = [],
}: APIMessage): readonly APIAttachment[] {
  return [attachments, ...snapshots.map(({ message }) => message.attachments)].flat();
}

/** The bot describes what it makes by its prompt. */
function aboutFile(
  { filename, content_type: type = '', description }: APIAttachment,
  isOwn: boolean,
): string {
  const kind = /^(?:image|video|audio)(?=\/)/.exec(type)?.[0] ?? 'file';
  if (isOwn && description) return `[${kind} made from: ${description}]`;
  return `[${kind}: ${filename}${description ? `, ${description}` : ''}]`;
}
