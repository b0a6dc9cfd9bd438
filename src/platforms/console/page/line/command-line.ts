import {
  type LineFault as OptionLineFault,
  type LinePart as OptionLinePart,
  type OptionsLine,
  readOptions,
} from '../../../../port/command-line/read.ts';
import { writeOptions } from '../../../../port/command-line/write.ts';
import type { WireCommandDefinition, WireOption } from '../../api/wire.ts';

/** What a stretch of the line is: what any platform reads, and the command's name before it. */
export type LinePart =
  | OptionLinePart<WireOption>
  | {
      readonly kind: 'command' | 'fault';
      readonly start: number;
      readonly end: number;
      readonly option?: never;
    };

/** Why a line cannot be sent as it is. */
export type LineFault =
  | { readonly kind: 'unknown-command'; readonly name: string }
  | OptionLineFault<WireOption>;

/** A line, read. */
export interface CommandLine extends Pick<OptionsLine, 'values'> {
  /** Undefined where the line is plain words. */
  readonly name: string | undefined;
  /** Undefined where there is no such command too. */
  readonly shape: WireCommandDefinition | undefined;
  readonly parts: readonly LinePart[];
  readonly faults: readonly LineFault[];
}

const commandPattern = /^\s*\/([\p{L}\p{N}_-]*)(?=\s|$)/u;

/**
 * Reads `/command` and its options, as they are read everywhere. A line without a slash, or with one that begins a
 * path, is plain words.
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
  const { values, parts, faults } = readOptions(line, shape, span.end);
  return { name, shape, values, parts: [{ kind: 'command', ...span }, ...parts], faults };
}

/** Writes a command as a line that reads as the same command. */
export function writeCommandLine(
  shape: WireCommandDefinition,
  values: Readonly<Record<string, string>>,
): string {
  return `/${shape.name} ${writeOptions(values, shape)}`.trimEnd();
}
