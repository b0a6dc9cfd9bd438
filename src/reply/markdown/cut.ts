import type { Line } from './lines.ts';
import { lastFitting, type Scan } from './scan.ts';

/**
 * How good a position between two lines is for a cut. `poor`, right under a heading, is better only than cutting a
 * word.
 */
type LineBreak = { place: number; rank: 'block' | 'line' | 'code' | 'poor' };

/** What would be read as a heading, list, quote, table or fence at the start of a message. */
const looksLikeBlock = /^(?:#{1,6}\s|>|[-+*]\s|\d{1,9}[.)]\s|`{3}|~{3}|\||[=-]+\s*$|([-*_])(?:[ \t]*\1){2})/m;
const listMarker = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]*)?$/;
const divisible = new Set(['text', 'item', 'heading', 'code']);

/**
 * Where to end a message that can't hold all of the scanned text: after a block, a line, a line of code or row, a
 * sentence, a word or a grapheme, each as late as it `fits` and at least `half` of the way. A link or similar that
 * spans all of that isn't cut, unless it alone is longer than a message.
 */
export function chooseCut(scan: Scan, half: number, fits: (place: number) => boolean): number {
  const end = lastFitting(scan.text.length - 1, fits);
  const text = scan.text.slice(0, end + 1);
  const graphemeStart = graphemeStarts(scan.text);
  const isWhole = wholeAt(scan, half);
  const whole = (place: number) => isWhole(place) && graphemeStart(place) === place;
  const inside = (place: number) => divides(scan, place) && whole(place);
  const last = (places: number[]) => places.findLast((place) => place > 0 && place <= end && fits(place));

  const lineBreaks = lineBreaksOf(scan.lines).filter(({ place }) => place <= end && whole(place));
  const between = (rank: LineBreak['rank']) =>
    last(lineBreaks.filter((one) => one.rank === rank && one.place >= half).map(({ place }) => place));
  const within = (breaks: typeof wordBreaks) =>
    last(breaks(text, half).filter((place) => place >= half && inside(place)));

  return (
    between('block') ??
    between('line') ??
    between('code') ??
    within(sentenceBreaks) ??
    within(wordBreaks) ??
    between('poor') ??
    lastDown(end, half, graphemeStart, (place) => inside(place) && fits(place)) ??
    last(earlyBreaks(scan, half, inside, lineBreaks)) ??
    lastDown(end, 1, graphemeStart, fits) ??
    lastDown(end, 1, (place) => characterStart(scan.text, place), fits) ??
    Math.max(1, characterStart(scan.text, 2))
  );
}

/** Positions between lines, with their rank, except those that would split a fence or table. */
function lineBreaksOf(lines: readonly Line[]): LineBreak[] {
  const breaks: LineBreak[] = [];
  for (let index = 1; index < lines.length; index++) {
    const before = lines[index - 1];
    const here = lines[index];
    if (!before || !here || before.kind === 'blank') continue;
    const after = lines.slice(index, index + 3).find((line) => line.kind !== 'blank');
    const rank = rankBetween(before, here, after ?? here);
    if (rank) breaks.push({ place: here.start, rank });
  }
  return breaks;
}

function rankBetween(before: Line, here: Line, after: Line): LineBreak['rank'] | undefined {
  if (after.kind === 'underline' || after.kind === 'delimiter') return undefined;
  if (before.kind === 'fence' || before.kind === 'delimiter') return undefined;
  if (here.kind === 'code') return here.start === here.end ? 'line' : 'code';
  if (before.kind === 'heading' || before.kind === 'underline') return 'poor';
  if (after.kind === 'row' && here === after) return 'code';
  const nested = after.indent > 0 && after.list;
  const ended = before.kind === 'fence-end' || before.kind === 'rule';
  const begins = ended || here.kind === 'blank' || (after.kind !== 'text' && after.kind !== before.kind);
  return !nested && (begins || after.kind === 'item') ? 'block' : 'line';
}

/** Whether a cut keeps links, inline code and markers whole, and headings and rows that may fit. */
function wholeAt(scan: Scan, half: number): (place: number) => boolean {
  const torn = new Uint8Array(scan.text.length + 1);
  // Unclosed markup may be plain text: it only delays the cut if little is lost by that.
  for (const { start, end, open } of scan.atoms) if (!open || start >= half) torn.fill(1, start + 1, end);
  for (const { start, inner, close, end } of scan.spans) {
    torn.fill(1, start + 1, inner + 1);
    torn.fill(1, close, end);
  }
  scan.lines.forEach(({ kind, start, end }, index) => {
    const above = scan.lines[index - 1]?.kind;
    // A row that has to stay with its table header has no better position to cut.
    const row = kind === 'row' && above !== undefined && above !== 'delimiter';
    const heading = kind === 'heading' && end < scan.text.length;
    if (row || heading) torn.fill(1, start + 1, end);
  });
  return (place) => torn[place] !== 1;
}

