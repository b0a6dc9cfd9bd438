// The console page loads this file in the browser: it imports nothing from outside this folder.
import { type LineCommand, type LineOption, type OptionsLine, readOptions } from './parse.ts';

/** What has to be known of an option to tell a command from a sentence. */
export interface SpokenOption extends LineOption {
  readonly choices?: readonly string[];
}

/** What has to be known of a command to find it at the beginning of a message. */
export interface SpokenCommand<O extends SpokenOption = SpokenOption> extends LineCommand<O> {
  readonly name: string;
  /** What it's called in other languages. */
  readonly localNames: readonly string[];
  /** It's one of the paid talents, which a message can begin with as it is. */
  readonly paid: boolean;
  /**
   * What follows its name, in lower case, where that is only the first word of a sentence: the source of a regular
   * expression, because the console’s page gets it as JSON.
   */
  readonly sentence?: string;
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
const head = /^(\s*)(\/?)([\p{L}\p{N}_-]+)(?:(?=\s|$)|[:：,，]|(?=[?？!！.。]+\s*$))/u;
const onlyMarks = /^[\s?？!！.。:：,，]*$/u;
const asksForHelp = /^\s*(?:help|帮助)[?？!！.。]*\s*$/iu;

/**
 * Finds the command that a message begins with, or undefined if the message is just text. The rule, for people:
 *
 * - `/imagine a cat`: with a slash it's always the command.
 * - `imagine a cat`: the name of a paid talent begins its command, too, unless what follows makes it a word of a sentence:
 *   “imagine you’re a pirate”. With a colon or an option it’s the command all the same. The plain one (`ask`) needs an
 *   option after it, since a question may well begin with that word.
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
  if (!match) return undefined;
  const [whole, space = '', slash = '', word = ''] = match;
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
  if (!command) return undefined;
  const typed = text.slice(start, from + space.length + slash.length + word.length);
  const found = (line: SpokenLine<C>['line']) => ({ command, typed, start, end, line });
  const rest = text.slice(end);
  if (asksForHelp.test(rest) && command.name !== 'help') return found('help');
  if (onlyMarks.test(rest)) {
    if (command.paid) return command.name === names.plain && !isSlash ? undefined : found('help');
    return found({ values: {}, parts: [], faults: [] });
  }
  const line = readOptions<O>(text, command, end);
  const isSentence = !/[:：]$/u.test(text.slice(start, end)) && startsSentence(command, rest);
  return isSlash || isSaid(command, line, names, isSentence) ? found(line) : undefined;
}

/** Whether a line without a slash is a command and not a sentence that begins with its name. */
function isSaid<O extends SpokenOption>(
  command: SpokenCommand<O>,
  { parts, faults, values }: OptionsLine<O>,
  { plain }: SpokenNames,
  isSentence: boolean,
): boolean {
  const hasOption = parts.some(({ kind }) => kind === 'option');
  if (command.name === plain || isSentence) return faults.length === 0 && hasOption;
  if (command.paid) return true;
  if (!parts.some(({ kind }) => kind === 'text')) return true;
  // A choice without its option's name: `help video`.
  const option = command.options.find(({ name }) => name === command.textOption);
  return option?.choices?.includes((values[option.name] ?? '').toLowerCase()) === true;
}

/** Letters of a sentence's beginning that tell it from an order. */
const beginning = 40;

function startsSentence({ sentence }: SpokenCommand, rest: string): boolean {
  if (sentence === undefined) return false;
  return new RegExp(sentence).test(rest.trimStart().slice(0, beginning).toLowerCase().replaceAll('’', "'"));
}

function nameOf(word: string, prefix = ''): string {
  const name = word.toLowerCase();
  return prefix !== '' && name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function isLocal({ localNames }: SpokenCommand, name: string): boolean {
  return localNames.includes(name);
}
