// The console page loads this file in the browser: it imports nothing from outside this folder.
import { type Intent, intentOf, mayAsk, mayOrder, type SpokenForm, statesOrder } from './intent.ts';
import { type LineCommand, type LineOption, type OptionsLine, readOptions } from './parse.ts';

/** What has to be known of an option to tell a command from a sentence. */
export interface SpokenOption extends LineOption {
  readonly choices?: readonly string[];
}

/** What has to be known of a command to find it at the beginning of a message. */
export interface SpokenCommand<O extends SpokenOption = SpokenOption> extends LineCommand<O> {
  readonly name: string;
  /** Its names in other languages. */
  readonly localNames: readonly string[];
  /** It's one of the paid talents, which a message can begin with as it is. */
  readonly paid: boolean;
  /** How people give it without a slash; one without `begins` is about what follows its name. */
  readonly forms?: readonly SpokenForm[];
}

/** A command at the beginning of a message. */
export interface SpokenLine<C extends SpokenCommand> {
  readonly command: C;
  /** Its name as it was typed, with the slash if it had one. */
  readonly typed: string;
  /** Where the name begins, and where it ends. */
  readonly start: number;
  readonly end: number;
  /** What follows it, read as options; `help` if the command is to be explained instead. */
  readonly line: OptionsLine<C['options'][number]> | 'help';
  /** It may as well be a sentence that only begins like the command: nothing is spent before its person has said which. */
  readonly isUnsure?: true;
}

export interface SpokenNames {
  /** The command that a message without another one is for: its bare name is only a word of a sentence. */
  readonly plain: string;
  /** A prefix of all slash commands (Slack). */
  readonly prefix?: string;
}

/** The slash command whose first word is another command. */
export const collector = 'troupe';

/** A name ends where the text does, at a space or a colon; or at a mark that ends the text. */
const head = /^(\s*)([/／]?)([\p{L}\p{N}_-]+)(?:(?=\s|$)|[:：,，]|(?=[?？!！.。]+\s*$))/u;
const onlyMarks = /^[\s?？!！.。:：,，]*$/u;
/** Whether what follows a command’s name asks for it to be explained. */
export const asksForHelp = /^\s*(?:help|帮助)[?？!！.。]*\s*$/iu;

