import {
  ApplicationCommandOptionType,
  type Attachment,
  type CommandInteractionOption,
  ComponentType,
  type Message,
  type ModalSubmitInteraction,
  type SelectMenuModalData,
} from 'discord.js';
import type { AnyCommand, IncomingFile, RawValues } from '../../../port/index.ts';
import { filesShownIn } from '../media/shown-files.ts';
import { shownOptionName } from './command-definition.ts';
import { followingName } from './forms.ts';

/** Turns the text of an option, given its name, into the text that the command reads. */
export type ReadText = (name: string, text: string) => string;

/** The values of a typed command, by the names of `command`'s own options. A sub-command is the choice that names its group. */
export function typedValues(
  options: readonly CommandInteractionOption[],
  command: Pick<AnyCommand<never>, 'options' | 'textOption'> | undefined,
  read: ReadText,
): RawValues {
  const [first] = options;
  if (first?.type === ApplicationCommandOptionType.Subcommand)
    return {
      [command?.textOption ?? first.name]: first.name,
      ...typedValues(first.options ?? [], command, read),
    };
  const names = new Map(Object.keys(command?.options ?? {}).map((name) => [shownOptionName(name), name]));
  return Object.fromEntries(
    options.map(({ name: shown, type, attachment, value }) => {
      const name = names.get(shown) ?? shown;
      if (type === ApplicationCommandOptionType.Attachment)
        return [name, attachment && incomingFile(attachment)];
      return [name, typeof value === 'string' ? read(name, value) : value];
    }),
  );
}

/** The values entered in a form, by the ids of its inputs, which are names of options. */
export function enteredValues({ fields }: ModalSubmitInteraction, read: ReadText): RawValues {
  const values: Record<string, string | IncomingFile | undefined> = {};
  for (const [name, field] of fields.fields) {
    if (field.type === ComponentType.TextInput) values[name] = read(name, field.value);
    if (field.type === ComponentType.StringSelect) values[name] = field.values[0];
    if (field.type === ComponentType.RadioGroup) values[name] = field.value ?? undefined;
    if (field.type === ComponentType.MentionableSelect) values[name] = mentionsOf(field);
    if (field.type === ComponentType.FileUpload) {
      const files = [...(field.attachments?.values() ?? [])].map(incomingFile);
      for (const [index, file] of files.entries()) values[followingName(name, index)] = file;
    }
  }
  return values;
}

/** Selected people and roles as mentions in a text; undefined if none was selected. */
function mentionsOf({ values, roles }: Pick<SelectMenuModalData, 'values' | 'roles'>): string | undefined {
  const mentions = values.map((id) => (roles?.has(id) ? `<@&${id}>` : `<@${id}>`));
  return mentions.length > 0 ? mentions.join(' ') : undefined;
}

/**
 * The files of the message with the pressed button, from the event: a press's token may not reach an older message
 * (uncertain). If the bot can read the message, the files' source names it.
 */
export function shownFiles(
  {
    id,
    channelId,
    attachments,
    components,
  }: Pick<Message, 'id' | 'channelId' | 'attachments' | 'components'>,
  botCanRead: boolean,
): IncomingFile[] {
  const inGalleries = filesShownIn({ attachments: [], components: components.map((one) => one.toJSON()) });
  const files = [
    ...[...attachments.values()].map((attachment) => ({ of: attachment.id, file: incomingFile(attachment) })),
    ...inGalleries.map(({ id: of, filename: name, content_type: contentType = '', size = 0, url }) => ({
      of,
      file: { name, contentType, size, url, source: url },
    })),
  ];
  return files.map(({ of, file }) => ({
    ...file,
    ...(botCanRead && { source: `${channelId}/${id}/${of}` }),
  }));
}

/** A file given with a command. It belongs to no message, so its source is its URL. */
export function incomingFile({ name, contentType, size, url }: Attachment): IncomingFile {
  return { name, contentType: contentType ?? '', size, url, source: url };
}
