import { ApplicationCommandOptionType, ApplicationCommandType, Locale } from 'discord-api-types/v10';
import {
  checkLength,
  type Fields,
  integerAt,
  isFields,
  objectsAt,
  requiredTextAt,
  textAt,
} from '../http/fields.ts';
import { invalidField } from '../http/refusal.ts';
import { checkFileTypes } from './file-type-rules.ts';

const namePattern = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const locales: readonly string[] = Object.values(Locale);
const withChoices: readonly unknown[] = [
  ApplicationCommandOptionType.String,
  ApplicationCommandOptionType.Integer,
  ApplicationCommandOptionType.Number,
];

const inMenus: readonly unknown[] = [ApplicationCommandType.User, ApplicationCommandType.Message];
const mostOfType = [
  [ApplicationCommandType.ChatInput, 100],
  [ApplicationCommandType.User, 15],
  [ApplicationCommandType.Message, 15],
  [ApplicationCommandType.PrimaryEntryPoint, 1],
] as const;

/** Checks a whole registration (interactions/application-commands): 100 of slash, 15 of each menu, each name once. */
export function checkCommands(commands: readonly Fields[], installs: readonly number[]): void {
  for (const [type, most] of mostOfType)
    checkLength(commands.filter((command) => (command.type ?? 1) === type).length, '', 0, most);
  const names = new Set<unknown>();
  commands.forEach((command, index) => {
    const path = `${index}`;
    checkCommand(command, path, installs);
    const name = `${command.type ?? 1} ${command.name}`;
    if (names.has(name))
      throw invalidField(
        path,
        'APPLICATION_COMMANDS_DUPLICATE_NAME',
        'Application command names must be unique',
      );
    names.add(name);
  });
}

function checkCommand(command: Fields, path: string, installs: readonly number[]): void {
  checkSet(command, 'contexts', [0, 1, 2], path);
  checkSet(command, 'integration_types', installs, path);
  if (inMenus.includes(command.type)) {
    checkMenuCommand(command, path);
    return;
  }
  if (command.type === ApplicationCommandType.PrimaryEntryPoint) {
    checkNamed(command, path);
    if (command.handler !== 1 && command.handler !== 2)
      throw invalidField(`${path}.handler`, 'BASE_TYPE_CHOICES', 'Value must be one of (1, 2).');
    return;
  }
  if (command.type !== undefined && command.type !== ApplicationCommandType.ChatInput)
    throw invalidField(`${path}.type`, 'BASE_TYPE_CHOICES', 'Value must be one of (1, 2, 3, 4).');
  checkNamed(command, path);
  checkOptions(command, path, 0);
  checkSize(command, path);
}

