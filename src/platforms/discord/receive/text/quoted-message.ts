import type { APIAttachment, APIMessage, APIMessageSnapshot } from 'discord-api-types/v10';
import { ownMessage, type Quote, repliedTo } from '../../../../conversation/index.ts';
import type { Locale } from '../../../../port/index.ts';
import type { Identity } from '../../connection/own-application.ts';
import { withoutHeader } from '../../post/message-header.ts';
import type { RememberedMessages } from '../../post/remembered.ts';
import { nameOf } from '../people.ts';
import { namesInQuoted } from './mention-names.ts';
import { type ReadableMessage, textOfMessage } from './message-text.ts';
import { type Names, readableText } from './readable-text.ts';
import { forwardedSources, sourcesOf } from './referenced-message.ts';

/** Who reads a message. */
export interface Reader {
  readonly identity: () => Identity;
  readonly locale: Locale;
  readonly rememberedMessages: Pick<RememberedMessages, 'find'>;
}

/** The message that another one replies to, as a quote; what was made for people tells from what. `names`: the other's. */
export async function quotedMessage(
  names: Names,
  replied: APIMessage,
  { identity, locale, rememberedMessages }: Reader,
): Promise<Quote> {
  const { id: me, applicationId } = identity();
  const { author, application_id: application } = replied;
  const isOwn = author.id === me || application === applicationId;
  const header = isOwn ? (await rememberedMessages.find(replied.id))?.header : undefined;
  const said = withoutHeader(header, textOfMessage(replied));
  const files = filesOf(replied).map((file) => aboutFile(file, isOwn));
  const name = nameOf(author);
  const whose = isOwn ? ownMessage : `message from ${name}${author.bot ? ' (a bot)' : ''}`;
  const text = readableText(said, namesInQuoted(names, replied.mentions), locale);
  return {
    title: `${whose}${repliedTo}`,
    text: linesOf(text, files, replied),
    sources: sourcesOf(replied),
  };
}

/** What a message forwards, as quotes; Discord doesn't tell who wrote it. `names`: the message's own. */
export function quotedForwards(names: Names, message: APIMessage, locale: Locale): readonly Quote[] {
  const { message_snapshots: forwarded = [] } = message;
  const sources = forwardedSources(message);
  return forwarded.map((snapshot) => ({ ...quotedForward(names, snapshot, locale), sources }));
}

function quotedForward(names: Names, { message: forwarded }: APIMessageSnapshot, locale: Locale): Quote {
  const said = readableText(textOfMessage(forwarded), namesInQuoted(names, forwarded.mentions), locale);
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
