import type { WireCommandDefinition, WireOption } from '../../api/wire.ts';
import { type LineWord, lineWords, unquoted } from './line-words.ts';

/** What a stretch of the line is. */
export interface LinePart {
  readonly kind: 'command' | 'option' | 'value' | 'text' | 'fault';
  readonly start: number;
  readonly end: number;
  /** The option that a value belongs to. */
  readonly option?: WireOption;
}

/** Why a line cannot be sent as it is. */
export type LineFault =
  | { readonly kind: 'unknown-command'; readonly name: string }
  | { readonly kind: 'unknown-option'; readonly name: string }
  | { readonly kind: 'needs-value'; readonly option: WireOption };

/** A line, read. */
export interface CommandLine {
  /** Undefined where the line is plain words. */
  readonly name: string | undefined;
  /** Undefined where there is no such command too. */
  readonly shape: WireCommandDefinition | undefined;
  readonly values: Readonly<Record<string, string>>;
  readonly parts: readonly LinePart[];
  readonly faults: readonly LineFault[];
}

const commandPattern = /^\s*\/([\p{L}\p{N}_-]*)(?=\s|$)/u;
const optionPattern = /^--([a-z][\w-]*)(=)?/i;
const colonPattern = /^([a-z]\w*):(?=\S)/i;
const truths = /^(?:true|false|yes|no|on|off|1|0|是|否|开|关)$/i;

/**
 * Reads `/command words --name value`, `--name=value` and `name:value` in any order, with quotations; after a
 * lone `--` everything is words. A line without a slash, or with one that begins a path, is plain words.
 */
export function readCommandLine(line: string, commands: readonly WireCommandDefinition[]): CommandLine {
  const match = commandPattern.exec(line);
  if (!match) return { name: undefined, shape: undefined, values: {}, parts: [], faults: [] };
  const name = (match[1] ?? '').toLowerCase();
  const shape = commands.find((command) => command.name === name || command.localName === name);
  const span = { start: match[0].lastIndexOf('/'), end: match[0].length };
  if (!shape) {
    const parts = [{ kind: 'fault', ...span }] as const;
    return { name, shape, values: {}, parts, faults: [{ kind: 'unknown-command', name }] };
  }
  const reader = new OptionReader(line, shape, span.end);
  reader.read();
  const parts: LinePart[] = [{ kind: 'command', ...span }, ...reader.parts];
  return { name, shape, values: reader.values, parts, faults: reader.faults };
}

class OptionReader {
  readonly parts: LinePart[] = [];
  readonly faults: LineFault[] = [];
  readonly values: Record<string, string> = {};
  readonly #line: string;
  readonly #shape: WireCommandDefinition;
  readonly #words: readonly LineWord[];
  readonly #texts: string[] = [];
  #next = 0;

  constructor(line: string, shape: WireCommandDefinition, from: number) {
    this.#line = line;
    this.#shape = shape;
    this.#words = lineWords(line, from);
  }

