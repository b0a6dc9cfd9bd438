import type { z } from 'zod';
import type * as engine from '../engine/index.ts';
import {
  type AnyValues,
  type CommandAbout,
  type OptionFault,
  type Options,
  parseOptions,
  type ValuesOf,
} from '../port/index.ts';
import type { CommandDependencies } from './command-dependencies.ts';
import { InputError } from './faults/input-error.ts';

/** The same, with what troupe's commands work with after each method's own parameters. */
type WithDependencies<T> = {
  [Name in keyof T]: NonNullable<T[Name]> extends (...own: infer Own) => infer Result
    ? (...all: [...own: Own, dependencies: CommandDependencies]) => Result
    : T[Name];
};

/** A button that runs a command, as if the person had typed it. */
export type CommandAction = WithDependencies<engine.CommandAction>;
/** A button that does something by itself and runs no command. */
export type EffectAction = WithDependencies<engine.EffectAction>;
/** What a button does. */
export type Action = CommandAction | EffectAction;

type Work<D extends Options, State extends object> = engine.CommandWork<ValuesOf<D> & State>;
/** What needs nothing but values. */
type Pure = 'fileKind' | 'operation' | 'defaults' | 'isInterim' | 'about';

/** A command of troupe's: what it is, and what it does. */
export interface CommandDefinition<D extends Options, State extends object>
  extends CommandAbout,
    Pick<Work<D, State>, Pure>,
    WithDependencies<Omit<Work<D, State>, Pure>> {
  readonly options: D;
  /** What comes along with what's typed, from buttons, menus and platforms. */
  readonly state?: z.ZodType<State>;
  readonly actions?: Readonly<Record<string, Action>>;
}

/** A command as it's listed: what it is, as data, and how it gets what it works with. */
export interface DefinedCommand extends CommandAbout {
  bind(dependencies: CommandDependencies): engine.Command;
}

/**
 * Defines one of troupe's commands; the types of its values come from its options.
 *
 * ```ts
 * import { defineCommand } from './define-command.ts';
 *
 * export default defineCommand({
 *   name: 'echo',
 *   description: { en: 'Repeat something', 'zh-CN': '重复一句话' },
 *   help: { en: 'Example: `/echo text:hello`', 'zh-CN': '例如：`/echo text:你好`' },
 *   options: {
 *     text: { type: 'text', required: true, description: { en: 'What to repeat', 'zh-CN': '要重复的话' } },
 *   },
 *   textOption: 'text',
 *   seenBy: 'channel',
 *   async run({ options: { text }, reply }) {
 *     await reply.say({ text });
 *   },
 * });
 * ```
 */
export function defineCommand<const D extends Options, State extends object = object>(
  definition: CommandDefinition<D, State>,
): CommandDefinition<D, State> & DefinedCommand {
  return { ...definition, bind: (dependencies) => bound(definition, dependencies) };
}

function bound<D extends Options, State extends object>(
  definition: CommandDefinition<D, State>,
  dependencies: CommandDependencies,
): engine.Command {
  const { check, fileKind, operation, price, defaults, interrupted, withdrawn, run, ...about } = definition;
  const values = (given: AnyValues) => {
    if (fits(definition, given)) return given;
    throw new InputError((say) => say.faults(about.name, faultsIn(definition, given)));
  };
  const actions = Object.entries(about.actions ?? {}).map(([name, action]) => [
    name,
    boundAction(action, dependencies),
  ]);
  return {
    ...about,
    actions: Object.fromEntries(actions),
    faultsIn: (given) => faultsIn(definition, given),
    ...(check && { check: (given) => check(values(given), dependencies) }),
    ...(fileKind && { fileKind: (given) => fileKind(values(given)) }),
    ...(operation && { operation: (given) => operation(values(given)) }),
    ...(price && { price: (given, who) => price(values(given), who, dependencies) }),
    ...(defaults && { defaults: (settings, given) => defaults(settings, values(given)) }),
    ...(interrupted && { interrupted: (job, shown) => interrupted(job, shown, dependencies) }),
    ...(withdrawn && { withdrawn: (job, shown) => withdrawn(job, shown, dependencies) }),
    run: (invocation) => run({ ...invocation, options: values(invocation.options) }, dependencies),
  };
}

function boundAction(action: Action, dependencies: CommandDependencies): engine.Action {
  const { form, ...own } = action;
  const opens: Pick<engine.Action, 'form'> = form
    ? { form: (job, locale, shown) => form(job, locale, shown, dependencies) }
    : {};
  if ('run' in own) return { ...own, ...opens, run: (press) => own.run(press, dependencies) };
  const { call, inPlace, addedOptions, ...rest } = own;
  return {
    ...rest,
    ...opens,
    call: (press) => call(press, dependencies),
    ...(inPlace && { inPlace: (press) => inPlace(press, dependencies) }),
    ...(addedOptions && { addedOptions: (press) => addedOptions(press, dependencies) }),
  };
}

/** What of these values the command's definition doesn't allow. */
function faultsIn<D extends Options, State extends object>(
  { options, state }: CommandDefinition<D, State>,
  given: AnyValues,
): readonly OptionFault[] {
  const own = Object.entries(given).filter(([name]) => Object.hasOwn(options, name));
  const parsed = parseOptions(options, Object.fromEntries(own));
  const issues = state?.safeParse(given).error?.issues ?? [];
  return [
    ...('faults' in parsed ? parsed.faults : []),
    ...issues.map(({ path: [option = ''], message: allowed }) => ({
      option: String(option),
      code: 'wrong-form' as const,
      given: String(given[String(option)]),
      allowed,
    })),
  ];
}

function fits<D extends Options, State extends object>(
  definition: CommandDefinition<D, State>,
  given: AnyValues,
): given is AnyValues & ValuesOf<D> & State {
  return faultsIn(definition, given).length === 0;
}
