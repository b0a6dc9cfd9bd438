import { type Attachment, type Message, MessageReferenceType } from 'discord.js';
import { type Locale, PlatformError } from '../../../port/index.ts';
import { bytesInWords } from '../../../words/index.ts';
import type { Download } from '../media/download.ts';
import { discordWords } from '../words.ts';
import { namesInMessage } from './mention-names.ts';
import { namedText } from './readable-text.ts';
import { isTextFile, textFiles, textOf } from './text-files.ts';

/** What somebody wrote to the bot. */
export interface IncomingText {
  /** As the model reads it; empty where there is nothing to answer. */
  readonly prompt: string;
  /** What the person is told about what could not be read, each a line; they stand above the answer. */
  readonly notes: readonly string[];
}

export interface ReadingContext {
  /** The bot's own id. */
  readonly me: string;
  readonly locale: Locale;
  /** Reads a file from Discord's own hosts. */
  readonly download: Download;
}

/** Names of files that a line shows. */
const namesShown = 5;

/** Reads a message: its words, what it forwards, and its text files. Says what it can't look at. */
export async function readIncomingText(
  message: Message,
  dependencies: ReadingContext,
): Promise<IncomingText> {
  const say = discordWords(dependencies.locale);
  const forwarded = [...message.messageSnapshots.values()];
  const files = filesIn([message, ...forwarded]);
  const texts = files.attached.filter(isTextFile);
  const unseen = [
    ...files.attached.filter((file) => !isTextFile(file)).map(({ name }) => name),
    ...files.stickers,
  ];
  const read = await Promise.all(
    texts.slice(0, textFiles.count).map((file) => readFile(file, dependencies.download)),
  );
  const unread = texts.filter((_, index) => read[index] === undefined).map(({ name }) => name);
  const quotes = forwarded
    .map(({ content, mentions }) =>
      namedText(content ?? '', namesInMessage(message, mentions), dependencies.locale).trim(),
    )
    .filter(Boolean);
  const words = [
    namedText(withoutBot(message, dependencies.me), namesInMessage(message), dependencies.locale),
    ...quotes.map((text) => `${say.forwarded}\n${quote(text)}`),
    ...texts.flatMap(({ name }, index) => (read[index] ? [`${say.attached(name)}\n${read[index]}`] : [])),
  ].filter(Boolean);
  if (words.length > 0 && unseen.length > 0) words.push(say.unseen(unseen.join(', ')));
  const isHidden = isForward(message) && quotes.length === 0 && files.attached.length === 0;
  return {
    prompt: words.join('\n\n'),
    notes: [
      ...(unseen.length > 0 ? [say.cannotSee(shown(unseen))] : []),
      ...(unread.length > 0
        ? [say.cannotReadFiles(shown(unread), textFiles.count, bytesInWords(textFiles.bytes))]
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

/** The text of a file; undefined where it's too large, gone, or no text. */
async function readFile({ url, size }: Attachment, download: Download): Promise<string | undefined> {
  if (size > textFiles.bytes) return undefined;
  try {
    return textOf(await download(url, textFiles.bytes));
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

/** The words of a message without the mentions that make it the bot's: of itself and of its role. */
function withoutBot({ content, mentions }: Message, me: string): string {
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

/** Some of the names, as code, so that nothing in them is taken for Markdown. */
function shown(names: readonly string[]): string {
  const some = names.slice(0, namesShown).map((name) => `\`${name.replaceAll('`', "'").slice(0, 60)}\``);
  return [...some, ...(names.length > namesShown ? ['…'] : [])].join(', ');
}
