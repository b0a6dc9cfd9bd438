import { type LineCommand, readOptions } from '../../../port/command-line/parse.ts';
import type { AnyCommand, RawValues } from '../../../port/index.ts';

type Definition = Pick<AnyCommand<never>, 'options' | 'textOption'>;

/** What somebody typed after a command. Values are not checked yet. */
export interface CommandLine {
  readonly values: RawValues;
  /** A file option was named: only a form can take files. */
  readonly wantsFiles: boolean;
}

/** Reads what was typed after a command, as it is read everywhere. */
export function readCommandLine(line: string, command: Definition): CommandLine {
  const { values, faults } = readOptions(line, lineCommandOf(command));
  // An option without a value counts as not given; an unknown one is reported all the same.
  const nameless = faults.map((fault) => (fault.kind === 'needs-value' ? fault.option.name : fault.name));
  const wantsFiles = faults.some((fault) => fault.kind === 'needs-value' && fault.option.type === 'file');
  return { values: { ...Object.fromEntries(nameless.map((name) => [name, ''])), ...values }, wantsFiles };
}

/** What reading and writing a line has to know of a command. */
export function lineCommandOf({ options, textOption }: Definition): LineCommand {
  return { options: Object.entries(options).map(([name, { type }]) => ({ name, type })), textOption };
}
