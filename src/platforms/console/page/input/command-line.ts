import {
  type LineFault as OptionLineFault,
  type LinePart as OptionLinePart,
  type OptionsLine,
  readOptions,
  writeOptions,
} from '../../../../port/command-line/parse.ts';
import { collector, spokenLine } from '../../../../port/command-line/spoken.ts';
import type { WireCommandDefinition, WireOption } from '../../api/wire.ts';

/** A part of the input, for highlights: the command's name, an option, a value, or text. */
export type LinePart =
  | OptionLinePart<WireOption>
  | {
      readonly kind: 'command' | 'fault';
      readonly start: number;
      readonly end: number;
      readonly option?: never;
    };

/** Why the input can't be sent. */
export type LineFault =
  | { readonly kind: 'unknown-command'; readonly name: string }
  | OptionLineFault<WireOption>;

/** The parsed input. */
export interface CommandLine extends Pick<OptionsLine, 'values'> {
  /** The command's name as typed; undefined for plain text. */
  readonly name: string | undefined;
  /** The command that it begins with; undefined for plain text and unknown commands. */
  readonly definition: WireCommandDefinition | undefined;
  /** It's a message, whose command the server finds by the same rule. */
  readonly isMessage: boolean;
  readonly parts: readonly LinePart[];
  readonly faults: readonly LineFault[];
}

/** The command for plain text. */
export const plainCommand = 'ask';
/** The command that explains the others. */
const helpCommand = 'help';

const commandPattern = /^\s*\/([\p{L}\p{N}_-]*)(?=\s|$)/u;

/**
 * Parses `/command` and its options, in the same grammar as Slack's. Input without a slash is a message, and so is a
 * path such as `/etc/hosts`: it may begin with a command all the same.
 */
export function readCommandLine(line: string, commands: readonly WireCommandDefinition[]): CommandLine {
  const match = commandPattern.exec(line);
  if (!match) return readMessage(line, commands) ?? plainText;
  const name = (match[1] ?? '').toLowerCase();
  const definition = commands.find((command) => command.name === name || command.localNames.includes(name));
  const span = { start: match[0].lastIndexOf('/'), end: match[0].length };
  if (!definition) {
    const collected = name === collector ? readMessage(line, commands) : undefined;
    if (collected) return collected;
    const parts = [{ kind: 'fault', ...span }] as const;
    const faults = [{ kind: 'unknown-command', name }] as const;
    return { name, definition, isMessage: false, values: {}, parts, faults };
  }
  const { values, parts, faults } = readOptions(line, definition, span.end);
  const all = [{ kind: 'command', ...span }, ...parts] as const;
  return { name, definition, isMessage: false, values, parts: all, faults };
}

const plainText: CommandLine = {
  name: undefined,
  definition: undefined,
  isMessage: true,
  values: {},
  parts: [],
  faults: [],
};

/** A message that begins with a command; undefined for plain text. */
function readMessage(line: string, commands: readonly WireCommandDefinition[]): CommandLine | undefined {
  const names = { plain: plainCommand };
  const spoken = spokenLine<WireOption, WireCommandDefinition>(line, commands, names);
  // What could be a question is shown as one: whoever sends it is asked.
  if (!spoken || spoken.isUnsure) return undefined;
  const { command, typed, start } = spoken;
  const about = { name: typed, isMessage: true } as const;
  const name = { kind: 'command', start, end: start + typed.length } as const;
  if (spoken.line === 'help') {
    const definition = commands.find((one) => one.name === helpCommand);
    return { ...about, definition, values: { command: command.name }, parts: [name], faults: [] };
  }
  const { values, parts, faults } = spoken.line;
  return { ...about, definition: command, values, parts: [name, ...parts], faults };
}

/** Writes a command line that parses to the same command and values. */
export function writeCommandLine(
  definition: WireCommandDefinition,
  values: Readonly<Record<string, string>>,
): string {
  return `/${definition.name} ${writeOptions(values, definition)}`.trimEnd();
}

/** The text being typed at the cursor, and the range a completion replaces. */
export type LineContext = { readonly start: number; readonly end: number; readonly typed: string } & (
  | { readonly kind: 'command' }
  | { readonly kind: 'option'; readonly left: readonly WireOption[] }
  | { readonly kind: 'value'; readonly definition: WireCommandDefinition; readonly option: WireOption }
);

