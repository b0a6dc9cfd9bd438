import { type APIPoll, EmbedType, type Message, type MessageSnapshot } from 'discord.js';
import type { ChosenMessage, Locale } from '../../../../port/index.ts';
import { incomingFile, shownFiles } from '../../commands/option-values.ts';
import { withoutAnyHeader } from '../../post/message-header.ts';
import { namesInMessage } from './mention-names.ts';
import { type ReadableMessage, textOfMessage } from './message-text.ts';
import { readableText } from './readable-text.ts';

interface ReadingContext {
  readonly guildId: string | null;
  readonly locale: Locale;
  /** The bot can read the message again, and so find its files after their addresses have expired. */
  readonly botCanRead: boolean;
}

/**
 * The message of a message command. Discord gives it as a whole, without the intent MESSAGE_CONTENT too
 * (gateway, message content intent): `data.resolved.messages`.
 */
export function chosenMessage(
  message: Message,
  { guildId, locale, botCanRead }: ReadingContext,
): ChosenMessage {
  const { author, member, client } = message;
  const forwarded = [...message.messageSnapshots.values()];
  const own = author.id === client.user.id;
  const readable = readableOf(message);
  const text = textOfMessage({ ...readable, ...(own && { content: withoutAnyHeader(message.content) }) });
  const quoted = forwarded.map((snapshot) => forwardedText(message, snapshot, locale));
  return {
    author: member?.displayName ?? author.displayName,
    text: [readableText(text, namesInMessage(message), locale), ...quoted]
      .map((words) => words.trim())
      .filter(Boolean)
      .join('\n\n'),
    files: [
      ...shownFiles(message, botCanRead),
      ...forwarded.flatMap(({ attachments }) => [...(attachments?.values() ?? [])].map(incomingFile)),
    ],
    link: `https://discord.com/channels/${guildId ?? '@me'}/${message.channelId}/${message.id}`,
  };
}

function forwardedText(message: Message, snapshot: MessageSnapshot, locale: Locale): string {
  const known = namesInMessage(message);
  const { users } = snapshot.mentions ?? {};
  const names = { ...known, user: (id: string) => users?.get(id)?.displayName ?? known.user(id) };
  return readableText(textOfMessage(readableOf(snapshot)), names, locale);
}

/** What a message says, as the API has it; without Discord's own previews of links. */
function readableOf({
  content,
  embeds,
  components,
  poll,
}: Partial<Pick<Message | MessageSnapshot, 'content' | 'embeds' | 'components' | 'poll'>>): ReadableMessage {
  const cards = (embeds ?? []).map(({ data }) => data);
  return {
    content: content ?? '',
    embeds: cards.filter(({ type = EmbedType.Rich }) => type === EmbedType.Rich),
    components: (components ?? []).map((component) => component.toJSON()) as NonNullable<
      ReadableMessage['components']
    >,
    ...(poll && {
      poll: {
        question: { text: poll.question.text },
        answers: [...poll.answers.values()].map(({ id, text }) => ({
          answer_id: id,
          poll_media: { text: text ?? '' },
        })),
      } as APIPoll,
    }),
  };
}
