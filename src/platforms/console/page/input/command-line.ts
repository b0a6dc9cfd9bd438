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
