import { randomBytes } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** 22 random characters of `[A-Za-z0-9_-]`, 132 bits: conversation ids and job ids. */
export function randomId(): string {
  let id = '';
  for (const byte of randomBytes(22)) id += alphabet[byte % 64];
  return id;
}

/**
 * A name in one line that formats nothing: without what Markdown takes as its own, and what turns the direction of all that
 * follows. Empty if nothing of it can be seen.
 */
export function plainName(name: string): string {
  const plain = name
    .replace(/[`*_~|<>[\]()\\\p{Bidi_Control}]/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return isSeen(plain) ? plain : '';
}

/** Whether anything of a text can be seen. */
export function isSeen(text: string): boolean {
  return /[^\s\p{Default_Ignorable_Code_Point}]/u.test(text);
}

/** A text of at most so many UTF-16 units, cut between two characters where it's longer. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${cutAt(text, most - 1).trimEnd()}…` : text;
}

/** The first UTF-16 units of a text, at most so many; a character that takes two, such as an emoji, stays whole. */
export function beginningOf(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}

/** What hides words until somebody clicks them, on both sides of them: Discord's Markdown. */
const spoilerBars = '||';

/** A text of which `hidden` gets the words between the bars that hide them, and `shown` all else. */
export function aroundSpoilers(
  text: string,
  shown: (words: string) => string,
  hidden: (words: string) => string,
): string {
  const parts = text.split(spoilerBars);
  return parts
    .map((part, index) => {
      if (index % 2 === 0) return shown(part);
      return index === parts.length - 1 ? shown(`${spoilerBars}${part}`) : hidden(part);
    })
    .join('');
}

/** A text for where nothing can be hidden: without the words that somebody hid. */
export function withoutSpoilers(text: string): string {
  return aroundSpoilers(text, String, () => '…');
}

/** The beginning of a text without hidden words that would be shown since their end is cut off. */
export function outsideSpoilers(beginning: string, text: string): string {
  const isOpen = beginning.split(spoilerBars).length % 2 === 0;
  return isOpen && text.includes(spoilerBars, beginning.length - 1)
    ? beginning.slice(0, beginning.lastIndexOf(spoilerBars))
    : beginning;
}

function cutAt(text: string, most: number): string {
  return outsideSpoilers(beginningOf(text, most), text);
}

/** How deep components are in each other, at most. */
const deepest = 8;

/** Whether one of a message's components, however deep, has this id under that name. */
export function holdsId(components: unknown, name: string, id: string, depth = 0): boolean {
  if (typeof components !== 'object' || components === null || depth > deepest) return false;
  return Object.entries(components).some(
    ([key, value]) => (key === name && value === id) || holdsId(value, name, id, depth + 1),
  );
}

/**
 * What JSON says, without the fields of which it says that there's nothing: those count like ones it leaves out. What has none is
 * itself: a large server's event is megabytes.
 */
export function withoutNulls<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return itemsWithoutNulls(value) as T;
  const fields = value as Record<string, unknown>;
  const names = Object.keys(fields);
  const told: unknown[] = [];
  let isSame = true;
  for (const name of names) {
    const one = withoutNulls(fields[name]);
    if (one === null || one !== fields[name]) isSame = false;
    told.push(one);
  }
  if (isSame) return value;
  // Entries take several times as long.
  const copy: Record<string, unknown> = {};
  for (let at = 0; at < names.length; at++) {
    const name = names[at] ?? '';
    if (told[at] === null) continue;
    if (name === '__proto__') Object.defineProperty(copy, name, { value: told[at], enumerable: true });
    else copy[name] = told[at];
  }
  return copy as T;
}

function itemsWithoutNulls(items: readonly unknown[]): readonly unknown[] {
  const told = items.includes(null) ? items.filter((one) => one !== null) : [...items];
  let isSame = told.length === items.length;
  for (let at = 0; at < told.length; at++) {
    const one = withoutNulls(told[at]);
    if (one !== told[at]) isSame = false;
    told[at] = one;
  }
  return isSame ? items : told;
}

/** A person's text as a Markdown quote, cut at `maxLength` characters: those that make it a quote count, too. */
export function quoted(text: string, maxLength = 1_000): string {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`);
  return shortened(lines.join('\n'), maxLength).replace(/\n>…$/, '…');
}

/** The beginning of a text on one line, for a title; in a sentence it turns around nothing that follows. */
export function titleOf(text: string, maxLength: number): string {
  const line = text
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
  if (line.length <= maxLength) return line;
  const cut = cutAt(line, maxLength - 1);
  const lastSpace = cut.lastIndexOf(' ');
  const words = lastSpace > maxLength / 2 ? outsideSpoilers(cut.slice(0, lastSpace), line) : cut;
  return `${words.trimEnd()}…`;
}

/** 0.42 as `42%`. */
export function percent(fraction: number | undefined): string | undefined {
  return fraction === undefined ? undefined : `${Math.floor(fraction * 100)}%`;
}

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF00-\uFFEF]/u;
/** UTF-8 bytes per token of anything that isn't named here: tokenizers know few of its words. */
const bytesPerRareToken = 2;

/** How a character counts; a rare one by its bytes of UTF-8, of which it has two to four. */
const kinds = { unknown: 0, wide: 1, lower: 5, upper: 6, digit: 7, space: 8, mark: 9 } as const;
/** The kind of each character of a single UTF-16 unit, once it was met: patterns take fifty times as long. */
const known = new Uint8Array(0x1_0000);
const surrogates = { first: 0xd800, last: 0xdfff };
/** Emoji and other pictures. */
const pictures = { first: 0x1_f300, last: 0x1_fbff };
const bytesOfPicture = 4;

function kindOf(code: number): number {
  if (code >= pictures.first && code <= pictures.last) return bytesOfPicture;
  const character = String.fromCodePoint(code);
  if (wide.test(character)) return kinds.wide;
  if (character === ' ') return kinds.space;
  if (/[0-9]/.test(character)) return kinds.digit;
  if (/\p{Script=Latin}/u.test(character))
    return /\p{Uppercase}/u.test(character) ? kinds.upper : kinds.lower;
  return /[\p{ASCII}\p{Punctuation}\s]/u.test(character) ? kinds.mark : Buffer.byteLength(character);
}

/**
 * About how many tokens a text has: one for a character of Chinese, Japanese or Korean, for a digit, for a mark, and for
 * four letters of a Latin word, at least one a word; one for two bytes of anything else (another alphabet, emoji). An
 * estimate, since the service names no tokenizer: rather too many than too few, because budgets are kept by it.
 */
export function estimateTokens(text: string): number {
  const count = new TokenCount();
  count.add(text);
  return count.tokens;
}

/** Parts of a token: what's repeated or a letter of a longer word counts one, and what begins something counts all. */
const parts = 4;

/** The same estimate for a text that comes in pieces. */
export class TokenCount {
  #wide = 0;
  #parts = 0;
  #rareBytes = 0;
  /** The character before. */
  #last = 0;
  #lastKind: number = kinds.unknown;
  /** Letters of the word so far. */
  #letters = 0;

  add(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      let kind = known[unit] ?? kinds.unknown;
      if (kind === kinds.unknown) {
        const code = text.codePointAt(at) ?? unit;
        kind = kindOf(code);
        // Half of a pair has no kind of its own.
        if (code !== unit) at++;
        else if (unit < surrogates.first || unit > surrogates.last) known[unit] = kind;
      }
      if (kind === kinds.wide) this.#wide++;
      else if (kind < kinds.lower) this.#rareBytes += kind;
      else this.#parts += this.#partsOf(unit, kind);
      this.#last = unit;
      this.#lastKind = kind;
    }
  }

  #partsOf(unit: number, kind: number): number {
    if (kind === kinds.space) return 1;
    if (kind === kinds.digit) return parts;
    if (kind === kinds.mark) return unit === this.#last ? 1 : parts;
    // A capital after a small letter begins another word, as in names of code and in base64.
    const goesOn = this.#lastKind === kinds.upper || (this.#lastKind === kinds.lower && kind === kinds.lower);
    this.#letters = goesOn ? this.#letters + 1 : 1;
    if (this.#letters === 1) return parts;
    return this.#letters > parts ? 1 : 0;
  }

  get tokens(): number {
    return this.#wide + Math.ceil(this.#parts / parts) + Math.ceil(this.#rareBytes / bytesPerRareToken);
  }
}

/** A cut text shorter than this says nothing. */
const leastTokens = 32;
/** Stands where a text was cut. */
const cutMark = '[…]';
const tokensOfMark = 4;

/**
 * The beginning of a text that fits into so many tokens, with a mark where it was cut; undefined if that says nothing.
 * Reads little further than that.
 */
export function beginningOfTokens(text: string, tokens: number): string | undefined {
  const length = lengthWithin(text, tokens, (at) => text.codePointAt(at));
  if (length === text.length) return text;
  if (tokens < leastTokens) return undefined;
  const marked = lengthWithin(text, tokens - tokensOfMark, (at) => text.codePointAt(at));
  return `${text.slice(0, marked).trimEnd()} ${cutMark}`;
}

/** The end of a text that fits into so many tokens, with a mark where it was cut. */
export function endOfTokens(text: string, tokens: number): string {
  const fromEnd = (at: number) => {
    const pair = text.codePointAt(text.length - at - 2) ?? 0;
    return pair > 0xffff ? pair : text.codePointAt(text.length - at - 1);
  };
  if (lengthWithin(text, tokens, fromEnd) === text.length) return text;
  const marked = lengthWithin(text, tokens - tokensOfMark, fromEnd);
  return `${cutMark} ${text.slice(text.length - marked).trimStart()}`;
}

/** How many UTF-16 units fit, read character by character as `codeAt` has them. */
function lengthWithin(text: string, tokens: number, codeAt: (at: number) => number | undefined): number {
  const count = new TokenCount();
  let length = 0;
  while (length < text.length) {
    const character = String.fromCodePoint(codeAt(length) ?? 0);
    count.add(character);
    if (count.tokens > tokens) break;
    length += character.length;
  }
  return length;
}

/** The beginning of what people wrote, as code: it formats, links and mentions nothing. */
export function asCode(text: string, most: number): string {
  return `\`${titleOf(text, most).replaceAll('`', "'")}\``;
}
