// The console page loads this file in the browser: it imports nothing from outside this folder.

/** What has to be known of an option to read a line. */
export interface LineOption {
  readonly name: string;
  /** `boolean` needs no value, `addresses` takes several. */
  readonly type: string;
}

/** What has to be known of a command. */
export interface LineCommand<O extends LineOption = LineOption> {
  readonly options: readonly O[];
  /** The option that takes the words without a name. */
  readonly textOption?: string | undefined;
}

/** What a stretch of the line is; `fault` is the name of an unknown option. */
export interface LinePart<O extends LineOption = LineOption> {
  readonly kind: 'option' | 'value' | 'text' | 'fault';
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
  /** The option that is named, or that a value belongs to. */
  readonly option?: O;
}

/** Faults of the names in a line; values are checked elsewhere. */
export type LineFault<O extends LineOption = LineOption> =
  | { readonly kind: 'unknown-option'; readonly name: string }
  /** Words, where no option takes any. */
  | { readonly kind: 'unknown-words'; readonly name: string }
  | { readonly kind: 'needs-value'; readonly option: O };

/** The parsed text after a command's name. */
export interface OptionsLine<O extends LineOption = LineOption> {
  /** By option, as typed and without quotation marks; values of unknown options too. */
  readonly values: Readonly<Record<string, string>>;
  readonly parts: readonly LinePart<O>[];
  readonly faults: readonly LineFault<O>[];
}

/** A keyboard may make one longer dash of two short ones; a Chinese one makes two, which Chinese words may follow. */
const dashedOption = /^(?:--(?=\p{L})|(?:——?|–)(?=[A-Za-z]))([\p{L}\p{N}_-]+)(=.*)?$/su;
const colonOption = /^([A-Za-z]\w*):./su;
const truths = /^(?:true|false|yes|no|on|off|1|0|是|否|开|关)$/i;

/**
 * Reads `a cat surfing --duration 8 --ratio=9:16 seed:7` from `from` on: text, and options in any order as
 * `--name value`, `--name=value` and, where there is such an option, `name:value`. Values of several words stand in
 * quotation marks; addresses may follow one another. What is in quotation marks is never an option, and nothing is
 * after a `--` that stands alone before the text.
 *
 * @example readOptions('a cat --duration 8', video).values // { prompt: 'a cat', duration: '8' }
 */
export function readOptions<O extends LineOption>(
  line: string,
  command: LineCommand<O>,
  from = 0,
): OptionsLine<O> {
  return new OptionsReader(line, command, from).read();
}

/** The beginning of an option in a word. */
interface OptionStart<O> {
  readonly name: string;
  /** Undefined for an unknown one. */
  readonly option: O | undefined;
  /** Where its value begins, if that is in the same word. */
  readonly valueStart?: number;
}

class OptionsReader<O extends LineOption> {
  readonly #line: string;
  readonly #command: LineCommand<O>;
  readonly #words: readonly LineWord[];
  readonly #values: Record<string, string> = {};
  readonly #parts: LinePart<O>[] = [];
  readonly #faults: LineFault<O>[] = [];
  readonly #texts: string[] = [];
  #next = 0;

  constructor(line: string, command: LineCommand<O>, from: number) {
    this.#line = line;
    this.#command = command;
    this.#words = lineWords(line, from);
  }

  read(): OptionsLine<O> {
    let text: string | undefined;
    for (let word = this.#words[0]; word; word = this.#words[this.#next]) {
      this.#next++;
      if (word.text === '--' && this.#texts.length === 0) text = this.#restOfLine(word);
      else this.#readWord(word);
    }
    text ??= unquoted(this.#texts.join(' ').trim());
    const { textOption } = this.#command;
    if (text !== '' && textOption !== undefined) this.#values[textOption] ??= text;
    else if (text !== '') this.#faults.push({ kind: 'unknown-words', name: text });
    return { values: this.#values, parts: this.#parts, faults: this.#faults };
  }

  #readWord(word: LineWord): void {
    const start = this.#optionIn(word);
    if (!start) this.#readText(word.start);
    else if (start.option) this.#readOption(word, start.option, start.valueStart);
    else this.#readUnknown(word, start);
  }

  #readOption(word: LineWord, option: O, valueStart: number | undefined): void {
    this.#parts.push({ kind: 'option', start: word.start, end: valueStart ?? word.end, option });
    const first = valueStart === undefined ? this.#valueWord(option) : { start: valueStart, end: word.end };
    if (first) this.#takeValue(option, first.start, this.#endOfValue(option, first.end));
    else if (option.type === 'boolean') this.#values[option.name] = 'true';
    else this.#faults.push({ kind: 'needs-value', option });
  }

  /** What was meant by an unknown name can be told better by its value. */
  #readUnknown(word: LineWord, { name, valueStart }: OptionStart<O>): void {
    this.#faults.push({ kind: 'unknown-option', name });
    this.#parts.push({ kind: 'fault', start: word.start, end: valueStart ?? word.end });
    const value = valueStart === undefined ? this.#valueWord() : { start: valueStart, end: word.end };
    if (!value) return;
    this.#parts.push({ kind: 'value', start: value.start, end: value.end });
    this.#values[name] = unquotedValue(this.#line.slice(value.start, value.end));
  }