/** What stands before an order. */
const opening =
  /^(?:[\s,，:：]{0,9}(?:(?:hey|hi|hello|ok|okay|now|please|pls|plz|kindly|just)[,!]?\s|i(?:'d like| want| would like| need) you to\s|请|請|麻烦|麻煩|帮我|幫我|帮忙|给我|給我|替我|快|再)){0,4}[\s,，:：]{0,9}/iu;
/** What makes an order a polite question. */
const polite =
  /^(?:(?:can|could|would|will) (?:you|u) (?:(?:please|pls|kindly|maybe) )?|你?(?:能不能|能否|能|可不可以|可以|可否|会)(?:请|麻烦|帮我|帮忙|给我|替我){0,2})/iu;

/**
 * Finds the command that a message begins with, or undefined if the message is just text. The rule, for people:
 *
 * - `/imagine a cat`: with a slash it's always the command.
 * - `imagine a cat`, `please draw a cat`: without one it's a paid command where it's plainly an order, so with a colon
 *   after its name (`video: a cat`) or an option (`imagine you and me --size 3k`), too. Where it could be an order or a
 *   sentence (`imagine a world without money`), and wherever it's only words about the dearest (`video of a cat`), the
 *   person is asked; a question is never an order. The plain one (`ask`) needs an option after it, since a question may
 *   well begin with that word.
 * - `usage`, `usage --period week`: other names begin a command only if nothing but options follows, so “settings are
 *   wrong, why?” stays a question.
 * - `imagine` alone, `imagine help`: explains it.
 */
export function spokenLine<O extends SpokenOption, C extends SpokenCommand<O>>(
  text: string,
  commands: readonly (C & SpokenCommand<O>)[],
  names: SpokenNames,
  from = 0,
  hasSlash = false,
): SpokenLine<C> | undefined {
  const match = head.exec(text.slice(from));
  const [whole, space = '', slash = '', word = ''] = match ?? [''];
  const isSlash = hasSlash || slash !== '';
  const start = from + space.length;
  const end = from + whole.length;
  const name = nameOf(word, slash !== '' ? names.prefix : undefined);
  const isCollector = slash !== '' && name === collector;
  if (isCollector && !onlyMarks.test(text.slice(end))) {
    const inner = spokenLine(text, commands, names, end, true);
    return inner && { ...inner, typed: text.slice(start, inner.end), start };
  }
  const command = commands.find((one) => one.name === (isCollector ? 'help' : name) || isLocal(one, name));
  if (!command) return isSlash ? undefined : orderIn(text, commands, names);
  const typed = text.slice(start, from + space.length + slash.length + word.length);
  const found = (line: SpokenLine<C>['line']) => ({ command, typed, start, end, line });
  const rest = text.slice(end);
  if (asksForHelp.test(rest) && command.name !== 'help') return found('help');
  if (onlyMarks.test(rest)) {
    if (command.paid) return command.name === names.plain && !isSlash ? undefined : found('help');
    return found({ values: {}, parts: [], faults: [] });
  }
  if (!isSlash && command.paid && command.name !== names.plain) return orderIn(text, commands, names);
  const line = readOptions<O>(text, command, end);
  return isSlash || isSaid(command, line, names) ? found(line) : undefined;
}

/** Whether a line without a slash is a command that costs nothing, or the plain one, and not a sentence. */
function isSaid<O extends SpokenOption>(
  command: SpokenCommand<O>,
  { parts, faults, values }: OptionsLine<O>,
  { plain }: SpokenNames,
): boolean {
  const hasOption = parts.some(({ kind }) => kind === 'option');
  if (command.name === plain) return faults.length === 0 && hasOption;
  if (!parts.some(({ kind }) => kind === 'text')) return true;
  // A choice without its option's name: `help video`.
  const option = command.options.find(({ name }) => name === command.textOption);
  return option?.choices?.includes((values[option.name] ?? '').toLowerCase()) === true;
}

/** A paid command that a message without a slash gives. */
function orderIn<O extends SpokenOption, C extends SpokenCommand<O>>(
  text: string,
  commands: readonly (C & SpokenCommand<O>)[],
  names: SpokenNames,
): SpokenLine<C> | undefined {
  const opened = opening.exec(text)?.[0].length ?? 0;
  const asked = polite.exec(text.slice(opened, opened + longestBeginning))?.[0].length ?? 0;
  const start = opened + asked;
  for (const command of commands) {
    if (!command.paid || command.name === names.plain) continue;
    for (const form of command.forms ?? []) {
      const end = endOfBeginning(text, start, command, form);
      if (end === undefined || onlyMarks.test(text.slice(end))) continue;
      const line = readOptions<O>(text, command, end);
      const intent = intentIn(text, end, line, form, asked > 0);
      const typed = text.slice(start, end).replace(/[\s:：,，]{1,20}$/u, '');
      if (intent === 'question') return undefined;
      return { command, typed, start, end, line, ...(intent === 'unsure' && { isUnsure: true }) };
    }
  }
  return undefined;
}

/** Letters of a message in which a form has to begin. */
const longestBeginning = 300;

/** Where the words end with which a form begins at `start`; undefined if they don't stand there. */
function endOfBeginning(
  text: string,
  start: number,
  command: SpokenCommand,
  { begins }: SpokenForm,
): number | undefined {
  const here = text.slice(start, start + longestBeginning);
  if (begins !== undefined) {
    const [found] = new RegExp(`^(?:${begins})`, 'iu').exec(here) ?? [];
    return found === undefined ? undefined : start + found.length;
  }
  const [whole = '', , , word = ''] = head.exec(here) ?? [];
  const name = word.toLowerCase();
  return name !== '' && (name === command.name || isLocal(command, name)) ? start + whole.length : undefined;
}

/** An option makes an order of anything, and a colon after the name of what isn't a question; other words have to fit. */
function intentIn<O extends SpokenOption>(
  text: string,
  end: number,
  { parts, faults, values }: OptionsLine<O>,
  form: SpokenForm,
  isPolite: boolean,
): Intent {
  const options = parts.filter(({ kind }) => kind === 'option');
  const rest = text.slice(end);
  if (options.some(({ start }) => /[-—–]/.test(text.charAt(start)))) return 'order';
  const hasColon = /[:：]\s*$/u.test(text.slice(Math.max(0, end - 20), end));
  if (options.length > 0 || hasColon) {
    const isPlain = options.length > 0 || form.begins === undefined || statesOrder(form, rest);
    return isPlain && !mayAsk(rest) ? 'order' : 'unsure';
  }
  // A name that no option has is explained, which costs nothing, where the words before it are an order.
  const wrong =
    Object.keys(values).length > 0 && faults.length > 0 && parts.find(({ kind }) => kind === 'fault');
  if (!wrong) return intentOf(form, rest, isPolite);
  const before = text.slice(end, wrong.start);
  return mayOrder(form, before) && !mayAsk(before) ? 'order' : 'question';
}

function nameOf(word: string, prefix = ''): string {
  const name = word.toLowerCase();
  return prefix !== '' && name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function isLocal({ localNames }: SpokenCommand, name: string): boolean {
  return localNames.includes(name);
}
