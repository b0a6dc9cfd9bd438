import { messageSource, ownMessage, type Quote } from '../../../conversation/index.ts';
import {
  isSharedMessage,
  type MessageAttachment,
  type MessageFile,
  type SlackMessage,
  sharedSources,
} from '../incoming/slack-message.ts';
import { mentionedUsers, type NameOf, withoutMention, writtenText } from '../markup/incoming-text.ts';

/** Who is who in a thread, and where that is. */
export interface Names {
  readonly channel: string;
  /** The first id of a channel that has had several. */
  readonly firstId: (channel: string) => string;
  readonly nameOf: NameOf;
  /** The bot's own user. */
  readonly botUser: string;
}

const nameless = 'somebody';

/** The messages of a thread as quotes, oldest first; the root is the one with the thread's time stamp. */
export function quotedMessages(
  messages: readonly SlackMessage[],
  root: string,
  names: Names,
): readonly Quote[] {
  return messages.map((message) => {
    const isRoot = message.ts === root;
    const title = `${authorOf(message, names)}${isRoot ? ', which began this thread' : ''}`;
    return {
      title,
      text: textOf(message, names),
      sources: sourcesOf(message, names),
      ...(isRoot && { keep: 'first' as const }),
    };
  });
}

/** What a quote of a message is forgotten with: the message itself, and those that it shares. */
export function sourcesOf(
  { ts, attachments = [] }: Pick<SlackMessage, 'ts' | 'attachments'>,
  { channel, firstId }: Pick<Names, 'channel' | 'firstId'>,
): readonly string[] {
  return [
    messageSource('slack', ts, channel),
    ...attachments.filter(isSharedMessage).flatMap((shared) => sharedSources(shared, firstId)),
  ];
}

/** Messages that somebody shared with theirs, as quotes. */
export function quotedShares({ attachments = [] }: SlackMessage, names: Names): readonly Quote[] {
  return attachments.filter(isSharedMessage).map((shared) => ({
    title: sharedBy(shared),
    text: attachmentText(shared, names),
    sources: sharedSources(shared, names.firstId),
  }));
}

/** Ids of the people in messages: who wrote them and whom they mention. */
export function peopleIn(messages: readonly SlackMessage[]): readonly string[] {
  const texts = messages.flatMap(({ text = '', attachments = [] }) => [
    text,
    ...attachments.map((one) => one.text ?? ''),
  ]);
  const authors = messages.flatMap(({ user }) => (user === undefined ? [] : [user]));
  return [...new Set([...authors, ...texts.flatMap(mentionedUsers)])];
}

function authorOf(
  { user = '', bot_id, bot_profile, username }: SlackMessage,
  { nameOf, botUser }: Names,
): string {
  if (user === botUser) return ownMessage;
  if (bot_id === undefined) return `message from ${nameOf(user) ?? nameless}`;
  return `message from ${username ?? bot_profile?.name ?? nameOf(user) ?? nameless} (a bot)`;
}

function textOf({ text = '', attachments = [], files = [] }: SlackMessage, names: Names): string {
  const shared = attachments.map((attachment) => {
    const said = attachmentText(attachment, names);
    return isSharedMessage(attachment) ? `[${sharedBy(attachment)}: ${said}]` : said;
  });
  return [written(text, names), ...shared, ...files.map(aboutFile)].filter(Boolean).join('\n');
}

function sharedBy({ author_name: name, author_subname: subname }: MessageAttachment): string {
  return `shared message from ${name || subname || nameless}`;
}

function attachmentText(
  { pretext, title, text, fallback, files = [] }: MessageAttachment,
  names: Names,
): string {
  const said = [pretext, title, text].filter(Boolean).join('\n') || (fallback ?? '');
  return [written(said, names), ...files.map(aboutFile)].filter(Boolean).join('\n');
}

function written(text: string, { nameOf, botUser }: Names): string {
  return writtenText(withoutMention(text, botUser), nameOf).trim();
}

function aboutFile({ name = 'without a name', mimetype = '' }: MessageFile): string {
  const kind = /^(?:image|video|audio)(?=\/)/.exec(mimetype)?.[0] ?? 'file';
  return `[${kind}: ${name}]`;
}