  #optionIn(word: LineWord): OptionStart<O> | undefined {
    const [, dashed, value = ''] = dashedOption.exec(word.text) ?? [];
    if (dashed !== undefined) {
      const valueStart = word.end - value.length + 1;
      const option = this.#find(dashed);
      return { name: option?.name ?? dashed, option, ...(value.length > 1 && { valueStart }) };
    }
    const name = colonOption.exec(word.text)?.[1];
    const option = name === undefined ? undefined : this.#find(name);
    if (name === undefined || !option) return undefined;
    // In the middle of a text `prompt:` is more likely a word of it.
    if (option.name === this.#command.textOption && this.#texts.length > 0) return undefined;
    return { name: option.name, option, valueStart: word.start + name.length + 1 };
  }

  /** Takes the word after a name, where that is its value. */
  #valueWord(option?: O): LineWord | undefined {
    const word = this.#words[this.#next];
    if (!word || dashedOption.test(word.text) || word.text === '--') return undefined;
    if (option?.type === 'boolean' && !truths.test(word.text) && !this.#hasText()) return undefined;
    this.#next++;
    return word;
  }

  /** What follows a boolean may be the text only as long as there is none: else it's a value, perhaps a wrong one. */
  #hasText(): boolean {
    return this.#texts.length > 0 || this.#values[this.#command.textOption ?? ''] !== undefined;
  }

  /** A list of addresses goes on as long as there are any, and a text up to the next option. */
  #endOfValue(option: O, end: number): number {
    let last = end;
    for (let word = this.#words[this.#next]; word; word = this.#words[++this.#next]) {
      const goesOn = this.#takesWords(option)
        ? !this.#optionIn(word) && word.text !== '--'
        : option.type === 'addresses' && /^["“]?https?:\/\//i.test(word.text);
      if (!goesOn) break;
      last = word.end;
    }
    return last;
  }

  /**
   * Whether an option takes several words without quotation marks: the text option does, or every text where that takes a
   * single word or there is none.
   */
  #takesWords({ name, type }: O): boolean {
    const { options, textOption } = this.#command;
    const text = options.find((option) => option.name === textOption);
    return text === undefined || text.type === 'choice' ? type === 'text' : name === textOption;
  }

  #takeValue(option: O, start: number, end: number): void {
    this.#parts.push({ kind: 'value', start, end, option });
    const value = this.#line.slice(start, end);
    const isList = option.type === 'addresses';
    this.#values[option.name] = isList
      ? lineWords(value)
          .map(({ text }) => unquotedValue(text))
          .join(' ')
      : unquotedValue(value);
  }

  /** Takes words as they are typed, with the spaces and line breaks between them. */
  #readText(start: number): void {
    let word = this.#words[this.#next];
    while (word && !this.#optionIn(word)) word = this.#words[++this.#next];
    const end = this.#words[this.#next - 1]?.end ?? start;
    this.#parts.push({ kind: 'text', start, end });
    this.#texts.push(this.#line.slice(start, end));
  }

  #restOfLine(dashes: LineWord): string {
    this.#parts.push({ kind: 'option', start: dashes.start, end: dashes.end });
    this.#next = this.#words.length;
    return this.#line.slice(dashes.end).trim();
  }

  /** Hyphens and underscores are the same to people. */
  #find(typed: string): O | undefined {
    const name = typed.toLowerCase().replaceAll('-', '_');
    return this.#command.options.find((option) => option.name === name);
  }
}

/** Writes a command's values as a line that reads as the same ones: the text, then `--name value`. */
export function writeOptions(values: Readonly<Record<string, string>>, command: LineCommand): string {
  const { textOption = '' } = command;
  const { [textOption]: text = '', ...others } = values;
  const options = Object.entries(others)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `--${name} ${writeValue(value)}`);
  if (text === '') return options.join(' ');
  if (readsAsText(text, command)) return [text, ...options].join(' ');
  const inMarks = quoted(text);
  // After a lone `--` all is text, whatever it holds.
  return inMarks === undefined ? [...options, '--', text].join(' ') : [inMarks, ...options].join(' ');
}

/** A value as written after its option's name: in quotation marks if it would otherwise be read as more than a value. */
export function writeValue(value: string): string {
  const isOneWord = !/\s/u.test(value) && !/^(?:--|[—–]|["'“”„‘])/.test(value);
  const areAddresses = value.split(/\s+/u).every((word) => /^https?:\/\/[^"“]/i.test(word));
  return isOneWord || areAddresses ? value : (quoted(value) ?? value);
}

/** Whether a text stays itself without quotation marks. Dashes that are none of an option's only look like one. */
function readsAsText(text: string, command: LineCommand): boolean {
  if (text.includes('--')) return false;
  const { values } = readOptions(text, command);
  return Object.keys(values).length === 1 && values[command.textOption ?? ''] === text;
}

/** A word of a line: anything up to the next space, or up to the end of its quotation. */
interface LineWord {
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
function lineWords(line: string, from = 0): LineWord[] {
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
function unquoted(text: string): string {
  const mark = closing[text[0] ?? ''];
  if (mark === undefined || text.length < 2 || !text.endsWith(mark)) return text;
  const inside = text.slice(1, -1);
  return inside.includes(mark) ? text : inside;
}

/** The same for a value, whose quotation may not be closed yet. */
function unquotedValue(text: string): string {
  const [open = ''] = text;
  const isOpen = open !== '' && doubleMarks.includes(open) && !text.includes(closing[open] ?? '', 1);
  return isOpen ? text.slice(1) : unquoted(text);
}

/** A text in quotation marks that it does not contain; undefined where it contains all of them. */
function quoted(text: string): string | undefined {
  if (!text.includes('"')) return `"${text}"`;
  return /[“”]/.test(text) ? undefined : `“${text}”`;
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/u.test(character);
}
