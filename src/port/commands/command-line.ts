import type { PaidOperation } from '../../service-rules/prices.ts';
import { type LineCommand, type OptionsLine, readOptions } from '../command-line/parse.ts';
import type { SpokenCommand, SpokenOption } from '../command-line/spoken.ts';
import type { CommandAbout } from './command.ts';
import type { RawValues } from './options.ts';

type Definition = Pick<CommandAbout, 'options' | 'textOption'>;

/** The text after a command. Values are not checked yet. */
export interface CommandLine {
  readonly values: RawValues;
  /** The file options that were named without a value, which text can't give. */
  readonly namedFiles: readonly string[];
}

/** Reads what was typed after a command, as it is read everywhere. */
export function readCommandLine(line: string, command: Definition): CommandLine {
  return commandLineOf(readOptions(line, lineCommandOf(command)));
}

/** The values of a line that has been read. */
export function commandLineOf({ values, faults }: OptionsLine): CommandLine {
  // An option without a value counts as not given; an unknown one is reported all the same.
  const nameless = faults.map((fault) => (fault.kind === 'needs-value' ? fault.option.name : fault.name));
  const namedFiles = faults.flatMap((fault) =>
    fault.kind === 'needs-value' && fault.option.type === 'file' ? [fault.option.name] : [],
  );
  return { values: { ...Object.fromEntries(nameless.map((name) => [name, ''])), ...values }, namedFiles };
}

/** A command as reading and writing a line needs it. */
export function lineCommandOf({ options, textOption }: Definition): LineCommand {
  return { options: Object.entries(options).map(([name, { type }]) => ({ name, type })), textOption };
}

/** What finding a command in a message has to know of it. */
export function spokenCommandOf({
  name,
  localNames = { 'zh-CN': '' },
  forms,
  options,
  textOption,
}: Pick<CommandAbout, 'name' | 'localNames' | 'forms' | 'options' | 'textOption'>): SpokenCommand {
  return {
    name,
    localNames: Object.values(localNames).filter(Boolean),
    paid: paidCommandNames.some((paid) => paid === name),
    ...(forms && { forms }),
    options: Object.entries(options).map(([option, definition]): SpokenOption => ({
      name: option,
      type: definition.type,
      ...(definition.type === 'choice' && {
        choices: [...definition.choices, ...Object.keys(definition.alsoCalled ?? {})],
      }),
    })),
    textOption,
  };
}

/**
 * The command for each paid operation of the service. Code that needs to know which commands cost credits, and
 * can't ask the commands themselves, reads it here.
 */
export const commandFor = {
  chat: 'ask',
  speech: 'speak',
  image: 'imagine',
  video: 'video',
} as const satisfies Record<PaidOperation, string>;

export type PaidCommandName = (typeof commandFor)[PaidOperation];

/** In the order in which they're shown. */
export const paidCommandNames: readonly PaidCommandName[] = Object.values(commandFor);
