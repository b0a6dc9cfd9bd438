import { defineCommand } from '../src/app/define-command.ts';
import type { CommandAbout, Locale, Option, PlatformName } from '../src/port/index.ts';
import { inTermsOf, words } from '../src/words/index.ts';
import { allowedInWords } from '../src/words/option-labels.ts';

/** `/help`, made from the commands themselves. */
export function helpCommand(others: readonly CommandAbout[]) {
  const options = {
    command: {
      type: 'choice',
      choices: others.map(({ name }) => name),
      alsoCalled: Object.fromEntries(
        others.flatMap(({ name, localNames = {} }) =>
          Object.values(localNames).map((local) => [local, name]),
        ),
      ),
      description: { en: 'The command to explain', 'zh-CN': '要解释的命令' },
    },
  } as const;
  return defineCommand({
    name: 'help',
    localNames: { 'zh-CN': '帮助' },
    description: { en: 'What I can do here', 'zh-CN': '我在这里能做什么' },
    help: {
      en: '`/help command:video` explains one command.',
      'zh-CN': '`/help command:video` 解释一个命令。',
    },
    options,
    textOption: 'command',
    seenBy: 'requester',
    mayBeRead: true,
    async run({ options: { command: name }, address: { platform }, requester: { locale }, reply }) {
      const command = others.find((other) => other.name === name);
      const text = command ? commandHelp(command, locale) : overview(others, locale, platform);
      await reply.say({ text: inTermsOf(platform, text) });
    },
  });
}

function overview(commands: readonly CommandAbout[], locale: Locale, platform: PlatformName): string {
  const { help } = words(locale);
  const lines = commands.map(({ name, description }) => help.commandLine(name, description[locale]));
  const labels = commands.flatMap(({ fromMessage }) => (fromMessage ? [fromMessage.label[locale]] : []));
  return [
    ...[help.title, '', ...lines, ''],
    platform === 'console' ? help.plain : help.mention,
    help.byWords,
    ...(labels.length > 0 ? [help.fromMessage(labels)] : []),
    help.more(commands[0]?.name ?? ''),
  ].join('\n');
}

/** One command's help: what it does, every option with what is allowed. */
export function commandHelp(command: CommandAbout, locale: Locale): string {
  const lines = namesOf(command.options).map(([names, option]) => optionLine(names, option, locale));
  return [
    `**/${command.name}** — ${command.description[locale]}`,
    command.help[locale],
    ...(lines.length > 0 ? ['', `**${words(locale).help.options}**`, ...lines] : []),
  ].join('\n');
}

/** Options with what they're called; files that differ in their number only are one. */
function namesOf(options: CommandAbout['options']): readonly (readonly [names: string, option: Option])[] {
  const groups = Object.groupBy(Object.entries(options), ([name, { type }]) =>
    type === 'file' ? name.replace(/_\d+$/, '') : name,
  );
  return Object.values(groups).flatMap((group = []) => {
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) return [];
    return [[first === last ? `\`${first[0]}\`` : `\`${first[0]}\` … \`${last[0]}\``, first[1]] as const];
  });
}

function optionLine(names: string, option: Option, locale: Locale): string {
  const { help } = words(locale);
  const facts = [option.required ? help.required : '', allowed(option, locale) ?? ''].filter(Boolean);
  return help.option(names, option.description[locale], facts);
}

/** What an option may be, in words. */
function allowed(option: Option, locale: Locale): string | undefined {
  const { help } = words(locale);
  switch (option.type) {
    case 'choice':
      return allowedInWords(option.choices.join(', '), locale);
    case 'integer':
    case 'number':
      return help.range(option.min, option.max);
    case 'addresses':
      return help.addresses(option.max);
    case 'boolean':
      return allowedInWords('true, false', locale);
    case 'file':
      return help.files[option.media];
    case 'text':
      if (option.maxBytes !== undefined) return help.bytes(option.maxBytes);
      if (option.pattern) return undefined;
      return option.maxCharacters === undefined ? undefined : help.characters(option.maxCharacters);
  }
}
