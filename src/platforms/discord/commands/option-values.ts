import {
  ApplicationCommandOptionType,
  type Attachment,
  type CommandInteractionOption,
  ComponentType,
  type Message,
  type ModalSubmitInteraction,
  type SelectMenuModalData,
} from 'discord.js';
import type { IncomingFile, RawValues } from '../../../port/index.ts';

/** Turns the text of an option, by its name, into what the command is to read. */
export type ReadText = (name: string, text: string) => string;

/** What was typed into a command. */
export function typedValues(options: readonly CommandInteractionOption[], read: ReadText): RawValues {
  return Object.fromEntries(
    options.map(({ name, type, attachment, value }) => {
      if (type === ApplicationCommandOptionType.Attachment)
        return [name, attachment && incomingFile(attachment)];
      return [name, typeof value === 'string' ? read(name, value) : value];
    }),
  );
}

/** What was entered in a form; the ids of its inputs are the names of options. */
export function enteredValues({ fields }: ModalSubmitInteraction, read: ReadText): RawValues {
  const values: Record<string, string | IncomingFile | undefined> = {};
  for (const [name, field] of fields.fields) {
    if (field.type === ComponentType.TextInput) values[name] = read(name, field.value);
    if (field.type === ComponentType.StringSelect) values[name] = field.values[0];
    if (field.type === ComponentType.RadioGroup) values[name] = field.value ?? undefined;
    if (field.type === ComponentType.MentionableSelect) values[name] = mentionsOf(field);
    if (field.type === ComponentType.FileUpload) {
      const attachment = field.attachments?.first();
      values[name] = attachment && incomingFile(attachment);
    }
  }
  return values;
}

/** People and roles as they are written in a text; nothing where none was chosen. */
function mentionsOf({ values, roles }: Pick<SelectMenuModalData, 'values' | 'roles'>): string | undefined {
  const written = values.map((id) => (roles?.has(id) ? `<@&${id}>` : `<@${id}>`));
  return written.length > 0 ? written.join(' ') : undefined;
}

/**
 * The files of the message a button hangs on. As the event tells them: the token of a press may not reach an older
 * message (uncertain). The bot finds them again by message where it can ask for that.
 */
export function shownFiles(
  { id, channelId, attachments }: Pick<Message, 'id' | 'channelId' | 'attachments'>,
  botIsMember: boolean,
): IncomingFile[] {
  return [...attachments.values()].map((attachment) => ({
    ...incomingFile(attachment),
    ...(botIsMember && { source: `${channelId}/${id}/${attachment.id}` }),
  }));
}

/** A file given with a command: it belongs to no message, so its address is all there is to find it by. */
export function incomingFile({ name, contentType, size, url }: Attachment): IncomingFile {
  return { name, contentType: contentType ?? '', size, url, source: url };
}
