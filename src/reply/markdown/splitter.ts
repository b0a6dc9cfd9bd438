import { chooseCut } from './cut.ts';
import {
  closesFence,
  closingOf,
  type Fence,
  indentOf,
  nothingOpen,
  type Open,
  openingOf,
  outdentLine,
} from './lines.ts';
import { Scan } from './scan.ts';

export interface SplitOptions {
  /** The longest message, as counted by `length`; at least `smallestMaxLength`. */
  readonly maxLength: number;
  /** Counts a text's length as its platform does; by default in UTF-16 code units. */
  readonly length?: (text: string) => number;
  /** Whether bars hide words there (Discord's spoilers); by default they do. */
  readonly hides?: boolean;
}

/** A shorter message couldn't hold the markup it has to open and close. */
export const smallestMaxLength = 200;
/** How much of the following text is considered for a cut: enough to see how the next line starts. */
const lookahead = 64;

/** A message and the part of the text it shows; white space or the end of a fence may lie between two parts. */
export interface Piece {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Splits a growing Markdown text into messages that each render on their own. Where a message ends depends only on
 * the text up to slightly past its end, so a full message never changes, however the text arrives.
 */
export class MarkdownSplitter {
  readonly #maxLength: number;
  readonly #length: (text: string) => number;
  readonly #hides: boolean;
  readonly #step: number;
  readonly #passed: string[] = [];
  readonly #arrived: string[] = [];
  /** Characters before the current message. */
  #offset = 0;
  /** The text from the start of the current message. */
  #tail = '';
  #open = nothingOpen;
  /** Length measured next: the first multiple of `#step` not known to fit. */
  #reach: number;

  constructor({ maxLength, length = (text) => text.length, hides = true }: SplitOptions) {
    if (!(maxLength >= smallestMaxLength))
      throw new RangeError(`maxLength is ${maxLength}; allowed: ${smallestMaxLength} or more`);
    this.#maxLength = maxLength;
    this.#length = length;
    this.#hides = hides;
    this.#step = Math.min(256, Math.max(16, maxLength >> 5));
    this.#reach = this.#step;
  }

  /** Appends text; the work is deferred until messages are requested. */
  append(delta: string): void {
    this.#arrived.push(delta);
  }

  /** The whole text so far. */
  get text(): string {
    return this.#passed.join('') + this.#tail + this.#arrived.join('');
  }

