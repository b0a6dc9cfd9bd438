import { commands as defined } from '../../commands/index.ts';
import { type CommandDependencies, readerOf } from '../../src/app/define-command.ts';
import type * as engine from '../../src/engine/index.ts';
import type { CommandAbout, Options, ValuesOf } from '../../src/port/index.ts';

/** A command, whatever its options are. */
export type AnyCommand = engine.Command;

/** The bot's own commands without what they work with: as far as their definitions go. */
export const commands: readonly AnyCommand[] = defined.map((one) => one.bind({} as CommandDependencies));

/** The same as they're written: they take whatever values they're given. */
export const definitions = defined as unknown as readonly AnyCommand[];

interface TestCommand<D extends Options>
  extends
    Omit<CommandAbout, 'options'>,
    Omit<engine.CommandWork<ValuesOf<D>>, 'run'>,
    Pick<AnyCommand, 'actions'> {
  readonly options: D;
  run(invocation: engine.Invocation<ValuesOf<D>>, dependencies?: null): ReturnType<AnyCommand['run']>;
}

/** A command of a test's; the types of its values come from its options. */
export function defineCommand<const D extends Options>(
  command: TestCommand<D>,
): TestCommand<D> & Pick<engine.Command, 'read' | 'revive'> {
  const { read, revive } = readerOf<D, object>(command);
  return { read, revive, ...command };
}

/** The rules of a place where commands ask for no settings. */
export type CommandRules = (
  ...asked: Parameters<engine.CommandRules>
) => Promise<engine.Refusal | (Omit<engine.Admitted, 'settings'> & { readonly settings: object })>;

/** Every command is allowed. */
export const allowing: CommandRules = async (_, values) => ({ kind: 'allowed', values, settings: {} });

/** The same, after a question; before one command, or before all where none is named. */
export const asking =
  (question: string, name?: string): CommandRules =>
  async (command, values) => ({
    ...{ kind: 'allowed', values, settings: {} },
    ...((name ?? command.name) === command.name && { question }),
  });

export function rulesBy(rules: CommandRules): engine.CommandRules {
  return rules as engine.CommandRules;
}
