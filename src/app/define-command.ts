import type { EffectiveSettings } from '../place-settings/index.ts';
import type { Command, Options } from '../port/index.ts';
import type { CommandDependencies } from './command-dependencies.ts';

/** Defines one of troupe's commands; the types of its values come from its options. */
export function defineCommand<const D extends Options>(
  command: Command<CommandDependencies, D, EffectiveSettings>,
): Command<CommandDependencies, D, EffectiveSettings> {
  return command;
}
