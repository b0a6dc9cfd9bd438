import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandInteractionDataBasicOption,
  type APIApplicationCommandInteractionDataOption,
  type APIApplicationCommandSubcommandOption,
  type APIAttachment,
  type APIModalSubmitInteraction,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  ComponentType,
  Locale as DiscordLocale,
  type FileUploadType,
  InteractionContextType,
  type ModalSubmitComponent,
  PermissionFlagsBits,
  type RESTPostAPIApplicationCommandsJSONBody,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from 'discord-api-types/v10';
import type { CommandDispatcher } from '../../../engine/index.ts';
import { beginningOf } from '../../../lib/text.ts';
import {
  type Address,
  type CommandAbout,
  type FileOption,
  type IncomingFile,
  type Locale,
  localeOf,
  type Localized,
  type Option,
  type RawValues,
} from '../../../port/index.ts';
import { inTermsOf } from '../../../words/index.ts';
import { choiceLabel } from '../../../words/option-labels.ts';
import { incomingFile } from '../media/attached-files.ts';

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

/**
 * Where commands are offered: in private channels without the bot only to people who installed it for themselves, and none for
 * administrators, who aren't there.
 */
function availability(installs: Installs, { restrictedTo }: Pick<CommandAbout, 'restrictedTo'> = {}) {
  const { Guild, BotDM, PrivateChannel } = InteractionContextType;
  const isForPeople = restrictedTo === undefined && installs.includes(ApplicationIntegrationType.UserInstall);
  return {
    contexts: [Guild, BotDM, ...(isForPeople ? [PrivateChannel] : [])],
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
    ...availability(installs, command),
    ...(command.restrictedTo && {
      default_member_permissions: defaultPermissions[command.restrictedTo].toString(),
    }),
  };
}

/**
 * A group of options is a sub-command: its own options in its order, and below them those of no group. Its name is the choice that
 * names the group.
 */
function subcommands({
  options,
  groups,
  textOption,
}: CommandAbout): APIApplicationCommandSubcommandOption[] | undefined {
  if (!groups) return undefined;
  const grouped = new Set([textOption, ...Object.values(groups).flatMap(({ fields }) => fields)]);
  const all = Object.entries(options);
  const ofNone = all.filter(([name]) => !grouped.has(name));
  const here = Object.entries(groups).filter(([, { only }]) => only === undefined || only === 'discord');
  return here.map(([name, { title, description, fields }]) => ({
    type: ApplicationCommandOptionType.Subcommand,
    name,
    name_localizations: chinese(title['zh-CN']),
    ...described(description),
    options: optionDefinitions([
      ...fields.flatMap((field) => all.filter(([option]) => option === field)),
      ...ofNone,
    ]),
  }));
}

