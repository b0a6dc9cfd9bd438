import { characterBoundary, graphemeBoundaries, sentenceBreaks, wordBreaks } from './breaks.ts';
import type { Line } from './lines.ts';
import type { Scan } from './scan.ts';

/** How good a place between two lines is. A `poor` one is used only where nothing better fits. */
type LineBreak = { place: number; rank: 'block' | 'line' | 'code' | 'poor' };

/** What would be read as the start of a heading, list, quote, table or fence at the start of a message. */
const looksLikeBlock = /^(?:#{1,6}\s|>|[-+*]\s|\d{1,9}[.)]\s|`{3}|~{3}|\||[=-]+\s*$|([-*_])(?:[ \t]*\1){2})/m;
const listMarker = /^[ \t]*(?:[-*+]|\d{1,9}[.)])?[ \t]*$/;
const divisible = new Set(['text', 'item', 'heading', 'code']);

/**
 * Where a message that cannot hold all of the scanned text ends: at a block, a line, a line of code or row,
 * a sentence, a word, a grapheme, each as late as it `fits` and at least `half` of the way. Where a link or
 * the like stands across all of that, before it; where it alone is longer than a message, inside it.
 */
export function chooseCut(scan: Scan, half: number, fits: (place: number) => boolean): number {
  const { text } = scan;
  const whole = wholeAt(scan, half);
  const lineBreaks = lineBreaksOf(scan.lines).filter(({ place }) => whole(place));
  const last = (places: number[]) => places.findLast((place) => place > 0 && fits(place));

  for (const rank of ['block', 'line', 'code']) {
    const places = lineBreaks.filter((one) => one.rank === rank && one.place >= half);
    const place = last(places.map((one) => one.place));
    if (place !== undefined) return place;
  }
  const inside = (place: number) => whole(place) && divides(scan, place);
  for (const breaks of [sentenceBreaks, wordBreaks]) {
    const place = last(breaks(text, half).filter((one) => one >= half && inside(one)));
    if (place !== undefined) return place;
  }
  return (
    lastDown(text.length - 1, half, (place) => inside(place) && fits(place)) ??
    last(earlyBreaks(scan, half, inside, lineBreaks)) ??
    anywhere(text, fits)
  );
}

/** The places between lines, with their rank; those that would tear a fence or table apart are left out. */
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
  if (after.kind === 'fence-end' || after.kind === 'underline' || after.kind === 'delimiter')
    return undefined;
  if (before.kind === 'fence' || before.kind === 'head' || before.kind === 'delimiter') return undefined;
  if (here.kind === 'code') return here.start === here.end ? 'line' : 'code';
  if (before.kind === 'heading' || before.kind === 'underline') return 'poor';
  if (after.kind === 'row' && here === after) return 'code';
  const nested = after.indent > 0 && after.list;
  const ended = before.kind === 'fence-end' || before.kind === 'rule';
  const begins = ended || here.kind === 'blank' || (after.kind !== 'text' && after.kind !== before.kind);
  return !nested && (begins || after.kind === 'item') ? 'block' : 'line';
}

/** Tells whether a cut would leave links, inline code and markers whole, and rows that fit a message. */
function wholeAt(scan: Scan, half: number): (place: number) => boolean {
  const torn = new Uint8Array(scan.text.length + 1);
  // What is still open may be plain text: it holds up the cut only where little would be lost by that.
  for (const { start, end, open } of scan.inline.atoms)
    if (!open || start >= half) torn.fill(1, start + 1, end);
  for (const { start, inner, close, end } of scan.inline.spans) {
    torn.fill(1, start + 1, inner + 1);
    torn.fill(1, close, end);
  }
  scan.lines.forEach(({ kind, start, end }, index) => {
    const above = scan.lines[index - 1]?.kind;
    // A row right under the head, which may not part from it, has no better place to be cut.
    if (kind === 'row' && above !== undefined && above !== 'delimiter') torn.fill(1, start + 1, end);
  });
  const boundary = graphemeBoundaries(scan.text);
  return (place) => torn[place] !== 1 && boundary(place);
}

/** Whether the line may be cut at `place`: not in its markers, and not so that its rest looks like a block. */
function divides(scan: Scan, place: number): boolean {
  const line = scan.lineAt(place);
  if (place <= line.start || place >= line.end) return false;
  if (line.kind === 'row') return true;
  if (!divisible.has(line.kind)) return false;
  const before = scan.text.slice(line.start + line.quote.length, place);
  if (line.kind === 'code') return before.trim() !== '';
  return !listMarker.test(before) && !looksLikeBlock.test(scan.text.slice(place, place + 24));
}

/** The places before `half` that are good for anything, where what follows is too long to be cut. */
function earlyBreaks(
  { text, inline }: Scan,
  half: number,
  inside: (place: number) => boolean,
  lineBreaks: LineBreak[],
): number[] {
  const early = text.slice(0, half);
  const starts = inline.atoms.map((atom) => atom.start);
  const places = [...sentenceBreaks(early, 0), ...wordBreaks(early, 0), ...starts].filter(inside);
  const lines = lineBreaks.map(({ place }) => place);
  return [...places, ...lines]
    .filter((place) => place < half && text.slice(0, place).trim() !== '')
    .sort((one, other) => one - other);
}

/** Between any two graphemes; and inside one only where a single one is longer than a message. */
function anywhere(text: string, fits: (place: number) => boolean): number {
  const boundary = graphemeBoundaries(text);
  const place =
    lastDown(text.length - 1, 1, (one) => boundary(one) && fits(one)) ??
    lastDown(text.length - 1, 1, (one) => characterBoundary(text, one) === one && fits(one));
  return place ?? Math.max(1, characterBoundary(text, 2));
}

function lastDown(from: number, to: number, good: (place: number) => boolean): number | undefined {
  for (let place = from; place >= to; place--) if (good(place)) return place;
  return undefined;
}
