import { writeOptions } from '../../../../port/command-line/format.ts';
import {
  type LineFault as OptionLineFault,
  type LinePart as OptionLinePart,
  type OptionsLine,
  readOptions,
} from '../../../../port/command-line/parse.ts';
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
  /** The command; undefined for plain text and unknown commands. */
  readonly definition: WireCommandDefinition | undefined;
  readonly parts: readonly LinePart[];
  readonly faults: readonly LineFault[];
}

const commandPattern = /^\s*\/([\p{L}\p{N}_-]*)(?=\s|$)/u;

/**
 * Parses `/command` and its options, in the same grammar as Slack's. Input without a slash, or with a path such
 * as `/etc/hosts`, is plain text.
 */
export function readCommandLine(line: string, commands: readonly WireCommandDefinition[]): CommandLine {
  const match = commandPattern.exec(line);
  if (!match) return { name: undefined, definition: undefined, values: {}, parts: [], faults: [] };
  const name = (match[1] ?? '').toLowerCase();
  const definition = commands.find((command) => command.name === name || command.localName === name);
  const span = { start: match[0].lastIndexOf('/'), end: match[0].length };
  if (!definition) {
    const parts = [{ kind: 'fault', ...span }] as const;
    return { name, definition, values: {}, parts, faults: [{ kind: 'unknown-command', name }] };
  }
  const { values, parts, faults } = readOptions(line, definition, span.end);
  return { name, definition, values, parts: [{ kind: 'command', ...span }, ...parts], faults };
}

/** Writes a command line that parses to the same command and values. */
export function writeCommandLine(
  definition: WireCommandDefinition,
  values: Readonly<Record<string, string>>,
): string {
  return `/${definition.name} ${writeOptions(values, definition)}`.trimEnd();
}
