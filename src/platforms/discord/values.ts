import {
  ApplicationCommandOptionType,
  type Attachment,
  type CommandInteractionOption,
  ComponentType,
  type Message,
  type ModalSubmitInteraction,
} from 'discord.js';
import type { IncomingFile, RawValues } from '../../port/index.ts';

/** What was typed into a command. */
export function typedValues(options: readonly CommandInteractionOption[]): RawValues {
  return Object.fromEntries(
    options.map((option) => [
      option.name,
      option.type === ApplicationCommandOptionType.Attachment
        ? option.attachment && incomingFile(option.attachment)
        : option.value,
    ]),
  );
}

/** What was entered in a form; the ids of its inputs are the names of options. */
export function enteredValues({ fields }: ModalSubmitInteraction): RawValues {
  const values: Record<string, string | IncomingFile | undefined> = {};
  for (const [name, field] of fields.fields) {
    if (field.type === ComponentType.TextInput) values[name] = field.value;
    if (field.type === ComponentType.StringSelect) values[name] = field.values[0];
    if (field.type === ComponentType.FileUpload) {
      const attachment = field.attachments?.first();
      values[name] = attachment && incomingFile(attachment);
    }
  }
  return values;
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