/** One completion. */
export interface Completion {
  /** The text to insert. */
  readonly insert: string;
  readonly label: string;
  readonly detail: string;
}

/** What the cursor is in; undefined for plain text. */
export function contextAt(
  line: string,
  cursor: number,
  commands: readonly WireCommandDefinition[],
): LineContext | undefined {
  const command = /^\s*\/([\p{L}\p{N}_-]*)/u.exec(line);
  const start = command?.[0].lastIndexOf('/') ?? 0;
  if (command && cursor > start && cursor <= command[0].length) {
    return { kind: 'command', start, end: command[0].length, typed: (command[1] ?? '').toLowerCase() };
  }
  const read = readCommandLine(line, commands);
  return (
    read.definition &&
    (optionAt(line, cursor, read, read.definition) ?? valueAt(line, cursor, read, read.definition))
  );
}

function optionAt(
  line: string,
  cursor: number,
  read: CommandLine,
  definition: WireCommandDefinition,
): LineContext | undefined {
  const typed = /(?:^|\s)(--[\w-]*)$/.exec(line.slice(0, cursor))?.[1];
  if (typed === undefined) return undefined;
  const start = cursor - typed.length;
  const end = cursor + (/^[\w-]*/.exec(line.slice(cursor))?.[0].length ?? 0);
  const left = optionsLeft(definition, read);
  return { kind: 'option', start, end, typed: typed.slice(2).toLowerCase(), left };
}

function valueAt(
  line: string,
  cursor: number,
  read: CommandLine,
  definition: WireCommandDefinition,
): LineContext | undefined {
  const value = read.parts.find(
    (part) => part.kind === 'value' && part.start <= cursor && cursor <= part.end,
  );
  if (value?.option) {
    const { start, end, option } = value;
    return { kind: 'value', start, end, typed: line.slice(start, end), definition, option };
  }
  // After an option's name and a space: its value comes next.
  const name = read.parts.find(
    (part) => part.kind === 'option' && part.end < cursor && line.slice(part.end, cursor).trim() === '',
  );
  const follows = read.parts.some(
    (part) => name && part.kind === 'value' && part.start >= name.end && part.option === name.option,
  );
  if (!name?.option || follows) return undefined;
  return { kind: 'value', start: cursor, end: cursor, typed: '', definition, option: name.option };
}

/** Commands whose name starts with or contains the typed text. */
export function commandCompletions(typed: string, commands: readonly WireCommandDefinition[]): Completion[] {
  const byName = ranked(typed, commands, ({ name }) => name);
  const byLocalName = ranked(typed, commands, ({ localName = '' }) => localName);
  return [...new Set([...byName, ...(typed === '' ? [] : byLocalName)])].map(
    ({ name, localName, description }) => ({
      insert: `/${name} `,
      label: localName === undefined ? `/${name}` : `/${name} ${localName}`,
      detail: description,
    }),
  );
}

/** Options not set yet, without file options and the text option, which aren't typed by name. */
export function optionsLeft(
  { options, textOption }: WireCommandDefinition,
  { values }: Pick<CommandLine, 'values'>,
): WireOption[] {
  return options.filter(({ name, type }) => type !== 'file' && name !== textOption && !(name in values));
}

/** Completions of an option's name. */
export function optionCompletions(context: Extract<LineContext, { kind: 'option' }>): Completion[] {
  return ranked(context.typed, context.left, ({ name }) => name).map(({ name, description }) => ({
    insert: `--${name} `,
    label: `--${name}`,
    detail: description,
  }));
}

/** The choices of an option. */
export function valueCompletions(option: WireOption, typed: string): Completion[] {
  const values = option.type === 'boolean' ? ['true', 'false'] : (option.choices ?? []);
  return ranked(typed.toLowerCase(), values, (value) => value).map((value) => ({
    insert: `${value} `,
    label: value,
    detail: '',
  }));
}

function ranked<Item>(typed: string, items: readonly Item[], name: (item: Item) => string): Item[] {
  const begins = items.filter((item) => name(item).toLowerCase().startsWith(typed));
  const has = items.filter((item) => name(item).toLowerCase().indexOf(typed) > 0);
  return [...begins, ...has];
}