/** Whether the line may be cut at `place`: not inside its markers, and not if the rest would look like a block. */
function divides(scan: Scan, place: number): boolean {
  const line = scan.lineAt(place);
  if (place <= line.start || place >= line.end) return false;
  if (line.kind === 'row') return true;
  if (!divisible.has(line.kind)) return false;
  const before = scan.text.slice(line.start + line.quote.length, place);
  if (line.kind === 'code') return before.trim() !== '';
  return !listMarker.test(before) && !looksLikeBlock.test(scan.text.slice(place, place + 24));
}

/** Acceptable positions before `half`, if what follows is too long to be cut. */
function earlyBreaks(
  { text, atoms }: Scan,
  half: number,
  inside: (place: number) => boolean,
  lineBreaks: LineBreak[],
): number[] {
  const early = text.slice(0, half);
  const first = text.search(/\S/);
  const starts = atoms.map((atom) => atom.start);
  const places = [...sentenceBreaks(early, 0), ...wordBreaks(early, 0), ...starts].filter(inside);
  const lines = lineBreaks.map(({ place }) => place);
  return [...places, ...lines]
    .filter((place) => place < half && place > first)
    .sort((one, other) => one - other);
}

/** The last good position from `from` down to `to`, among those from `startOf`. */
function lastDown(
  from: number,
  to: number,
  startOf: (place: number) => number,
  good: (place: number) => boolean,
): number | undefined {
  for (let place = startOf(from); place >= to; place = startOf(place - 1)) if (good(place)) return place;
  return undefined;
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const words = new Intl.Segmenter('zh', { granularity: 'word' });

// Every pattern starts at the start of a run; otherwise long runs would be scanned repeatedly.
const latinSentence = /(?<![.!?…])[.!?…]+["'”’)\]*_~]*[ \t]+(?=\S)/g;
const wideSentence = /(?<![。！？｡…])[。！？｡…]+[”’」』）】》"']*([*_~]*)[ \t]*(?=\S)/g;
const gap = /(?<![ \t])[ \t]+(?=\S)/g;
/** Scripts written without spaces, and their punctuation. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uffef]/u;
const opensBracket = /[\p{Ps}\p{Pi}]/u;
const closesBracket = /[\p{Pe}\p{Pf}\p{Po}]/u;
/** How far before the end unspaced words are segmented: much more than one word. */
const wordReach = 200;

/** Positions after `from` where a sentence starts, Latin or CJK; ascending. */
function sentenceBreaks(text: string, from: number): number[] {
  const places: number[] = [];
  for (const found of matches(latinSentence, text, from)) places.push(found.index + found[0].length);
  for (const found of matches(wideSentence, text, from)) {
    const markers = found[1]?.length ?? 0;
    const end = found.index + found[0].length;
    // Markers here may close one span or open the next; only one of the two is a valid cut.
    places.push(...(markers ? [end - markers, end] : [end]));
  }
  return places.sort((one, other) => one - other);
}

/** Positions after `from` where a word starts; ascending. Unspaced words are segmented only near the end. */
function wordBreaks(text: string, from: number): number[] {
  const places: number[] = [];
  for (const found of matches(gap, text, from)) places.push(found.index + found[0].length);
  const near = Math.max(from, text.length - wordReach);
  for (const { index } of words.segment(text.slice(near))) {
    const before = text.charAt(near + index - 1);
    const after = characterAt(text, near + index);
    const wide = unspaced.test(before) || unspaced.test(after);
    if (index > 0 && wide && !opensBracket.test(before) && !closesBracket.test(after))
      places.push(near + index);
  }
  return places.sort((one, other) => one - other);
}

/**
 * Returns a function that finds the start of the grapheme at a position; the position itself if it can be cut there.
 */
function graphemeStarts(text: string): (place: number) => number {
  const segments = graphemes.segment(text);
  return (place) => segments.containing(place)?.index ?? place;
}

/** The start of the character at `place`: differs from `place` only inside a surrogate pair. */
function characterStart(text: string, place: number): number {
  const low = text.charCodeAt(place);
  const high = text.charCodeAt(place - 1);
  return low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff ? place - 1 : place;
}

function matches(pattern: RegExp, text: string, from: number): Iterable<RegExpExecArray> {
  const search = new RegExp(pattern);
  search.lastIndex = from;
  return text.matchAll(search);
}

function characterAt(text: string, place: number): string {
  return String.fromCodePoint(text.codePointAt(place) ?? 0x20);
}