  read(): void {
    for (let word = this.#words[0]; word; word = this.#words[this.#next]) {
      this.#next++;
      if (word.text === '--') this.#restIsText(word);
      else if (!this.#readOption(word)) this.#readText(word.start);
    }
    const { textOption } = this.#shape;
    if (textOption !== undefined && this.#texts.length > 0) this.values[textOption] ??= this.#texts.join(' ');
  }

  /** True where the word begins an option; its value is read too. */
  #readOption(word: LineWord): boolean {
    const begun = this.#optionIn(word);
    if (!begun) return false;
    const { option, name, valueStart } = begun;
    if (!option) {
      this.parts.push({ kind: 'fault', start: word.start, end: word.end });
      this.faults.push({ kind: 'unknown-option', name });
      return true;
    }
    const nameEnd = valueStart ?? word.end;
    this.parts.push({ kind: 'option', start: word.start, end: nameEnd, option });
    const end = valueStart === undefined ? this.#valueWords(option) : this.#furtherWords(option, word.end);
    if (end === undefined && option.type === 'boolean') this.values[option.name] = 'true';
    else if (end === undefined) this.faults.push({ kind: 'needs-value', option });
    else this.#takeValue(option, valueStart ?? this.#startAfter(nameEnd), end);
    return true;
  }

  #optionIn(
    word: LineWord,
  ): { option: WireOption | undefined; name: string; valueStart?: number } | undefined {
    const dashes = optionPattern.exec(word.text);
    if (dashes) {
      const option = this.#find(dashes[1] ?? '');
      const inWord = dashes[2] !== undefined && dashes[0].length < word.text.length;
      return { option, name: dashes[0], ...(inWord ? { valueStart: word.start + dashes[0].length } : {}) };
    }
    const colon = colonPattern.exec(word.text);
    const option = colon && this.#find(colon[1] ?? '');
    if (!colon || !option) return undefined;
    // In the middle of a text `prompt:` is more likely a word of it.
    if (option.name === this.#shape.textOption && this.#texts.length > 0) return undefined;
    return { option, name: colon[0], valueStart: word.start + colon[0].length };
  }

  /** Takes the words after an option's name that are its value; answers where they end. */
  #valueWords(option: WireOption): number | undefined {
    const word = this.#words[this.#next];
    if (!word || optionPattern.test(word.text) || word.text === '--') return undefined;
    if (option.type === 'boolean' && !truths.test(word.text)) return undefined;
    this.#next++;
    return this.#furtherWords(option, word.end);
  }

  /** A list of addresses goes on as long as there are any, and the command's words up to the next option. */
  #furtherWords(option: WireOption, end: number): number {
    let last = end;
    for (let word = this.#words[this.#next]; word; word = this.#words[this.#next]) {
      const goesOn =
        option.name === this.#shape.textOption
          ? !this.#optionIn(word) && word.text !== '--'
          : option.type === 'addresses' && /^https?:\/\//i.test(word.text);
      if (!goesOn) break;
      last = word.end;
      this.#next++;
    }
    return last;
  }

  #takeValue(option: WireOption, start: number, end: number): void {
    this.parts.push({ kind: 'value', start, end, option });
    this.values[option.name] = unquoted(this.#line.slice(start, end));
  }

  /** Takes words as they stand, with the spaces and lines between them. */
  #readText(start: number): void {
    let word = this.#words[this.#next];
    while (word && word.text !== '--' && !this.#optionIn(word)) word = this.#words[++this.#next];
    const end = this.#words[this.#next - 1]?.end ?? start;
    this.parts.push({ kind: 'text', start, end });
    this.#texts.push(this.#line.slice(start, end));
  }

  #restIsText(dashes: LineWord): void {
    this.parts.push({ kind: 'option', start: dashes.start, end: dashes.end });
    const rest = this.#line.slice(dashes.end).trim();
    if (rest !== '') this.#texts.push(rest);
    this.#next = this.#words.length;
  }

  #startAfter(end: number): number {
    return this.#words.find((word) => word.start >= end)?.start ?? end;
  }

  #find(name: string): WireOption | undefined {
    const wanted = name.toLowerCase().replaceAll('-', '_');
    return this.#shape.options.find((option) => option.name === wanted);
  }
}

/** Writes a command as a line that reads as the same command. */
export function writeCommandLine(
  shape: WireCommandDefinition,
  values: Readonly<Record<string, string>>,
): string {
  const text = shape.textOption === undefined ? '' : (values[shape.textOption] ?? '');
  const options = Object.entries(values)
    .filter(([name, value]) => name !== shape.textOption && value !== '')
    .map(([name, value]) => `--${name} ${/\s/.test(value) ? `"${value}"` : value}`);
  const looksLikeOption = /(?:^|\s)(?:--|[a-z]\w*:\S)/i.test(text);
  const parts = looksLikeOption ? [...options, `-- ${text}`] : [text, ...options];
  return [`/${shape.name}`, ...parts].filter((part) => part !== '').join(' ');
}
