import {
  type APIMessage,
  type APIPollAnswer,
  EmbedType,
  MessageReferenceType,
  MessageType,
} from 'discord-api-types/v10';
import {
  messageSource,
  ownMessage,
  placeSource,
  type Quote,
  repliedTo,
} from '../../../conversation/index.ts';
import {
  type ChosenMessage,
  type CommandAbout,
  type IncomingFile,
  type Locale,
  takenFiles,
  undefinedIfFailed,
} from '../../../port/index.ts';
import { withoutMachineNotes } from '../../../words/index.ts';
import { writtenTypes } from '../api/api.ts';
import { areSnowflakes, linkToMessage } from '../api/messages.ts';
import { type Identity, isOwnMessage } from '../connection/own-application.ts';
import { filesShownIn, incomingFile, type ShownFile, shownFiles, typeOf } from '../media/attached-files.ts';
import { withoutAnyHeader, withoutHeader } from '../post/message-header.ts';
import type { DiscordServices, RememberedMessages } from '../post/services.ts';
import { nameOf } from '../servers/server.ts';
import { type Names, namesInQuoted, readableText } from './readable-text.ts';

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
  const { author } = replied;
  const isOwn = isOwnMessage(replied, identity());
  const header = isOwn ? (await rememberedMessages.find(replied.id))?.header : undefined;
  const shown = withoutHeader(header, textOfMessage(replied));
  const said = isOwn ? withoutMachineNotes(shown) : shown;
  const files = filesOf(replied).map((file) => aboutFile(file, isOwn));
  const name = nameOf(author);
  const whose = isOwn ? ownMessage : `message from ${name}${author.bot ? ' (a bot)' : ''}`;
  const text = readableText(said, namesInQuoted(names, replied.mentions), locale);
  return {
    title: `${whose}${repliedTo}`,
    text: linesOf(text, files),
    sources: sourcesOf(replied),
  };
}

/** What a message forwards, as quotes; Discord doesn't tell who wrote it. `names`: the message's own. */
export function quotedForwards(names: Names, message: APIMessage, locale: Locale): readonly Quote[] {
  const { message_snapshots: forwarded = [] } = message;
  const sources = forwardedSources(message);
  return forwarded.map(({ message: said }) => {
    const text = readableText(textOfMessage(said), namesInQuoted(names, said.mentions), locale);
    const files = filesShownIn(said).map((file) => aboutFile(file, false));
    return { title: 'forwarded message', text: linesOf(text, files), sources };
  });
}

function linesOf(said: string, files: readonly string[]): string {
  return [said, ...files].filter(Boolean).join('\n');
}

/** The files of a message and of those it forwards. */
export function filesOf(message: APIMessage): readonly ShownFile[] {
  const { message_snapshots: snapshots = [] } = message;
  return [message, ...snapshots.map((snapshot) => snapshot.message)].flatMap(filesShownIn);
}

/** The bot describes what it makes by its prompt. */
function aboutFile(file: ShownFile, isOwn: boolean): string {
  const { filename, description } = file;
  const kind = /^(?:image|video|audio)(?=\/)/.exec(typeOf(file))?.[0] ?? 'file';
  if (isOwn && description) return `[${kind} made from: ${description}]`;
  return `[${kind}: ${filename}${description ? `, ${description}` : ''}]`;
}

/** What can be read of a message or of one that's forwarded. */
export type ReadableMessage = Partial<
  Pick<
    APIMessage,
    | 'type'
    | 'author'
    | 'content'
    | 'attachments'
    | 'embeds'
    | 'components'
    | 'sticker_items'
    | 'poll'
    | 'message_snapshots'
  >
>;

/**
 * The words of a message, wherever they stand: content, embeds, components, a poll, forwarded messages; what a sticker is called,
 * and a notice of Discord's.
 */
export function textOfMessage(message: ReadableMessage): string {
  const { content, embeds = [], components = [], poll, message_snapshots: snapshots = [] } = message;
  const { sticker_items: stickers = [] } = message;
  const pieces = [
    ...noticeIn(message),
    content,
    ...textsIn(components),
    ...embeds.flatMap(({ author, title, description, fields = [] }) => [
      author?.name,
      title,
      description,
      ...fields.map(({ name, value }) => `${name}: ${value}`),
    ]),
    ...(poll ? [poll.question.text, ...poll.answers.map((answer) => `- ${pollAnswer(answer)}`)] : []),
    ...stickers.map(({ name }) => `[sticker: ${name}]`),
    ...snapshots.map((snapshot) => textOfMessage(snapshot.message)),
  ];
  return pieces.filter(Boolean).join('\n');
}

/** An emoji, words, or both; an emoji of a server's by its name, which it hasn't once it's deleted there. */
function pollAnswer({ poll_media: { text, emoji } }: APIPollAnswer): string {
  const sign = emoji?.id && emoji.name ? `:${emoji.name}:` : emoji?.name;
  return [sign, text].filter(Boolean).join(' ');
}