/** The options of a command, or of a sub-command at depth 1 or 2: at most 25, each name once, required ones first. */
function checkOptions(holder: Fields, path: string, depth: number): void {
  const options = objectsAt(holder, 'options', `${path}.options`);
  checkLength(options.length, `${path}.options`, 0, 25);
  const names = new Set<unknown>();
  let optionalSeen = false;
  options.forEach((option, index) => {
    const at = `${path}.options.${index}`;
    checkOption(option, at);
    if (names.has(option.name))
      throw invalidField(
        `${at}.name`,
        'APPLICATION_COMMAND_OPTIONS_NAME_DUPLICATED',
        'Option name is already used',
      );
    names.add(option.name);
    if (option.required === true && optionalSeen)
      throw invalidField(
        at,
        'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
        'Required options must be placed before non-required options',
      );
    if (option.required !== true) optionalSeen = true;
  });
  checkLocalNames(options, path);
  const subs = options.filter(({ type }) => isSubcommand(type));
  if (subs.length > 0 && subs.length < options.length)
    throw invalidField(
      `${path}.options`,
      'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
      'Sub-command and sub-command group option types are mutually exclusive to all other types',
    );
  subs.forEach((sub) => {
    const at = `${path}.options.${options.indexOf(sub)}`;
    const isGroup = sub.type === ApplicationCommandOptionType.SubcommandGroup;
    if (depth > 1 || (isGroup && depth > 0))
      throw invalidField(`${at}.type`, 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', 'Nested too deeply');
    checkOptions(sub, at, isGroup ? depth + 1 : 2);
  });
}

/** An option's name in a language is neither another's own name nor another's in that language (localization). */
function checkLocalNames(options: readonly Fields[], path: string): void {
  options.forEach((option, index) => {
    const at = `${path}.options.${index}`;
    const others = options.filter((other) => other !== option);
    for (const [locale, name] of localisations(option, 'name_localizations', at, 32))
      if (others.some((other) => other.name === name || nameIn(other, locale) === name))
        throw invalidField(
          `${at}.name_localizations.${locale}`,
          'APPLICATION_COMMAND_OPTIONS_NAME_DUPLICATED',
          'Option name is already used',
        );
  });
}

function nameIn({ name_localizations: names }: Fields, locale: string): unknown {
  return isFields(names) ? names[locale] : undefined;
}

function isSubcommand(type: unknown): boolean {
  return (
    type === ApplicationCommandOptionType.Subcommand || type === ApplicationCommandOptionType.SubcommandGroup
  );
}

/** Commands of a user's or a message's menu: a name of any letters, and nothing else. */
function checkMenuCommand(command: Fields, path: string): void {
  requiredTextAt(command, 'name', { min: 1, max: 32, path: `${path}.name` });
  localisations(command, 'name_localizations', path, 32);
  if (command.description)
    throw invalidField(
      `${path}.description`,
      'APPLICATION_COMMAND_DESCRIPTION_TYPE',
      'Context menu commands have no description',
    );
  if (objectsAt(command, 'options', `${path}.options`).length > 0)
    throw invalidField(
      `${path}.options`,
      'APPLICATION_COMMAND_OPTIONS_TYPE',
      'Context menu commands have no options',
    );
}

function checkNamed(holder: Fields, path: string): void {
  const name = requiredTextAt(holder, 'name', { min: 1, max: 32, path: `${path}.name` });
  checkName(name, `${path}.name`);
  requiredTextAt(holder, 'description', { min: 1, max: 100, path: `${path}.description` });
  for (const [locale, text] of localisations(holder, 'name_localizations', path, 32))
    checkName(text, `${path}.name_localizations.${locale}`);
  localisations(holder, 'description_localizations', path, 100);
}

function checkName(name: string, path: string): void {
  if (!namePattern.test(name) || name !== name.toLowerCase())
    throw invalidField(path, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
}

function localisations(holder: Fields, field: string, path: string, max: number): [string, string][] {
  const value = holder[field];
  if (!isFields(value)) return [];
  return Object.keys(value).map((locale) => {
    const at = `${path}.${field}.${locale}`;
    if (!locales.includes(locale))
      throw invalidField(at, 'ENUM_TYPE_COERCE', `Value "${locale}" is not a valid locale.`);
    return [locale, requiredTextAt(value, locale, { min: 1, max, path: at })];
  });
}

function checkOption(option: Fields, path: string): void {
  checkNamed(option, path);
  const type = integerAt(option, 'type', { min: 1, max: 11, path: `${path}.type` });
  if (type === undefined) throw invalidField(`${path}.type`, 'BASE_TYPE_REQUIRED', 'This field is required');
  const choices = objectsAt(option, 'choices', `${path}.choices`);
  checkLength(choices.length, `${path}.choices`, 0, 25);
  if (choices.length > 0 && option.autocomplete === true)
    throw invalidField(
      `${path}.autocomplete`,
      'APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES',
      'Choices and autocomplete exclude each other',
    );
  if ((choices.length > 0 || option.autocomplete === true) && !withChoices.includes(type))
    throw invalidField(
      path,
      'APPLICATION_COMMAND_OPTION_CHOICES_TYPE',
      'Only texts and numbers have choices',
    );
  checkChoices(choices, type, `${path}.choices`);
  checkBounds(option, type, path);
  if (type !== ApplicationCommandOptionType.Attachment && option.file_types !== undefined)
    throw invalidField(
      path,
      'APPLICATION_COMMAND_OPTION_FILE_TYPES_TYPE',
      'Only attachments have file types',
    );
  checkFileTypes(option, path);
}

/** Checks choices, of an option or of an autocompletion. */
export function checkChoices(choices: readonly Fields[], type: number, path: string): void {
  checkLength(choices.length, path, 0, 25);
  const names = new Set<string>();
  choices.forEach((choice, index) => {
    const at = `${path}.${index}`;
    const name = requiredTextAt(choice, 'name', { min: 1, max: 100, path: `${at}.name` });
    if (names.has(name))
      throw invalidField(
        `${at}.name`,
        'APPLICATION_COMMAND_CHOICE_NAME_DUPLICATED',
        'Choice name is already used',
      );
    names.add(name);
    localisations(choice, 'name_localizations', at, 100);
    if (type === ApplicationCommandOptionType.String)
      requiredTextAt(choice, 'value', { max: 100, path: `${at}.value` });
    else if (typeof choice.value !== 'number')
      throw invalidField(`${at}.value`, 'NUMBER_TYPE_COERCE', 'The value is no number.');
  });
}

function checkBounds(option: Fields, type: number, path: string): void {
  const text = type === ApplicationCommandOptionType.String;
  const number =
    type === ApplicationCommandOptionType.Integer || type === ApplicationCommandOptionType.Number;
  const min = integerAt(option, 'min_length', { min: 0, max: 6000, path: `${path}.min_length` });
  const max = integerAt(option, 'max_length', { min: 1, max: 6000, path: `${path}.max_length` });
  if (!text && (min !== undefined || max !== undefined))
    throw invalidField(path, 'APPLICATION_COMMAND_OPTION_LENGTH_TYPE', 'Only texts have lengths');
  if (!number && (option.min_value !== undefined || option.max_value !== undefined))
    throw invalidField(path, 'APPLICATION_COMMAND_OPTION_RANGE_TYPE', 'Only numbers have ranges');
}

function checkSet(command: Fields, name: string, allowed: readonly number[], path: string): void {
  const value = command[name];
  if (value === undefined || value === null) return;
  const valid =
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every((item) => allowed.includes(item as number));
  if (!valid)
    throw invalidField(`${path}.${name}`, 'SET_TYPE', `One or more of ${allowed.join(', ')}, each once.`);
}

/** Name, description and values of the command, its sub-commands, options and choices: 8,000 characters, longest language each. */
function checkSize(command: Fields, path: string): void {
  const size = sizeOf(command);
  if (size > 8000)
    throw invalidField(
      path,
      'APPLICATION_COMMAND_TOO_LARGE',
      `Command exceeds maximum size (8000), it has ${size}.`,
    );
}

function sizeOf(holder: Fields): number {
  const choices = objectsAt(holder, 'choices').map(
    (choice) => longest(choice, 'name') + String(choice.value).length,
  );
  const own = longest(holder, 'name') + longest(holder, 'description');
  return [own, ...choices, ...objectsAt(holder, 'options').map(sizeOf)].reduce((all, one) => all + one, 0);
}

function longest(holder: Fields, name: string): number {
  const localised = holder[`${name}_localizations`];
  const texts = [
    textAt(holder, name, { max: 6000 }) ?? '',
    ...(isFields(localised) ? Object.values(localised) : []),
  ];
  return Math.max(...texts.map((text) => String(text).length));
}
