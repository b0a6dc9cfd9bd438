import type { ChoiceOption, Localized, SuggestionSource, TextOption } from '../port/index.ts';

/** Undoes a choice: the channel follows its workspace again, and the workspace the defaults. */
export const inherit = 'inherit';

/** One thing administrators can choose for a channel or workspace. */
export interface Definition<T = unknown> {
  /** How it is entered; `inherit` is always allowed. */
  readonly option: TextOption | ChoiceOption;
  /** Whether it can be chosen per channel, or only for the whole workspace. */
  readonly scope: 'channel' | 'workspace';
  /** People can choose it for their own direct messages with the bot, which nobody administers. */
  readonly personal?: true;
  /** The environment's value is a limit: a channel or workspace can choose less; 0 means the limit itself. */
  readonly capped?: true;
  /** A stored value may no longer be allowed: it's checked again, and if that fails it counts as not chosen. */
  readonly readAgain?: true;
  /** What's allowed, for the error about anything else. */
  readonly allowed: string;
  /** The value of what was entered; undefined if it isn't allowed. */
  read(entered: string): T | undefined;
  /** A value as it's entered. */
  write(value: T): string;
}

/** A definition whose type of value is only known at run time. */
export interface AnyDefinition extends Omit<Definition, 'write'> {
  write(value: never): string;
}

/** A setting that people can also choose for their own direct messages: it lifts no limit and spends nobody else's credits. */
export function personal<D extends AnyDefinition>(definition: D): D & { readonly personal: true } {
  return { ...definition, personal: true };
}

/** One of a list. */
export function choice<const T extends string>(choices: readonly T[], description: Localized): Definition<T> {
  return {
    option: { type: 'choice', choices: [...choices, inherit], description },
    scope: 'channel',
    allowed: choices.join(', '),
    read: (entered) => choices.find((one) => one === entered),
    write: (value) => value,
  };
}

/** On or off. */
export function onOrOff(description: Localized): Definition<boolean> {
  return {
    option: { type: 'choice', choices: ['on', 'off', inherit], description },
    scope: 'channel',
    allowed: 'on, off',
    read: (entered) => ({ on: true, off: false })[entered],
    write: (value) => (value ? 'on' : 'off'),
  };
}

/** A whole number in a range, from a menu. */
export function whole(min: number, max: number, description: Localized): Definition<number> {
  const choices = Array.from({ length: max - min + 1 }, (_, index) => String(min + index));
  return {
    option: { type: 'choice', choices: [...choices, inherit], description },
    scope: 'channel',
    allowed: `${min}–${max}`,
    read: (entered) => (choices.includes(entered) ? Number(entered) : undefined),
    write: String,
  };
}

/** A daily budget in credits, up to the environment's limit; 0 for that limit. */
export function budget(description: Localized): Definition<number> & { readonly capped: true } {
  return { ...credits(description), capped: true };
}

/** Credits. */
export function credits(description: Localized): Definition<number> {
  const form = /^\d{1,9}(?:\.\d{1,6})?$/;
  const allowed = '0–999999999';
  return {
    option: {
      type: 'text',
      description,
      pattern: { expression: orInherit(form), allowed: `${allowed}, ${inherit}` },
    },
    scope: 'channel',
    allowed,
    read: (entered) => (form.test(entered) ? Number(entered) : undefined),
    write: String,
  };
}

/** Free text. */
export function text(
  description: Localized,
  rules: {
    readonly maxCharacters: number;
    readonly pattern?: { readonly expression: RegExp; readonly allowed: string };
    readonly suggest?: SuggestionSource;
  },
): Definition<string> {
  const { maxCharacters, pattern, suggest } = rules;
  return {
    option: {
      type: 'text',
      description,
      maxCharacters,
      ...(suggest && { suggest }),
      ...(pattern && {
        pattern: { expression: orInherit(pattern.expression), allowed: `${pattern.allowed}, ${inherit}` },
      }),
    },
    scope: 'channel',
    allowed: pattern?.allowed ?? `${maxCharacters}`,
    read: (entered) => (pattern && !pattern.expression.test(entered) ? undefined : entered),
    write: (value) => value,
  };
}

/** A list of words, separated by spaces or commas; `none` for an empty one. */
export function list(
  description: Localized,
  item: (word: string) => string | undefined,
  allowed: string,
  rules: Pick<TextOption, 'people'> = {},
): Definition<readonly string[]> {
  const split = (entered: string) => (entered === none ? [] : entered.split(/[\s,，、]+/u).filter(Boolean));
  const read = (entered: string) => {
    const items = split(entered).map(item);
    return items.every((one) => one !== undefined) ? [...new Set(items)] : undefined;
  };
  return {
    option: { type: 'text', description: withAllowed(description, allowed), maxCharacters: 2_000, ...rules },
    scope: 'channel',
    allowed,
    read,
    write: (value) => (value.length === 0 ? none : value.join(' ')),
  };
}

/** An empty list, as it is entered. */
export const none = 'none';

function withAllowed(description: Localized, allowed: string): Localized {
  return { en: `${description.en}: ${allowed}`, 'zh-CN': `${description['zh-CN']}：${allowed}` };
}

function orInherit({ source, flags }: RegExp): RegExp {
  return new RegExp(`^(?:${inherit}|${source.replace(/^\^|\$$/g, '')})$`, flags);
}
