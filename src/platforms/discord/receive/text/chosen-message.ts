import { type APIMessage, EmbedType } from 'discord-api-types/v10';
import type { ChosenMessage } from '../../../../port/index.ts';
import { incomingFile, shownFiles } from '../../commands/option-values.ts';
import { withoutAnyHeader } from '../../post/message-header.ts';
import { nameOf } from '../people.ts';
import { namesInQuoted } from './mention-names.ts';
import { type ReadableMessage, textOfMessage } from './message-text.ts';
import type { Reader } from './quoted-message.ts';
import { type Names, readableText } from './readable-text.ts';
import { sourcesOf } from './referenced-message.ts';

interface ReadingContext extends Pick<Reader, 'locale' | 'identity'> {
  readonly serverId: string | undefined;
  /** Of the command. */
  readonly names: Names;
  /** The bot can read the message again, and so find its files after their addresses have expired. */
  readonly botCanRead: boolean;
}

/**
 * The message of a message command. Discord gives it as a whole, without the intent MESSAGE_CONTENT too
 * (gateway, message content intent): `data.resolved.messages`.
 */
export function chosenMessage(message: APIMessage, reading: ReadingContext): ChosenMessage {
  const { author, channel_id: channelId, message_snapshots: forwarded = [] } = message;
  const { serverId, names, botCanRead } = reading;
  const isOwn = author.id === reading.identity().id;
  const said = isOwn ? { ...message, content: withoutAnyHeader(message.content) } : message;
  return {
    author: names.user(author.id) ?? nameOf(author),
    text: [said, ...forwarded.map((snapshot) => snapshot.message)]
      .map((one) => wordsOf(one, reading).trim())
      .filter(Boolean)
      .join('\n\n'),
    files: [
      ...shownFiles(message, botCanRead),
      ...forwarded.flatMap((snapshot) => snapshot.message.attachments.map(incomingFile)),
    ],
    sources: sourcesOf(message),
    link: `https://discord.com/channels/${serverId ?? '@me'}/${channelId}/${message.id}`,
  };
}

/** What a message says; without Discord's own previews of links, and what it forwards. */
function wordsOf(
  message: Pick<APIMessage, 'content' | 'embeds' | 'mentions'> &
    Partial<Pick<APIMessage, 'components' | 'poll'>>,
  { names, locale }: ReadingContext,
): string {
  const { content, embeds = [], components = [], mentions = [], poll } = message;
  const cards = embeds.filter(({ type = EmbedType.Rich }) => type === EmbedType.Rich);
  const readable: ReadableMessage = { content, embeds: cards, components, ...(poll && { poll }) };
  return readableText(textOfMessage(readable), namesInQuoted(names, mentions), locale);
}
