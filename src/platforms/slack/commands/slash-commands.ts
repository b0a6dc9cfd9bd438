import { readOptions, writeOptions } from '../../../port/command-line/parse.ts';
import { asksForHelp, collector } from '../../../port/command-line/spoken.ts';
import { type CommandAbout, lineCommandOf, paidCommandNames } from '../../../port/index.ts';

/**
 * Commands with a slash command of their own; the others come after `/troupe`, because all apps share one set of
 * names.
 */
const ownNames: readonly string[] = paidCommandNames;

/** One of the app’s slash commands. */
export interface SlashCommand {
  readonly name: string;
  /** Undefined for `/troupe`. */
  readonly command: CommandAbout | undefined;
}

/** Every slash command to register, `/troupe` last. */
export function slashCommands(commands: readonly CommandAbout[], prefix: string): SlashCommand[] {
  const own = commands.filter(({ name }) => ownNames.includes(name));
  return [
    ...own.map((command) => ({ name: `/${prefix}${command.name}`, command })),
    { name: `/${prefix}${collector}`, command: undefined },
  ];
}

/** What somebody typed: the command, the rest of the line, and how to type it again. */
export interface TypedCommand {
  readonly command: string;
  readonly line: string;
  readonly typed: string;
}

/**
 * Finds the command in what was typed: `/ask …`, `/troupe usage …`, also by its name in another language; `help` after a command
 * explains it, and `/troupe` alone explains everything.
 */
export function typedCommand(
  slash: string,
  text: string,
  prefix: string,
  commands: readonly Pick<CommandAbout, 'name' | 'localNames'>[],
): TypedCommand {
  const own = slash.slice(1 + prefix.length);
  const line = text.trim();
  if (own !== collector) {
    if (asksForHelp.test(line)) return { command: 'help', line: own, typed: slash };
    return { command: own, line, typed: slash };
  }
  const [, word = 'help', rest = ''] = /^\/?(\S*)\s*([\s\S]*)$/u.exec(line) ?? [];
  const name = word.toLowerCase() || 'help';
  const isLocal = ({ localNames = { 'zh-CN': '' } }) => Object.values(localNames).includes(name);
  const command = commands.find(isLocal)?.name ?? name;
  if (asksForHelp.test(rest) && command !== 'help') {
    return { command: 'help', line: command, typed: `${slash} help` };
  }
  return { command, line: rest, typed: `${slash} ${command}` };
}

/** How a command is typed in Slack. */
export function typedName(command: string, prefix: string): string {
  return ownNames.includes(command) ? `/${prefix}${command}` : `/${prefix}${collector} ${command}`;
}

/**
 * Rewrites the commands in a text as they are typed in Slack: `/imagine prompt:a cat size:3k` becomes `/imagine a cat
 * --size 3k`, and `/reset` becomes `/troupe reset`.
 */
export function inSlackStyle(
  text: string,
  commands: readonly Pick<CommandAbout, 'name' | 'options' | 'textOption'>[],
  prefix: string,
): string {
  const byName = new Map(commands.map((command) => [command.name, command]));
  const named = text.replace(/(?<![\w/])\/([a-z]+)\b/g, (whole, name: string) =>
    byName.has(name) ? typedName(name, prefix) : whole,
  );
  return named.replace(
    /`(\/[^`\n]+)`/g,
    (_, line: string) => `\`${lineInSlackStyle(line, byName, prefix)}\``,
  );
}

function lineInSlackStyle(
  line: string,
  byName: ReadonlyMap<string, Pick<CommandAbout, 'options' | 'textOption'>>,
  prefix: string,
): string {
  const [, head = '', name = ''] = new RegExp(`^(/${prefix}(?:${collector} )?([a-z]+))`).exec(line) ?? [];
  const command = byName.get(name);
  if (!command) return line;
  const { values } = readOptions(line.slice(head.length), lineCommandOf(command));
  return `${head} ${writeOptions(values, lineCommandOf(command))}`.trimEnd();
}

/** What the ids of the shortcuts begin with; the command's name follows. */
const idPrefix = 'message.';

/** The shortcuts in the menu of a message, as the manifest has them. A manifest has one language. */
export function messageShortcuts(commands: readonly CommandAbout[]) {
  return commands.flatMap(({ name, fromMessage }) =>
    fromMessage
      ? [
          {
            name: fromMessage.label.en,
            type: 'message' as const,
            callback_id: `${idPrefix}${name}`,
            description: fromMessage.description.en,
          },
        ]
      : [],
  );
}

/** The command of a shortcut; undefined where its id isn't ours. */
export function shortcutCommand(callbackId: string): string | undefined {
  return callbackId.startsWith(idPrefix) ? callbackId.slice(idPrefix.length) : undefined;
}

/** All ids of shortcuts. */
export const shortcutIds = new RegExp(`^${idPrefix.replace('.', '\\.')}`);