/** Which of Discord's notices a message is: clients say it in words of their own. What a thread begins with is somebody's message. */
function noticeIn({ type = MessageType.Default }: ReadableMessage): readonly string[] {
  const isNotice = type !== MessageType.ThreadStarterMessage && !writtenTypes.includes(type);
  // Discord adds types.
  const name: string | undefined = MessageType[type];
  return isNotice ? [name === undefined ? '[notice]' : `[notice: ${name}]`] : [];
}

/** The texts of components of version 2, in their order, nested ones too. */
function textsIn(components: readonly object[]): string[] {
  return components.flatMap((component) => {
    const own = 'content' in component && typeof component.content === 'string' ? [component.content] : [];
    const nested =
      'components' in component && Array.isArray(component.components) ? component.components : [];
    return [...own, ...textsIn(nested)];
  });
}

/** The id of the message that another one replies to; undefined for a forward. */
export function repliedMessageId({
  message_reference: reference,
}: Pick<APIMessage, 'message_reference'>): string | undefined {
  const { type = MessageReferenceType.Default, message_id: id } = reference ?? {};
  return type === MessageReferenceType.Default && areSnowflakes(id) ? id : undefined;
}

/** What a quote of what a message forwards is forgotten with: the message that was forwarded, and its channel or thread. */
export function forwardedSources({
  message_reference: reference,
}: Pick<APIMessage, 'message_reference'>): readonly string[] {
  const { type, message_id: id, channel_id: channel } = reference ?? {};
  if (type !== MessageReferenceType.Forward) return [];
  return [
    ...(id !== undefined && areSnowflakes(id) ? [messageSource('discord', id)] : []),
    ...(channel !== undefined && areSnowflakes(channel) ? [placeSource('discord', channel)] : []),
  ];
}

/** What a quote of a message is forgotten with: the message itself, and what it forwards. */
export function sourcesOf(message: Pick<APIMessage, 'id' | 'message_reference'>): readonly string[] {
  return [messageSource('discord', message.id), ...forwardedSources(message)];
}

/**
 * The message that another one replies to: as it came with the event, else read from the channel; `withheld` if Discord
 * doesn't show what it says, which it does without the intent MESSAGE_CONTENT (events/gateway), or if it's gone.
 */
export async function referencedMessage(
  { api, gateway }: Pick<DiscordServices, 'api' | 'gateway'>,
  message: APIMessage,
): Promise<APIMessage | 'withheld' | undefined> {
  const id = repliedMessageId(message);
  if (id === undefined) return undefined;
  const { channel_id: channelId, referenced_message: fromEvent } = message;
  if (fromEvent?.id === id && saysSomething(fromEvent)) return fromEvent;
  if (gateway.missingPermissions(channelId, ['View Channels', 'Read Message History']).length > 0)
    return 'withheld';
  const read = await undefinedIfFailed(api.message(channelId, id));
  return read && saysSomething(read) ? read : 'withheld';
}

/** Whether a message shows anything: without the intent, Discord empties all it can say. */
export function saysSomething(message: ReadableMessage): boolean {
  const { content, attachments, embeds, components, sticker_items, message_snapshots, poll } = message;
  const said = [
    content,
    attachments,
    embeds,
    components,
    sticker_items,
    message_snapshots,
    noticeIn(message),
  ];
  return poll !== undefined || said.some((part) => part !== undefined && part.length > 0);
}

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
    ...(!author.bot && { isPersons: true }),
    text: [said, ...forwarded.map((snapshot) => snapshot.message)]
      .map((one) => wordsOf(one, reading).trim())
      .filter(Boolean)
      .join('\n\n'),
    files: givenFiles(message, botCanRead),
    sources: sourcesOf(message),
    link: linkToMessage(serverId, channelId, message.id),
  };
}

/** The files of a message and of those it forwards, as a command takes them. */
function givenFiles(message: APIMessage, botCanRead: boolean): readonly IncomingFile[] {
  const { message_snapshots: forwarded = [] } = message;
  const files = forwarded.flatMap((snapshot) => filesShownIn(snapshot.message));
  return [...shownFiles(message, botCanRead), ...files.map(incomingFile)];
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

/** What a command takes of the message that another one replies to. */
interface ReferredFiles {
  readonly files: readonly IncomingFile[];
  /** That message, and what it forwards. */
  readonly sources: readonly string[];
}

/**
 * The images and videos of the message that another one replies to, and of what that forwards, as many as a command takes;
 * `withheld` if Discord doesn't show them.
 */
export async function referredFiles(
  services: Pick<DiscordServices, 'api' | 'gateway'>,
  message: APIMessage,
  { options }: Pick<CommandAbout, 'options'>,
): Promise<ReferredFiles | 'withheld' | undefined> {
  if (Object.values(options).every(({ type }) => type !== 'file')) return undefined;
  const replied = await referencedMessage(services, message);
  if (replied === undefined || replied === 'withheld') return replied;
  const files = takenFiles(options, givenFiles(replied, true));
  return { files, sources: sourcesOf(replied) };
}