  /** The next full message, which won't change any more. */
  takeFull(): Piece | undefined {
    this.#takeArrived();
    this.#skipGap();
    const window = isEmpty(this.#tail, this.#open) ? undefined : this.#fullWindow();
    return window === undefined ? undefined : this.#cut(window, this.#reach >> 1);
  }

  /** The current message as it can be shown now, after all full ones; empty if there is nothing to show yet. */
  growing(): string {
    const shown = this.#tail.slice(0, this.#tail.length - unfinishedMarkup(this.#tail));
    if (isEmpty(shown, this.#open)) return '';
    const scan = this.#scan(shown);
    const whole = renderMessage(scan, shown.length);
    if (this.#length(whole) <= this.#maxLength) return whole;
    return renderMessage(scan, chooseCut(scan, shown.length >> 1, this.#fits(scan)));
  }

  /** The next message of a finished text, including the last one. */
  takeRest(): Piece | undefined {
    const full = this.takeFull();
    if (full) return full;
    this.#skipGap(true);
    if (isEmpty(this.#tail, this.#open)) return undefined;
    const text = this.#wholeRest().toWellFormed();
    if (this.#length(text) > this.#maxLength) return this.#cut(this.#tail, this.#tail.length >> 1);
    const from = this.#offset;
    this.#pass(this.#tail.length);
    return { text, from, to: this.#offset };
  }

  /** The rest of a finished text as one message. Most messages have nothing to open or close, and are never scanned. */
  #wholeRest(): string {
    if (this.#open === nothingOpen && !anyFence.test(this.#tail)) return this.#tail.trimEnd();
    return renderMessage(this.#scan(this.#tail), this.#tail.length, true);
  }

  #skipGap(atEnd = false): void {
    const gap = gapAt(this.#tail, this.#open, atEnd);
    if (gap.length > 0) this.#pass(gap.length);
    this.#open = gap.open;
  }

  #takeArrived(): void {
    this.#tail += this.#arrived.join('');
    this.#arrived.length = 0;
  }

  /** The text considered for a cut, if it is certainly longer than a message. */
  #fullWindow(): string | undefined {
    const opening = openingOf(this.#open);
    while (this.#tail.length >= this.#reach + lookahead) {
      if (this.#length(opening + this.#tail.slice(0, this.#reach)) > this.#maxLength)
        return this.#tail.slice(0, this.#reach + lookahead);
      this.#reach += this.#step;
    }
    return undefined;
  }

  #cut(window: string, half: number): Piece {
    const scan = this.#scan(window);
    const place = chooseCut(scan, half, this.#fits(scan));
    const text = renderMessage(scan, place).toWellFormed();
    const from = this.#offset;
    this.#open = this.#affordable(scan.openAt(place));
    this.#pass(place);
    this.#reach = this.#step;
    return { text, from, to: this.#offset };
  }

  #scan(text: string): Scan {
    return new Scan(text, this.#open, this.#hides);
  }

  #fits(scan: Scan): (place: number) => boolean {
    return (place) => this.#length(renderMessage(scan, place)) <= this.#maxLength;
  }

  /** Markup that would take too much of the next message isn't reopened: a wide table header, deep quotes. */
  #affordable({ table, ...open }: Open): Open {
    const half = this.#maxLength / 2;
    const fits = (one: Open) => this.#length(openingOf(one) + one.spans.join('') + closingOf(one)) <= half;
    const candidates = [{ ...open, ...(table && { table }) }, open, { ...open, quote: '', spans: [] }];
    return candidates.find(fits) ?? { ...nothingOpen, midLine: open.midLine };
  }

  #pass(count: number): void {
    this.#passed.push(this.#tail.slice(0, count));
    this.#tail = this.#tail.slice(count);
    this.#offset += count;
  }
}

const anyFence = /`{3}|~{3}/;

/** Deeper indentation isn't worth its space at the start of a message. */
const deepestIndent = 64;

/** Whether `text` renders as nothing given what is `open`: white space and empty quoted lines. */
function isEmpty(text: string, { fence }: Open): boolean {
  return !(fence && !isQuoted(fence) ? /\S/ : /[^\s>]/).test(text);
}

/**
 * What to drop from a message that would start with `text`: white space, empty lines, and the end of an empty fence;
 * with what is open after that. `atEnd`: no more text comes.
 */
function gapAt(text: string, open: Open, atEnd: boolean): { length: number; open: Open } {
  if (open.midLine) return gapInLine(text, open, atEnd);
  const blank = open.fence && !isQuoted(open.fence) ? /(?:[ \t]*\n)*/y : /(?:[ \t>]*\n)*/y;
  blank.lastIndex = 0;
  blank.test(text);
  const length = blank.lastIndex;
  const newline = text.indexOf('\n', length);
  const line = newline < 0 ? text.slice(length) : text.slice(length, newline);
  const { fence, ...others } = open;
  if (fence && (atEnd || newline >= 0) && closesFence(line, fence)) {
    const closed = Math.min(text.length, length + line.length + 1);
    const more = gapAt(text.slice(closed), others, atEnd);
    return { length: closed + more.length, open: more.open };
  }
  const indent = line.search(/\S/);
  return { length: indent > deepestIndent ? length + indent : length, open };
}

function gapInLine(text: string, open: Open, atEnd: boolean): { length: number; open: Open } {
  // A space with a combining mark isn't blank.
  const spaces = /^[ \t]*(?!\p{M})/u.exec(text)?.[0].length ?? 0;
  if (text.charAt(spaces) !== '\n') {
    const unknown = spaces === text.length;
    const code = open.fence !== undefined && spaces <= deepestIndent;
    return { length: unknown || code ? 0 : spaces, open };
  }
  const { table, ...others } = open;
  const next: Open = { ...others, midLine: false, quote: '', ...(table && { table: { head: table.head } }) };
  const more = gapAt(text.slice(spaces + 1), next, atEnd);
  return { length: spaces + 1 + more.length, open: more.open };
}

function isQuoted(fence: Fence): boolean {
  return fence.prefix.includes('>');
}

/** Length of the markup at the end of a growing text that more text may complete or change. */
function unfinishedMarkup(text: string): number {
  const written = text.trimEnd();
  const line = written.lastIndexOf('\n') + 1;
  if (/^[ \t>]*(?:[-*+][ \t]+)?(?:`{3,}|~{3})[^`]*$/.test(written.slice(line))) return text.length - line;
  return /(?:[*_~`|#>[\\-]{1,8}[ \t]*|[\ud800-\udbff])$/.exec(text.slice(-16))?.[0].length ?? 0;
}

/**
 * The message with the scanned text up to `place`, opened and closed so that it renders on its own. At the `end` of
 * the text, unclosed spans stay as written, but a fence is closed.
 */
function renderMessage(scan: Scan, place: number, end = false): string {
  const { start } = scan;
  const open = scan.openAt(place);
  const closing = closingOf(end ? { ...open, spans: [] } : open);
  const body = bodyOf(scan, place, end).split('\n');
  const columns = outdentBody(scan, body);
  const numbered = numberedItem(scan);
  if (numbered > 0 && body[numbered] !== undefined) body[numbered] = `\n${body[numbered]}`;
  const opening = outdentAll(openingOf(start), start.outdent);
  return (opening + body.join('\n')).trimEnd() + outdentAll(closing, columns);
}

/** The text up to `place`; spans open at its start are reopened after any indentation. */
function bodyOf({ text, start, lines, spans, atoms }: Scan, place: number, end: boolean): string {
  const carried = start.spans.length === 0 ? [] : spans.filter((span) => span.start === span.inner);
  const closed = carried.filter((span) => !end || span.end <= text.length).map((span) => span.marker);
  const code = start.spans.length === 0 ? undefined : atoms.find((atom) => atom.code?.inner === atom.start);
  if (code?.code && !(end && code.open)) closed.push(code.code.marker);
  if (closed.length === 0) return text.slice(0, place);
  const quote = start.midLine ? '' : (lines[0]?.quote ?? '');
  const begin = quote.length + (start.midLine ? 0 : indentOf(text.slice(quote.length)).length);
  return text.slice(0, begin) + closed.join('') + text.slice(begin, place);
}

/** Removes the carried indentation from the lines; returns the columns still removed at their end. */
function outdentBody({ start, lines }: Scan, body: string[]): number {
  let columns = start.outdent;
  for (let index = start.midLine ? 1 : 0; columns > 0 && index < body.length; index++) {
    const line = lines[index];
    const written = body[index] ?? '';
    if (!line || line.quote || !written.trim()) continue;
    // Code may be indented less than its fence; that says nothing about the list around it.
    if (line.kind !== 'code') columns = Math.min(columns, line.indent);
    body[index] = outdentLine(written, columns);
  }
  return columns;
}

/**
 * The line of the next item if the message starts inside the previous one: without its marker that is a paragraph,
 * and in CommonMark only number 1 can start a list right after one. 0 if there is none.
 */
function numberedItem({ start, lines, text }: Scan): number {
  if (!start.list || lines[0]?.kind !== 'text') return 0;
  const next = lines.findIndex((line) => line.kind !== 'text');
  const line = lines[next];
  const starts = line && (line.kind === 'item' || line.kind === 'fence');
  return starts && /^\s*\d/.test(text.slice(line.start, line.end)) ? next : 0;
}

function outdentAll(text: string, columns: number): string {
  if (columns === 0) return text;
  return text
    .split('\n')
    .map((line) => outdentLine(line, columns))
    .join('\n');
}

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
