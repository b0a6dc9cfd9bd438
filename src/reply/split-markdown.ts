import { Scan } from './markdown/scan.ts';
import {
  gapAt,
  isEmpty,
  MarkdownSplitter,
  renderMessage,
  smallestMaxLength,
  type SplitOptions,
} from './markdown/splitter.ts';

/** So many messages a text takes at most in a channel, where others write too; a longer one's whole comes as a file. */
export const mostMessages = 6;

/**
 * Splits finished Markdown into messages of at most `maxLength` that each render on their own: the same messages as a
 * live reply with this text. Empty if the text shows nothing.
 * @throws {RangeError} if `maxLength` is below `smallestMaxLength`.
 */
export function splitMarkdown(text: string, options: SplitOptions): string[] {
  const splitter = new MarkdownSplitter(options);
  splitter.append(text);
  const messages: string[] = [];
  for (let piece = splitter.takeRest(); piece; piece = splitter.takeRest()) messages.push(piece.text);
  return messages;
}

/** A text as messages: the first ones, and the rest of its text where that has to come as a file. */
export interface ShownText {
  readonly messages: readonly string[];
  /** All that the messages don't show, as messages for where the file is refused; empty if they show the whole text. */
  readonly rest: readonly string[];
}

/**
 * The messages that are shown of a text: at most `most`.
 * @param note The end of the text, which is shown also where its middle isn't.
 */
export function firstMessages(
  messages: readonly string[],
  most: number,
  note: string | undefined,
  options: SplitOptions,
): ShownText {
  if (messages.length <= most) return { messages, rest: [] };
  const shown = messages.slice(0, most);
  const rest = messages.slice(most);
  if (note === undefined) return { messages: shown, rest };
  const { maxLength, length = (text: string) => text.length } = options;
  const room = maxLength - length(`\n\n${note}`);
  const last = shown.pop() ?? '';
  const [cut = '', ...cutOff] =
    room < smallestMaxLength ? [last] : splitMarkdown(last, { ...options, maxLength: room });
  return { messages: withNoteBelow([...shown, cut], note, options), rest: [...cutOff, ...rest] };
}

/** Below the last message if it fits, otherwise as messages of its own. */
export function withNoteBelow(messages: readonly string[], note: string, options: SplitOptions): string[] {
  const { maxLength, length = (text: string) => text.length } = options;
  const last = messages.at(-1);
  const together = last === undefined ? note : `${last}\n\n${note}`;
  if (length(together) <= maxLength) return [...messages.slice(0, -1), together];
  return [...messages, ...splitMarkdown(note, options)];
}

/**
 * The part of a finished Markdown message after its first `from` characters, reopened so that it renders on its own;
 * for when its start is shown elsewhere. Empty if nothing is left to show.
 */
export function markdownAfter(
  text: string,
  from: number,
  { hides }: Pick<SplitOptions, 'hides'> = {},
): string {
  const rest = text.slice(from);
  const gap = gapAt(rest, new Scan(text, undefined, hides).openAt(from), true);
  const tail = rest.slice(gap.length);
  if (isEmpty(tail, gap.open)) return '';
  return renderMessage(new Scan(tail, gap.open, hides), tail.length, true).toWellFormed();
}

/** Length of the common prefix of two texts. */
export function sharedLength(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same;
}
