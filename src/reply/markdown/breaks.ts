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
export function sentenceBreaks(text: string, from: number): number[] {
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
export function wordBreaks(text: string, from: number): number[] {
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
export function graphemeStarts(text: string): (place: number) => number {
  const segments = graphemes.segment(text);
  return (place) => segments.containing(place)?.index ?? place;
}

/** The start of the character at `place`: differs from `place` only inside a surrogate pair. */
export function characterStart(text: string, place: number): number {
  const low = text.charCodeAt(place);
  const high = text.charCodeAt(place - 1);
  return low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff ? place - 1 : place;
}

function matches(pattern: RegExp, text: string, from: number): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  const search = new RegExp(pattern);
  search.lastIndex = from;
  for (let one = search.exec(text); one; one = search.exec(text)) found.push(one);
  return found;
}

function characterAt(text: string, place: number): string {
  return String.fromCodePoint(text.codePointAt(place) ?? 0x20);
}
