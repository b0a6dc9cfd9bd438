// The console page loads this file in the browser: it imports nothing from outside this folder.

/** A word of a line: anything up to the next space, or up to the end of its quotation. */
export interface LineWord {
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
  readonly text: string;
}

/** What opens a quotation, and what closes it. Keyboards and phones put any of these. */
const closing: Readonly<Record<string, string>> = {
  '"': '"',
  '“': '”',
  '”': '”',
  '„': '“',
  "'": "'",
  '‘': '’',
};
/** Marks that stand for nothing else: one that is not closed yet still begins a value. */
const doubleMarks = '"“”„';

/** `--name=` and `name:`, where the value begins inside the word. */
const nameBefore = /(?:(?:--(?=\p{L})|(?:——?|–)(?=[A-Za-z]))[\p{L}\p{N}_-]+=|[A-Za-z]\w*:)/uy;
const nameAlone = /^(?:--(?=\p{L})|(?:——?|–)(?=[A-Za-z]))[\p{L}\p{N}_-]+$/u;

/**
 * Takes a line apart from `from` on. A quotation begins where a word or a value does. A mark that nothing closes is
 * only a character, except at the beginning of a value: there it takes the rest of the line.
 */
export function lineWords(line: string, from = 0): LineWord[] {
  const words: LineWord[] = [];
  // Looked for once: a line may have thousands of marks that nothing closes.
  const lastMarks = new Map(Object.values(closing).map((mark) => [mark, line.lastIndexOf(mark)]));
  const endOfQuotation = (at: number, isValue: boolean): number | undefined => {
    const open = line[at] ?? '';
    const mark = closing[open];
    if (mark === undefined) return undefined;
    if ((lastMarks.get(mark) ?? -1) > at) return line.indexOf(mark, at + 1) + 1;
    return isValue && doubleMarks.includes(open) ? line.length : undefined;
  };
  let at = from;
  while (at < line.length) {
    if (isSpace(line[at])) {
      at++;
      continue;
    }
    nameBefore.lastIndex = at;
    const name = nameBefore.exec(line)?.[0] ?? '';
    const isValue = name !== '' || nameAlone.test(words.at(-1)?.text ?? '');
    let end = endOfQuotation(at + name.length, isValue) ?? at;
    while (end < line.length && !isSpace(line[end])) end++;
    words.push({ start: at, end, text: line.slice(at, end) });
    at = end;
  }
  return words;
}

/** A text without the quotation marks around the whole of it; as it is where there are none. */
export function unquoted(text: string): string {
  const mark = closing[text[0] ?? ''];
  if (mark === undefined || text.length < 2 || !text.endsWith(mark)) return text;
  const inside = text.slice(1, -1);
  return inside.includes(mark) ? text : inside;
}

/** The same for a value, whose quotation may not be closed yet. */
export function unquotedValue(text: string): string {
  const [open = ''] = text;
  const isOpen = open !== '' && doubleMarks.includes(open) && !text.includes(closing[open] ?? '', 1);
  return isOpen ? text.slice(1) : unquoted(text);
}

/** A text in quotation marks that it does not contain; undefined where it contains all of them. */
export function quoted(text: string): string | undefined {
  if (!text.includes('"')) return `"${text}"`;
  return /[“”]/.test(text) ? undefined : `“${text}”`;
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/u.test(character);
}
