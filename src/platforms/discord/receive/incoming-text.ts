import {
  type APIMessage,
  type APIMessageSnapshot,
  type GatewayMessageCreateDispatchData,
  MessageReferenceType,
} from 'discord-api-types/v10';
import { placeSource, type Quote, quoted, quotedFile, repliedTo } from '../../../conversation/index.ts';
import { type Clock, inTime } from '../../../lib/clock.ts';
import { type NamedFile, readTexts, textFiles, type TextsOfFiles } from '../../../lib/text-files.ts';
import {
  commandFor,
  type CommandRequest,
  type IncomingFile,
  type Locale,
  undefinedIfFailed,
} from '../../../port/index.ts';
import { fileNotes, words } from '../../../words/index.ts';
import type { SpokenRequest } from '../../../words/spoken-request.ts';
import { type Download, filesShownIn, type ShownFile } from '../media/attached-files.ts';
import type { DiscordServices } from '../post/services.ts';
import { discordWords } from '../words.ts';
import {
  filesOf,
  forwardedSources,
  quotedForwards,
  quotedMessage,
  type ReadableMessage,
  referencedMessage,
  saysSomething,
  sourcesOf,
  textOfMessage,
} from './quoted-messages.ts';
import { namesInMessage, type NameSources, readableText, splitProse } from './readable-text.ts';

/** What somebody wrote to the bot. */
export interface IncomingText {
  /** What the person typed; a sentence for it if they only quoted something. Empty if there is nothing to answer. */
  readonly prompt: string;
  /** Quotes for the model: the title of its post, what the message replies to or forwards, and its text files. */
  readonly context: string | undefined;
  /** Lines about what couldn't be read, shown above the answer. */
  readonly notes: readonly string[];
}

export interface ReadingContext
  extends Pick<DiscordServices, 'api' | 'gateway' | 'rememberedMessages'>, NameSources {
  readonly locale: Locale;
  readonly download: Download;
  readonly clock: Clock;
  /** How much of others' words is quoted, in estimated tokens. */
  readonly contextTokens: number;
}

/** What Discord's client makes of a text that's too long for a message. */
const longText = 'message.txt';

/** Reads a message: its text, what it replies to or forwards, and its text files. Notes what can't be read. */
export async function readIncomingText(
  message: GatewayMessageCreateDispatchData,
  own: BotMention,
  reading: ReadingContext,
): Promise<IncomingText> {
  const { locale, contextTokens } = reading;
  const me = reading.identity().id;
  const replied = await referencedMessage(reading, message);
  const seen = replied === 'withheld' ? undefined : replied;
  const { message_snapshots: forwarded = [] } = message;
  const names = namesInMessage(message, reading);
  const files = await readFiles(message, seen, forwarded, reading);
  const typed = readableText(saidIn(message, own), names, locale);
  const long = typed === '' ? files.own.read.find(({ name }) => name === longText) : undefined;
  const unseen = [...files.own.unseen, ...files.others.unseen];
  // A message either replies or forwards.
  const sources = seen ? sourcesOf(seen) : forwardedSources(message);
  const title = titleOfPost(message, reading.gateway);
  // The last ones are the last to be left out.
  const quotes = [
    ...title,
    ...files.others.read.map((file) => quotedFile({ ...file, sources })),
    ...(replied === 'withheld' ? [hiddenReply] : []),
    ...(seen ? [await quotedMessage(names, seen, reading)] : []),
    ...quotedForwards(names, message, locale),
    ...files.own.read.filter((file) => file !== long).map((file) => ({ ...quotedFile(file), ...whole })),
  ];
  const unknown = [...files.own.unseen, ...files.own.unread];
  const isHidden = isForward(message) && !forwarded.some(({ message: said }) => saysSomething(said));
  const referred = [seen, ...forwarded.map((one) => one.message)];
  const isReadable = referred.some(
    (one) => one !== undefined && (isFrom(one, me) || textOfMessage(one) !== ''),
  );
  const isAnything = isReadable || title.length + files.own.read.length + files.others.read.length > 0;
  return {
    prompt: typed || long?.text || (isAnything ? words(locale).quotedPrompt : ''),
    context: quoted(
      [
        ...quotes,
        ...(unknown.length > 0 ? [{ title: unknownFiles, text: unknown.join(', '), ...whole }] : []),
      ],
      contextTokens,
    ),
    notes: [
      ...(replied === 'withheld' ? [discordWords(locale).repliedHidden] : []),
      ...(isHidden ? [discordWords(locale).forwardHidden] : []),
      ...fileNotes({ unseen, unread: [...files.own.unread, ...files.others.unread] }, locale).map(small),
    ],
  };
}

/** Discord's small print. */
const small = (note: string) => `-# ${note}`;
/** What the bot has made tells what from; somebody else's picture alone can't be answered. */
function isFrom(message: ReadableMessage, me: string): boolean {
  return message.author?.id === me;
}