/** Required ones first, as Discord wants them. */
function optionDefinitions(
  options: readonly (readonly [name: string, option: Option])[],
): APIApplicationCommandBasicOption[] {
  return options
    .map(([name, option]) => optionDefinition(name, option))
    .toSorted((one, other) => Number(other.required === true) - Number(one.required === true));
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
      return { ...base, type: ApplicationCommandOptionType.Integer, ...within(option) };
    case 'number':
      return { ...base, type: ApplicationCommandOptionType.Number, ...within(option) };
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

function within({ min, max }: { readonly min: number; readonly max: number }) {
  return { min_value: min, max_value: max };
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
function shownOptionName(name: string): string {
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

/** Turns the text of an option, given its name, into the text that the command reads. */
export type ReadText = (name: string, text: string) => string;

/** The values of a typed command, by the names of `command`'s own options. A sub-command is the choice that names its group. */
export function typedValues(
  options: readonly APIApplicationCommandInteractionDataOption[],
  attachments: Readonly<Record<string, APIAttachment>>,
  command: Pick<CommandAbout, 'options' | 'textOption'> | undefined,
  read: ReadText,
): RawValues {
  const [first] = options;
  if (first?.type === ApplicationCommandOptionType.Subcommand)
    return {
      [command?.textOption ?? first.name]: first.name,
      ...typedValues(first.options ?? [], attachments, command, read),
    };
  const names = new Map(Object.keys(command?.options ?? {}).map((name) => [shownOptionName(name), name]));
  const files = filesById(attachments);
  const valueFor = (name: string, { type, value }: APIApplicationCommandInteractionDataBasicOption) => {
    if (type === ApplicationCommandOptionType.Attachment) return files.get(value);
    return typeof value === 'string' ? read(name, value) : value;
  };
  const typed = options.flatMap((option) => ('value' in option ? option : []));
  return Object.fromEntries(
    typed.map((option) => {
      const name = names.get(option.name) ?? option.name;
      return [name, valueFor(name, option)];
    }),
  );
}

/** The values entered in a form, by the ids of its inputs, which are names of options. */
export function enteredValues({ data }: APIModalSubmitInteraction, read: ReadText): RawValues {
  const { attachments = {}, roles = {} } = data.resolved ?? {};
  const given = filesById(attachments);
  const values: Record<string, string | IncomingFile | undefined> = {};
  for (const input of data.components.flatMap(inputsIn)) {
    const name = input.custom_id;
    if (input.type === ComponentType.TextInput) values[name] = read(name, input.value);
    if (input.type === ComponentType.StringSelect) values[name] = input.values[0];
    if (input.type === ComponentType.ChannelSelect) values[name] = input.values[0];
    if (input.type === ComponentType.RadioGroup) values[name] = input.value ?? undefined;
    if (input.type === ComponentType.MentionableSelect) values[name] = mentionsOf(input.values, roles);
    if (input.type === ComponentType.FileUpload) {
      const files = input.values.flatMap((id) => given.get(id) ?? []);
      for (const [index, file] of files.entries()) values[followingName(name, index)] = file;
    }
  }
  return values;
}

function filesById(attachments: Readonly<Record<string, APIAttachment>>): ReadonlyMap<string, IncomingFile> {
  return new Map(Object.entries(attachments).map(([id, file]) => [id, incomingFile(file)]));
}

/** The inputs of a part of a form. */
function inputsIn(part: APIModalSubmitInteraction['data']['components'][number]): ModalSubmitComponent[] {
  if ('component' in part) return [part.component];
  return 'components' in part ? [...part.components] : [];
}

/** Selected people and roles as mentions in a text; undefined if none was selected. */
function mentionsOf(ids: readonly string[], roles: Readonly<Record<string, unknown>>): string | undefined {
  const mentions = ids.map((id) => (Object.hasOwn(roles, id) ? `<@&${id}>` : `<@${id}>`));
  return mentions.length > 0 ? mentions.join(' ') : undefined;
}

type NamedRoles = Iterable<readonly [id: string, role: { readonly name: string }]>;

/** Reads what names roles of a server, with their ids: in a form Discord makes no mentions of them. */
export function roleReader(commands: readonly Pick<CommandAbout, 'options'>[], roles: NamedRoles): ReadText {
  const namesRoles = (option: Option | undefined) =>
    option?.type === 'text' && (option.people ?? option.ids) !== undefined;
  return (name, text) =>
    commands.some(({ options }) => namesRoles(options[name])) ? withRoleMentions(text, roles) : text;
}

/** A text with mentions of the roles that it names as people see them. */
function withRoleMentions(text: string, roles: NamedRoles): string {
  // The one of everybody has the sign in its name.
  const named = [...roles].map(([id, { name }]) => [id, name.replace(/^@/, '').toLowerCase()] as const);
  const longestFirst = named.toSorted(([, one], [, other]) => other.length - one.length);
  const [before = '', ...parts] = text.split(/(?<!<)@/);
  const read = parts.map((part) => {
    const lower = part.toLowerCase();
    const isNamed = ([, name]: (typeof named)[number]) =>
      lower.startsWith(name) && !/^[\p{L}\p{N}_]/u.test(part.slice(name.length));
    const [id, name = ''] = (lower && longestFirst.find(isNamed)) || [];
    return id === undefined ? `@${part}` : `<@&${id}>${part.slice(name.length)}`;
  });
  return [before, ...read].join('');
}

/** Characters of a suggestion's label and value (interactions/application-commands, option choices). */
const maxChoiceLength = 100;

/** Suggestions while a person types an option. Labels are unique; a value that is too long is left out. */
export async function autocompleteChoices(
  { data, locale: shown }: APIApplicationCommandAutocompleteInteraction,
  address: Address,
  dispatcher: Pick<CommandDispatcher, 'suggest'>,
): Promise<{ readonly name: string; readonly value: string }[]> {
  const options = data.options.flatMap((option) => ('options' in option ? (option.options ?? []) : option));
  const focused = options.find((option) => 'focused' in option && option.focused === true);
  if (!focused || !('value' in focused)) return [];
  const locale = localeOf(shown);
  const suggestions = await dispatcher.suggest(
    data.name,
    focused.name,
    String(focused.value),
    locale,
    address,
  );
  const choices = suggestions
    .filter((suggestion) => suggestion.value.length <= maxChoiceLength)
    .map((suggestion) => ({ name: beginningOf(suggestion.label, maxChoiceLength), value: suggestion.value }));
  return [...new Map(choices.map((choice) => [choice.name, choice])).values()];
}

/** The name of the option numbered `steps` after another. */
export function followingName(name: string, steps: number): string {
  return name.replace(/(?<!\d)\d{1,9}$/, (number) => String(Number(number) + steps));
}
