/** A stretch of bold, italic or strike. */
export interface Span {
  readonly marker: string;
  /** Where the opening marker begins, and the content after it. Equal where the span was open before. */
  readonly start: number;
  readonly inner: number;
  /** Where the closing marker begins, and where it ends; Infinity while it may still come. */
  close: number;
  end: number;
}

/** A stretch that loses its meaning when cut: a link, a URL, inline code, an escaped character. */
export interface Atom {
  readonly start: number;
  readonly end: number;
  /** Inline code: its backticks, and where its content begins (at the start where it was open before). */
  readonly code?: { readonly marker: string; readonly inner: number };
  /** Its end has not come; it may turn out to be plain text. */
  readonly open: boolean;
}

export interface Inline {
  readonly spans: Span[];
  readonly atoms: Atom[];
}

const token = /\\[^\n]|`+|\*+|_+|~+|!?\[|\]|<[^\s<>]+>|https?:\/\/[^\s<>"`\u3000-\u303f\uff00-\uffef]+/g;
const destination = /\((?:[^()\n\\]|\\.|\((?:[^()\n\\]|\\.)*\))*\)/y;
const openDestination = /\([^\n]*$/y;
const reference = /\[[^[\]\n]*\]/y;
/** More backticks than anyone needs; they would not fit into a message twice. */
const longestCodeMarker = 16;
const trailingPunctuation = /[?!.,:;*_~'\]]+$/;

/**
 * What a block of text holds between `from` and `to`. Unclosed spans count while the block is `unfinished`
 * and are literal afterwards. Read more loosely than CommonMark where people write without spaces
 * (`**注意：**请`), which Discord shows as meant.
 */
export function scanInline(
  text: string,
  from: number,
  to: number,
  unfinished: boolean,
  carried: readonly string[] = [],
): Inline {
  const atoms: Atom[] = [];
  const emphasis = new Emphasis(text, from, to);
  const brackets: number[] = [];
  const runs = backtickRuns(text, from, to);

  const code = (start: number, after: number, marker: string): number => {
    const close = runs.next(marker.length, after);
    if (marker.length > longestCodeMarker || (close === undefined && !unfinished)) return after;
    const end = close === undefined ? to : close + marker.length;
    atoms.push({ start, end, code: { marker, inner: after }, open: close === undefined });
    return end;
  };
  const link = (at: number): number => {
    const start = brackets.pop();
    if (start === undefined) return at + 1;
    const end = matchEnd(destination, text, at + 1, to) ?? matchEnd(reference, text, at + 1, to);
    if (end !== undefined) atoms.push({ start, end, open: false });
    else if (unfinished && matchEnd(openDestination, text, at + 1, to) !== undefined) {
      atoms.push({ start, end: to, open: false });
      return to;
    }
    return end ?? at + 1;
  };

  let at = from;
  for (const marker of carried) {
    if (marker.startsWith('`')) at = code(from, from, marker);
    else emphasis.carry(marker);
  }
  while (at < to) {
    token.lastIndex = at;
    const found = token.exec(text);
    if (!found || found.index >= to) break;
    const [word] = found;
    const start = found.index;
    at = Math.min(to, start + word.length);
    const first = word.charAt(0);
    if (first === '`') at = code(start, at, word);
    else if (first === '*' || first === '_' || first === '~') emphasis.run(word, start);
    else if (word.endsWith('[')) brackets.push(start);
    else if (first === ']') at = link(start);
    else {
      if (first === 'h') at = start + withoutTail(word).length;
      atoms.push({ start, end: at, open: false });
    }
  }
  if (unfinished) atoms.push(...brackets.map((start) => ({ start, end: to, open: true })));
  return { spans: emphasis.spans(unfinished), atoms };
}

/** Bold, italic and strike: which marker closes which. */
class Emphasis {
  readonly #text: string;
  readonly #from: number;
  readonly #to: number;
  readonly #closed: Span[] = [];
  #open: Span[] = [];

  constructor(text: string, from: number, to: number) {
    this.#text = text;
    this.#from = from;
    this.#to = to;
  }

  carry(marker: string): void {
    this.#open.push(openSpan(marker, this.#from, this.#from));
  }

  run(run: string, at: number): void {
    const character = run.charAt(0);
    if (run.length > 3 || (character === '~' && run.length !== 2)) return;
    const before = at > this.#from ? this.#text.charAt(at - 1) : ' ';
    const after = at + run.length < this.#to ? this.#text.charAt(at + run.length) : ' ';
    const insideWord = (neighbour: string) => character === '_' && /[\p{L}\p{N}]/u.test(neighbour);
    const closes = /\S/.test(before) && !insideWord(after) && this.#close(run, at);
    if (!closes && /\S/.test(after) && !insideWord(before)) this.#begin(run, at);
  }

  /** All spans, in the order in which they begin. */
  spans(unfinished: boolean): Span[] {
    const all = unfinished ? [...this.#closed, ...this.#open] : this.#closed;
    return all.sort((one, other) => one.start - other.start || one.inner - other.inner);
  }

  #begin(run: string, start: number): void {
    // A run of three is bold and italic at once.
    const markers = run.length === 3 ? [run.slice(0, 2), run.slice(0, 1)] : [run];
    // Nothing nests in its own kind: an earlier one that is not closed yet is more likely a mere character.
    this.#open = this.#open.filter((span) => !markers.includes(span.marker));
    this.#open.push(...markers.map((marker) => openSpan(marker, start, start + run.length)));
  }

  #close(run: string, at: number, end = at + run.length): boolean {
    if (run.length === 3) {
      const both = [run.slice(0, 1), run.slice(0, 2)].map((marker) => this.#close(marker, at, end));
      return both.includes(true);
    }
    const index = this.#open.findLastIndex((span) => span.marker === run);
    const span = this.#open[index];
    if (!span) return false;
    span.close = at;
    span.end = end;
    this.#closed.push(span);
    // What was opened in between is literal, but for the other half of a `***`.
    this.#open = this.#open.filter(
      (other, place) => place < index || (place > index && other.start === span.start),
    );
    return true;
  }
}

function openSpan(marker: string, start: number, inner: number): Span {
  return { marker, start, inner, close: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY };
}

function withoutTail(url: string): string {
  const trimmed = url.replace(trailingPunctuation, '');
  const unbalanced = trimmed.endsWith(')') && !trimmed.includes('(');
  return unbalanced ? withoutTail(trimmed.slice(0, trimmed.indexOf(')'))) : trimmed;
}

function matchEnd(pattern: RegExp, text: string, at: number, to: number): number | undefined {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found && pattern.lastIndex <= to ? pattern.lastIndex : undefined;
}

/** Where runs of backticks of each length are, found once for the whole block; asked for from left to right. */
function backtickRuns(text: string, from: number, to: number) {
  const places = new Map<number, { all: number[]; passed: number }>();
  for (const { 0: run, index } of text.slice(from, to).matchAll(/`+/g)) {
    const ofLength = places.get(run.length) ?? { all: [], passed: 0 };
    ofLength.all.push(from + index);
    places.set(run.length, ofLength);
  }
  return {
    next(length: number, after: number): number | undefined {
      const ofLength = places.get(length);
      if (!ofLength) return undefined;
      while ((ofLength.all[ofLength.passed] ?? after) < after) ofLength.passed++;
      return ofLength.all[ofLength.passed];
    },
  };
}