const whole = { keep: 'whole' } as const;

/** The title of the post that a message stands in: it says what's asked there, and its first message may say no more. */
function titleOfPost(
  { channel_id: channelId }: APIMessage,
  gateway: ReadingContext['gateway'],
): readonly Quote[] {
  const text = gateway.postTitle(channelId);
  if (text === undefined) return [];
  const sources = [placeSource('discord', channelId)];
  return [{ title: 'title of the post that this is said in', text, sources, isThere: true, ...whole }];
}
/** Instead of a message that Discord withholds, so that the model doesn't guess. */
const hiddenReply: Quote = { title: `message that you can’t see${repliedTo}`, text: '(hidden)' };
const unknownFiles = 'names of attached files that you can’t see or hear';

/** How long a question waits for a text file, in milliseconds. */
const filePatience = 10_000;

/** The text files of a message, then those of what it refers to; a few in all. */
async function readFiles(
  message: APIMessage,
  replied: APIMessage | undefined,
  forwarded: readonly APIMessageSnapshot[],
  { identity, download, clock }: ReadingContext,
): Promise<{ readonly own: TextsOfFiles; readonly others: TextsOfFiles }> {
  const attached = (file: ShownFile): NamedFile & { readonly url: string } => ({
    name: file.filename,
    contentType: file.content_type ?? null,
    url: file.url,
    size: file.size ?? 0,
  });
  const bytesOf = ({ url }: { readonly url: string }, maxBytes: number) =>
    inTime(clock, filePatience, undefinedIfFailed(download(url, maxBytes)), undefined);
  const own = await readTexts(message.attachments.map(attached), textFiles.count, bytesOf);
  // What the bot has made it doesn't need to look at: it knows what from.
  const isOthers = replied !== undefined && replied.author.id !== identity().id;
  const referred = [
    ...forwarded.flatMap((snapshot) => filesShownIn(snapshot.message)),
    ...(isOthers ? filesOf(replied) : []),
  ];
  const others = await readTexts(referred.map(attached), textFiles.count - own.read.length, bytesOf);
  return { own, others };
}

/** How the bot is mentioned in a server. */
export interface BotMention {
  readonly me: string;
  readonly isBotRole: (id: string) => boolean;
}

/** What a message says itself, without the mentions of the bot: its text, a poll, stickers by their names. */
function saidIn(message: APIMessage, own: BotMention): string {
  const { poll, sticker_items: stickers } = message;
  return textOfMessage({
    content: withoutBotMention(message, own),
    ...(poll && { poll }),
    ...(stickers && { sticker_items: stickers }),
  });
}

const formats = [String.raw`\|\|`, String.raw`\*\*`, '__', '~~', String.raw`\*`, '_'];

/** The text of a message without the mentions of the bot and its role; its lines stay lines, as code and tables need them. */
export function withoutBotMention(
  { content, mention_roles: mentioned }: APIMessage,
  { me, isBotRole }: BotMention,
): string {
  const roles = mentioned.filter(isBotRole).map((id) => `<@&${id}>`);
  const own = [`<@!?${me}>`, ...roles].join('|');
  // With the marks of a spoiler, or of formatting, that it alone stands in.
  const marked = formats.map((mark) => `${mark} ?(?:${own}) ?${mark}`);
  const mention = new RegExp([...marked, own].join('|'));
  return splitProse(content, mention).reduce(joined).trim();
}

/** What stood around a mention: a line break or several, else one space. */
function joined(said: string, part: string): string {
  const [start, end] = [said.trimEnd(), part.trimStart()];
  const spaces = [said.slice(start.length), part.slice(0, part.length - end.length)];
  return start + (spaces.filter((one) => one.includes('\n')).join('') || ' ') + end;
}

function isForward({ message_reference: reference }: APIMessage): boolean {
  return reference?.type === MessageReferenceType.Forward;
}

/** The files that a command by words is given, and lines about those that couldn't be seen, shown above the answer. */
export interface References {
  readonly files: readonly IncomingFile[];
  /** The messages that they're from, where that's another one. */
  readonly sources?: readonly string[];
  readonly notes: readonly string[];
}

/** The request of a message. */
export type AskedFor = Pick<CommandRequest, 'command' | 'options' | 'added' | 'files' | 'instead'>;

/** The command of a message with its options. A question comes with what its message refers to, and can lie in that alone. */
export function requestOf(
  { command, options, typed }: Pick<SpokenRequest, 'command' | 'options' | 'typed'>,
  given: IncomingText | References,
): AskedFor {
  if ('files' in given) {
    const { files, sources } = given;
    if (files.length === 0) return { command, options };
    return { command, options, files, ...(sources && { added: { made_of: sources } }) };
  }
  const { prompt, context } = given;
  if (prompt === '') return { command, options };
  return {
    command: commandFor.chat,
    options: typed === undefined ? { prompt } : options,
    ...(context !== undefined && { added: { context } }),
  };
}
