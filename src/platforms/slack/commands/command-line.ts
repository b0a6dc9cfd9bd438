import type { AnyCommand, Option, RawValues } from '../../../port/index.ts';

/** What somebody typed after a command, taken apart. Nothing is checked here but the form. */
export interface CommandLine {
  readonly values: RawValues;
  /** File options named without a value: only a form can take files. */
  readonly wantsFiles: boolean;
}

interface Token {
  readonly text: string;
  /** Where it begins and ends in the line. */
  readonly from: number;
  readonly to: number;
  /** `--name` or `--name=value` outside quotation marks. */
  readonly option?: { readonly name: string; readonly value?: string };
}

const closing: Readonly<Record<string, string>> = {
  '"': '"',
  '“': '”',
  '”': '”',
  '„': '“',
  "'": "'",
  '‘': '’',
};

/**
 * Reads `a cat surfing --duration 8 --ratio=9:16`: the text, then options as `--name value` or
 * `--name=value`. Values of several words stand in quotation marks; addresses may follow one another with
 * spaces; what is in quotation marks is never taken for an option.
 */
export function readCommandLine(
  line: string,
  command: Pick<AnyCommand<never>, 'options' | 'textOption'>,
): CommandLine {
  const tokens = tokensOf(line);
  const values: Record<string, string | boolean> = {};
  const texts: string[] = [];
  let wantsFiles = false;
  let textFrom: number | undefined;
  let textTo = 0;
  const endText = () => {
    if (textFrom !== undefined) texts.push(line.slice(textFrom, textTo));
    textFrom = undefined;
  };
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Token;
    if (!token.option) {
      textFrom ??= token.from;
      textTo = token.to;
      continue;
    }
    endText();
    const name = optionName(token.option.name, command.options);
    const definition = command.options[name];
    if (token.option.value !== undefined) {
      values[name] = token.option.value;
      continue;
    }
    const taken = valueAfter(tokens, index, definition);
    if (taken.length > 0) values[name] = taken.join(' ');
    else if (definition?.type === 'file') wantsFiles = true;
    else values[name] = definition?.type === 'boolean' ? true : '';
    index += taken.length;
  }
  endText();
  const text = unquoted(texts.join(' ').trim());
  if (text !== '' && command.textOption !== undefined && values[command.textOption] === undefined) {
    values[command.textOption] = text;
  }
  return { values, wantsFiles };
}

/** Hyphens and underscores are the same to people. */
function optionName(typed: string, options: AnyCommand<never>['options']): string {
  const name = typed.toLowerCase().replaceAll('-', '_');
  return Object.hasOwn(options, name) ? name : typed;
}

function valueAfter(tokens: readonly Token[], index: number, definition: Option | undefined): string[] {
  const most = definition?.type === 'addresses' ? tokens.length : 1;
  const taken: string[] = [];
  for (let next = index + 1; next < tokens.length && taken.length < most; next++) {
    const token = tokens[next] as Token;
    if (token.option) break;
    if (taken.length > 0 && !/^https?:/i.test(token.text)) break;
    taken.push(unquoted(token.text));
  }
  return taken;
}

function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  // Looked for once: a line may have thousands of marks that nothing closes.
  const lastMarks = new Map(Object.values(closing).map((mark) => [mark, line.lastIndexOf(mark)]));
  let at = 0;
  while (at < line.length) {
    if (/\s/u.test(line[at] as string)) {
      at += 1;
      continue;
    }
    const to = endOfToken(line, at, lastMarks);
    const text = line.slice(at, to);
    const option = /^(?:--|—)([A-Za-z][\w-]*)(?:=(.*))?$/su.exec(text);
    tokens.push({
      text,
      from: at,
      to,
      ...(option?.[1] && {
        option: { name: option[1], ...(option[2] !== undefined && { value: unquoted(option[2]) }) },
      }),
    });
    at = to;
  }
  return tokens;
}

/** A token ends at a space that is not inside quotation marks. An apostrophe within a word opens nothing. */
function endOfToken(line: string, from: number, lastMarks: ReadonlyMap<string, number>): number {
  let close: string | undefined;
  for (let at = from; at < line.length; at++) {
    const character = line[at] as string;
    if (close !== undefined) {
      if (character === close) close = undefined;
    } else if (/\s/u.test(character)) {
      return at;
    } else if (opensQuote(line, at, from, lastMarks)) {
      close = closing[character];
    }
  }
  return line.length;
}

/** A quotation mark that is never closed is only a character. */
function opensQuote(
  line: string,
  at: number,
  tokenFrom: number,
  lastMarks: ReadonlyMap<string, number>,
): boolean {
  const mark = closing[line[at] as string];
  if (mark === undefined) return false;
  return (at === tokenFrom || line[at - 1] === '=') && (lastMarks.get(mark) ?? -1) > at;
}

/** Takes quotation marks off where they stand around the whole. */
function unquoted(text: string): string {
  const first = text[0];
  const mark = first === undefined ? undefined : closing[first];
  if (mark === undefined || text.length < 2 || !text.endsWith(mark)) return text;
  const inside = text.slice(1, -1);
  return inside.includes(mark) ? text : inside;
}
