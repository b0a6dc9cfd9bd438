import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  Locale as DiscordLocale,
  type FileUploadType,
  InteractionContextType,
  PermissionFlagsBits,
  type RESTPostAPIApplicationCommandsJSONBody,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from 'discord-api-types/v10';
import type { CommandAbout, FileOption, Locale, Localized, Option } from '../../../port/index.ts';
import { inTermsOf } from '../../../words/index.ts';
import { choiceLabel } from '../../../words/option-labels.ts';

/** Most characters of a text option (interactions/application-commands). */
const maxOptionLength = 6000;

/**
 * The files that people can choose for an option, by their names' endings (reference, file type filtering): Discord's
 * groups, and what those lack.
 */
export const fileTypes: Readonly<Record<FileOption['media'], readonly FileUploadType[]>> = {
  image: ['image', '.heic', '.heif'],
  video: ['video', '.m4v', '.mkv'],
};

/** How the application can be installed by its settings: in servers, by people for themselves. */
export type Installs = readonly ApplicationIntegrationType[];

/** Where commands are offered: in private channels without the bot only to people who installed it for themselves. */
function availability(installs: Installs) {
  const { Guild, BotDM, PrivateChannel } = InteractionContextType;
  const forPeople = installs.includes(ApplicationIntegrationType.UserInstall);
  return {
    contexts: [Guild, BotDM, ...(forPeople ? [PrivateChannel] : [])],
    integration_types: [...installs],
  };
}

/** The permission that a command needs by default; administrators can change it in the server's settings. */
const defaultPermissions = {
  administrators: PermissionFlagsBits.ManageGuild,
} as const;

/** All commands as they're registered with Discord: slash commands, and those in the menu of a message. */
export function commandDefinitions(
  commands: readonly CommandAbout[],
  installs: Installs,
): RESTPostAPIApplicationCommandsJSONBody[] {
  const slash = commands.map((command) => commandDefinition(command, installs));
  const menus = commands.flatMap(({ fromMessage }) =>
    fromMessage ? [messageCommandDefinition(fromMessage.label, installs)] : [],
  );
  return [...slash, ...menus];
}

/** A command in the menu of a message: it has a name in any letters, no description and no options. */
function messageCommandDefinition(
  label: Localized,
  installs: Installs,
): RESTPostAPIContextMenuApplicationCommandsJSONBody {
  return {
    type: ApplicationCommandType.Message,
    name: label.en,
    name_localizations: chinese(label['zh-CN']),
    ...availability(installs),
  };
}

/** A command as it's registered with Discord (interactions/application-commands), in English and Chinese. */
function commandDefinition(
  command: CommandAbout,
  installs: Installs,
): RESTPostAPIChatInputApplicationCommandsJSONBody {
  return {
    type: ApplicationCommandType.ChatInput,
    name: command.name,
    ...(command.localNames && { name_localizations: chinese(command.localNames['zh-CN']) }),
    ...described(command.description),
    options: subcommands(command) ?? optionDefinitions(Object.entries(command.options)),
    ...availability(installs),
    ...(command.restrictedTo && {
      default_member_permissions: defaultPermissions[command.restrictedTo].toString(),
    }),
  };
}

/** A group of options is a sub-command, which has those of no group, too. Its name is the choice that names the group. */
function subcommands({
  options,
  groups,
  textOption,
}: CommandAbout): APIApplicationCommandSubcommandOption[] | undefined {
  if (!groups) return undefined;
  const grouped = new Set([textOption, ...Object.values(groups).flatMap(({ fields }) => fields)]);
  const all = Object.entries(options);
  const ofNone = all.filter(([name]) => !grouped.has(name));
  return Object.entries(groups).map(([name, { title, description, fields }]) => ({
    type: ApplicationCommandOptionType.Subcommand,
    name,
    name_localizations: chinese(title['zh-CN']),
    ...described(description),
    options: optionDefinitions([...all.filter(([option]) => fields.includes(option)), ...ofNone]),
  }));
}

/** Required ones first, as Discord wants them. */
function optionDefinitions(
  options: readonly (readonly [name: string, option: Option])[],
): APIApplicationCommandBasicOption[] {
  const definitions = options.map(([name, option]) => optionDefinition(name, option));
  return [
    ...definitions.filter(({ required }) => required),
    ...definitions.filter(({ required }) => !required),
  ];
}

function optionDefinition(name: string, option: Option): APIApplicationCommandBasicOption {
  const base = {
    name: shownOptionName(name),
    ...described(option.description),
    ...(option.required && { required: true }),
  };
  switch (option.type) {
    case 'text':
      return {
        ...base,
        type: ApplicationCommandOptionType.String,
        max_length: Math.min(maxOptionLength, option.maxCharacters ?? option.maxBytes ?? maxOptionLength),
        ...(option.suggest && { autocomplete: true }),
      };
    case 'addresses':
      return { ...base, type: ApplicationCommandOptionType.String, max_length: maxOptionLength };
    case 'choice':
      return {
        ...base,
        type: ApplicationCommandOptionType.String,
        choices: option.choices.map(choiceDefinition),
      };
    case 'integer':
      return {
        ...base,
        type: ApplicationCommandOptionType.Integer,
        min_value: option.min,
        max_value: option.max,
      };
    case 'number':
      return {
        ...base,
        type: ApplicationCommandOptionType.Number,
        min_value: option.min,
        max_value: option.max,
      };
    case 'boolean':
      return { ...base, type: ApplicationCommandOptionType.Boolean };
    case 'file':
      return {
        ...base,
        type: ApplicationCommandOptionType.Attachment,
        file_types: [...fileTypes[option.media]],
      };
  }
}

function choiceDefinition(value: string) {
  const [name, localName] = [shownChoice(value, 'en'), shownChoice(value, 'zh-CN')];
  return { name, ...(localName !== name && { name_localizations: chinese(localName) }), value };
}

/** The label of a choice in a list. */
export function shownChoice(choice: string, locale: Locale): string {
  return inTermsOf('discord', choiceLabel(choice, locale));
}

/** The name under which an option is registered: a workspace is a server here. */
export function shownOptionName(name: string): string {
  return inTermsOf('discord', name);
}

function described(text: Localized) {
  return {
    description: inTermsOf('discord', text.en),
    description_localizations: chinese(inTermsOf('discord', text['zh-CN'])),
  };
}

/** The same for both kinds of Chinese that Discord offers. */
function chinese(text: string) {
  return { [DiscordLocale.ChineseCN]: text, [DiscordLocale.ChineseTW]: text };
}
