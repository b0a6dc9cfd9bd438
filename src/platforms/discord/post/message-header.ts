import { aroundSpoilers, outsideSpoilers } from '../../../lib/text.ts';
import {
  type Asked,
  type CommandAbout,
  type CommandCall,
  type Locale,
  type Message,
  messageItIsAbout,
} from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import { maxMessageLength } from '../api/messages.ts';

/** Characters of the prompt and of the name that a header shows. */
const maxPromptLength = 150;
const maxNameLength = 32;

/** The line above the first message of an answer. */
export interface AnswerHeaders {
  readonly header?: string | undefined;
  /** The header of an answer that is no longer shown as a reply to the typed command: a whisper took its place. */
  readonly detachedHeader?: string | undefined;
  /** What Discord itself shows with the first message: who typed which command, or the whole message that asked. */
  readonly shownAbove?: 'command' | 'all';
}

/**
 * The line that tells who asked what. Discord shows who typed a command, but neither its options nor who pressed a
 * button. The name and the prompt can't format, link or mention anything.
 */
export function headerFor(
  name: string,
  { command: commandName, options }: CommandCall,
  command: Pick<CommandAbout, 'textOption' | 'postsFiles'> | undefined,
  how: 'typed' | 'pressed',
  locale: Locale,
): string | undefined {
  const author = authorOf(name);
  // A command that posts files shows its prompt with them.
  const prompt = command?.postsFiles ? '' : String(options[command?.textOption ?? ''] ?? '');
  const shown = escapeWords(firstCharacters(prompt, maxPromptLength));
  const about = aboutLine(options, locale);
  const { colon } = words(locale);
  if (about !== undefined) return `> ${author} ${[about, shown].filter(Boolean).join(colon)}`;
  if (shown !== '') return `> ${author}${colon}${shown}`;
  return how === 'pressed' ? `> ${author} · /${commandName}` : undefined;
}

/** The line above a message that doesn't tell by itself whose it is; `shownAbove` by Discord is left out. */
export function wholeHeader(
  { requester: { name, locale }, command, options, text }: Asked,
  shownAbove?: 'command' | 'all',
): string | undefined {
  if (shownAbove === 'all') return undefined;
  const about = aboutLine(options, locale);
  const shown = escapeWords(firstCharacters(text, maxPromptLength));
  if (shownAbove === 'command' && !about && !shown) return undefined;
  const author = name === undefined ? undefined : authorOf(name);
  // Something of the bot's own comes first: a prompt could begin a list or a heading there.
  const typed = author && shownAbove === 'command' ? undefined : `/${command}`;
  const who = [author, typed, about].filter(Boolean).join(' · ');
  return `> ${[who, shown].filter(Boolean).join(words(locale).colon)}`;
}

function authorOf(name: string): string {
  return `**${escapeMarkdown(firstCharacters(name, maxNameLength))}**`;
}

/** A header with the name of the persona that speaks as its last line. */
export function withSpeaker(header: string | undefined, persona: string | undefined): string | undefined {
  const line = persona === undefined ? undefined : `-# ${authorOf(persona)}`;
  return prependHeader(header, line) || undefined;
}

/** A header without the name of a persona as its last line. */
export function withoutSpeaker(header: string | undefined, persona: string | undefined): string | undefined {
  const line = withSpeaker(undefined, persona);
  if (line === undefined || !header?.endsWith(line)) return header;
  return header.slice(0, -line.length).trimEnd() || undefined;
}

/** Whose message the command is about, with a link to it. */
function aboutLine(options: CommandCall['options'], locale: Locale): string | undefined {
  const message = messageItIsAbout(options);
  if (!message) return undefined;
  const author = escapeMarkdown(firstCharacters(message.author, maxNameLength));
  const text = words(locale).aboutMessage(author);
  return message.link === undefined ? text : `[${text}](<${message.link}>)`;
}

/** The header above a text. */
export function prependHeader(header: string | undefined, text = ''): string {
  return [header, text].filter(Boolean).join('\n');
}

/** A text without the header above it. */
export function withoutHeader(header: string | undefined, text: string): string {
  return header !== undefined && text.startsWith(header)
    ? text.slice(header.length).replace(/^\n/, '')
    : text;
}

/** One of the bot's own texts without the line that tells who asked what. */
export function withoutAnyHeader(text: string): string {
  return text.replace(/^> \*\*[^\n]*(?:\n|$)/, '').replace(/^-# \*\*[^\n]*\*\*(?:\n|$)/, '');
}

/** Characters that a message has left below its header. */
export function maxLengthBelow(header: string | undefined): number {
  return maxMessageLength - (header === undefined ? 0 : header.length + 1);
}

/** A message with the header above its text. A header may quote people, so `unquoted` is the text without it. */
export function withHeader(header: string | undefined, message: Message): Message {
  if (header === undefined) return message;
  const { text = '', unquoted = text } = message;
  return { ...message, text: prependHeader(header, text), unquoted };
}

/** A message below the lines that tell whose it is and who speaks, if it's to tell. */
export function withWhose({ whose, persona, ...message }: Message, shownAbove?: 'command'): Message {
  return withHeader(withSpeaker(whose && wholeHeader(whose, shownAbove), persona), message);
}

/** The first characters of a text, on one line. */
function firstCharacters(text: string, length: number): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  const characters = [...line.slice(0, length * 2)];
  if (characters.length <= length && line.length <= length * 2) return line;
  const start = outsideSpoilers(characters.slice(0, length - 1).join(''), line);
  return `${start.trimEnd()}…`;
}

/** An address, or a character that Markdown may take for its own. What could end an address and begin a link is outside. */
const addressOrMark = /https?:\/\/[^\s\\`*~|<>[\]]+|[\\`*_~|<>[\]()]/g;

/** What somebody wrote, with nothing that counts as Markdown but the bars that hide words. */
export function escapeWords(text: string): string {
  return aroundSpoilers(text, escapeMarkdown, (hidden) => `||${escapeMarkdown(hidden)}||`);
}

/** A text in which nothing counts as Markdown. Addresses stay as they are: with a backslash in them they lead nowhere. */
function escapeMarkdown(text: string): string {
  return text.replace(addressOrMark, (found) => (found.startsWith('http') ? found : `\\${found}`));
}
