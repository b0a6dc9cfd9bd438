import { type Attachment, type Message, MessageReferenceType } from 'discord.js';
import { type Locale, PlatformError } from '../../../port/index.ts';
import { bytesInWords } from '../../../words/index.ts';
import type { Download } from '../media/download.ts';
import { discordWords } from '../words.ts';
import { namesInMessage } from './mention-names.ts';
import { readableText } from './readable-text.ts';
import { isTextFile, textFiles, textOf } from './text-files.ts';

/** What somebody wrote to the bot. */
export interface IncomingText {
  /** What the model reads; empty if there is nothing to answer. */
  readonly prompt: string;
  /** Lines about what couldn't be read, shown above the answer. */
  readonly notes: readonly string[];
}

export interface ReadingContext {
  /** The bot's own id. */
  readonly me: string;
  readonly locale: Locale;
  readonly download: Download;
}

/** File names that such a line lists. */
const maxNames = 5;

/** Reads a message: its text, the messages it forwards and its text files. Notes what can't be read. */
export async function readIncomingText(
  message: Message,
  { me, locale, download }: ReadingContext,
): Promise<IncomingText> {
  const say = discordWords(locale);
  const forwarded = [...message.messageSnapshots.values()];
  const files = filesIn([message, ...forwarded]);
  const texts = files.attached.filter(isTextFile);
  const unseen = [
    ...files.attached.filter((file) => !isTextFile(file)).map(({ name }) => name),
    ...files.stickers,
  ];
  const read = await Promise.all(texts.slice(0, textFiles.count).map((file) => readFile(file, download)));
  const unread = texts.filter((_, index) => read[index] === undefined).map(({ name }) => name);
  const quotes = forwarded
    .map(({ content, mentions }) =>
      readableText(content ?? '', namesInMessage(message, mentions), locale).trim(),
    )
    .filter(Boolean);
  const pieces = [
    readableText(withoutBotMention(message, me), namesInMessage(message), locale),
    ...quotes.map((text) => `${say.forwarded}\n${quote(text)}`),
    ...texts.flatMap(({ name }, index) => (read[index] ? [`${say.attached(name)}\n${read[index]}`] : [])),
  ].filter(Boolean);
  if (pieces.length > 0 && unseen.length > 0) pieces.push(say.unseen(unseen.join(', ')));
  const isHidden = isForward(message) && quotes.length === 0 && files.attached.length === 0;
  return {
    prompt: pieces.join('\n\n'),
    notes: [
      ...(unseen.length > 0 ? [say.cannotSee(nameList(unseen))] : []),
      ...(unread.length > 0
        ? [say.cannotReadFiles(nameList(unread), textFiles.count, bytesInWords(textFiles.bytes))]
        : []),
      ...(isHidden ? [say.forwardHidden] : []),
    ],
  };
}

function filesIn(messages: readonly Partial<Pick<Message, 'attachments' | 'stickers'>>[]) {
  return {
    attached: messages.flatMap(({ attachments }) => [...(attachments?.values() ?? [])]),
    stickers: messages.flatMap(({ stickers }) => [...(stickers?.values() ?? [])].map(({ name }) => name)),
  };
}

/** The text of a file; undefined if it's too large, gone, or not text. */
async function readFile({ url, size }: Attachment, download: Download): Promise<string | undefined> {
  if (size > textFiles.bytes) return undefined;
  try {
    return textOf(await download(url, textFiles.bytes));
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

/** The text of a message without the mentions of the bot and its role. */
function withoutBotMention({ content, mentions }: Message, me: string): string {
  const roles = mentions.roles.filter(({ tags }) => tags?.botId === me).map(({ id }) => `<@&${id}>`);
  return content
    .split(new RegExp([`<@!?${me}>`, ...roles].join('|')))
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ');
}

function isForward({ reference }: Message): boolean {
  return reference?.type === MessageReferenceType.Forward;
}

function quote(text: string): string {
  return text.replaceAll(/^/gm, '> ');
}

/** The first names, as code, so that nothing in them counts as Markdown. */
function nameList(names: readonly string[]): string {
  const some = names.slice(0, maxNames).map((name) => `\`${name.replaceAll('`', "'").slice(0, 60)}\``);
  return [...some, ...(names.length > maxNames ? ['…'] : [])].join(', ');
}
