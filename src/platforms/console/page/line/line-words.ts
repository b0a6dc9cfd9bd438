/** A word of a line: anything up to the next space, or up to the end of its quotation. */
export interface LineWord {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const quotes: Readonly<Record<string, string>> = { '"': '"', '“': '”' };

/** Takes a line apart from `from` on. A quotation begins where a value can, and may be unfinished. */
export function lineWords(line: string, from: number): LineWord[] {
  const found: LineWord[] = [];
  let at = from;
  while (at < line.length) {
    if (isSpace(line[at])) {
      at++;
      continue;
    }
    const end = endOfWord(line, at);
    found.push({ start: at, end, text: line.slice(at, end) });
    at = end;
  }
  return found;
}

/** A value without its quotation marks. */
export function unquoted(value: string): string {
  const close = quotes[value[0] ?? ''];
  if (close === undefined) return value;
  return value.endsWith(close) && value.length > 1 ? value.slice(1, -1) : value.slice(1);
}

function endOfWord(line: string, start: number): number {
  for (let at = start; at < line.length; at++) {
    const close = canQuote(line, start, at) ? quotes[line[at] ?? ''] : undefined;
    if (close !== undefined) {
      const end = line.indexOf(close, at + 1);
      return end < 0 ? line.length : end + 1;
    }
    if (isSpace(line[at])) return at;
  }
  return line.length;
}

/** At a word's beginning, and after the `=` or the first `:` of `--name=` and `name:`. */
function canQuote(line: string, start: number, at: number): boolean {
  return at === start || /^(?:--[\w-]+=|\w+:)$/.test(line.slice(start, at));
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character);
}
