import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  Locale as DiscordLocale,
  InteractionContextType,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import type { AnyCommand, Localized, Option } from '../../../port/index.ts';
import { inTermsOf } from '../../../words/index.ts';

/** The longest text an option takes on Discord; longer ones are possible only in the form of a button. */
const maxOptionLength = 6000;

/** How the application can be installed, as its settings allow: in servers, by people for themselves. */
export type Installs = readonly ApplicationIntegrationType[];

/** Where commands are offered: private channels without the bot are there only for who has installed it. */
function placesOf(installs: Installs) {
  const { Guild, BotDM, PrivateChannel } = InteractionContextType;
  const forPeople = installs.includes(ApplicationIntegrationType.UserInstall);
  return {
    contexts: [Guild, BotDM, ...(forPeople ? [PrivateChannel] : [])],
    integration_types: [...installs],
  };
}

/** The permission that shows a command in a server's list; administrators can give it to others there. */
const permissions = {
  administrators: PermissionFlagsBits.ManageGuild,
  moderators: PermissionFlagsBits.ManageMessages,
} as const;

/** A command as Discord registers it (interactions/application-commands), in English and Chinese. */
export function commandDefinition<Dependencies>(
  command: AnyCommand<Dependencies>,
  installs: Installs,
): RESTPostAPIChatInputApplicationCommandsJSONBody {
  const options = Object.entries(command.options).map(([name, option]) => optionDefinition(name, option));
  return {
    type: ApplicationCommandType.ChatInput,
    name: command.name,
    ...(command.localNames && { name_localizations: chinese(command.localNames['zh-CN']) }),
    ...described(command.description),
    options: [
      ...options.filter((option) => option.required),
      ...options.filter((option) => !option.required),
    ],
    ...placesOf(installs),
    ...(command.restrictedTo && { default_member_permissions: permissions[command.restrictedTo].toString() }),
  };
}

function optionDefinition(name: string, option: Option): APIApplicationCommandBasicOption {
  const base = { name, ...described(option.description), ...(option.required && { required: true }) };
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
        choices: option.choices.map((choice) => ({ name: inTermsOf('discord', choice), value: choice })),
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
      return { ...base, type: ApplicationCommandOptionType.Attachment };
  }
}

function described(text: Localized) {
  return {
    description: inTermsOf('discord', text.en),
    description_localizations: chinese(inTermsOf('discord', text['zh-CN'])),
  };
}

/** Chinese as it is written in both places whose language Discord offers. */
function chinese(text: string) {
  return { [DiscordLocale.ChineseCN]: text, [DiscordLocale.ChineseTW]: text };
}
