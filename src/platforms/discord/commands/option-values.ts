import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandInteractionDataBasicOption,
  type APIApplicationCommandInteractionDataOption,
  type APIAttachment,
  type APIMessage,
  type APIModalSubmitInteraction,
  ApplicationCommandOptionType,
  ComponentType,
  type ModalSubmitComponent,
} from 'discord-api-types/v10';
import type { CommandDispatcher } from '../../../engine/index.ts';
import { type CommandAbout, type IncomingFile, localeOf, type RawValues } from '../../../port/index.ts';
import { filesShownIn } from '../media/attached-files.ts';
import { shownOptionName } from './command-definition.ts';
import { followingName } from './forms.ts';

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

/**
 * The files of the message with the pressed button, from the event: a press's token may not reach an older message
 * (uncertain). If the bot can read the message, the files' source names it.
 */
export function shownFiles(message: APIMessage, botCanRead: boolean): IncomingFile[] {
  const { id: messageId, channel_id: channelId } = message;
  return filesShownIn(message).map(
    ({ id, filename: name, content_type: contentType = '', size = 0, url }) => ({
      ...{ name, contentType, size, url },
      source: botCanRead ? `${channelId}/${messageId}/${id}` : url,
    }),
  );
}

/** A file given with a command. It belongs to no message, so its source is its URL. */
export function incomingFile({ filename, content_type, size, url }: APIAttachment): IncomingFile {
  return { name: filename, contentType: content_type ?? '', size, url, source: url };
}

/** Characters of a suggestion's label and value (interactions/application-commands, option choices). */
const maxChoiceLength = 100;

/** Suggestions while a person types an option. Labels are unique; a value that is too long is left out. */
export function autocompleteChoices(
  { data, locale: shown }: APIApplicationCommandAutocompleteInteraction,
  dispatcher: Pick<CommandDispatcher, 'suggest'>,
): { readonly name: string; readonly value: string }[] {
  const options = data.options.flatMap((option) => ('options' in option ? (option.options ?? []) : option));
  const focused = options.find((option) => 'focused' in option && option.focused === true);
  if (!focused || !('value' in focused)) return [];
  const locale = localeOf(shown);
  const choices = dispatcher
    .suggest(data.name, focused.name, String(focused.value), locale)
    .filter((suggestion) => suggestion.value.length <= maxChoiceLength)
    .map((suggestion) => ({ name: suggestion.label.slice(0, maxChoiceLength), value: suggestion.value }));
  return [...new Map(choices.map((choice) => [choice.name, choice])).values()];
}
