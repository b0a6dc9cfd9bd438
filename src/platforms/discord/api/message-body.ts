import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  ButtonStyle,
  ComponentType,
  MessageFlags,
} from 'discord.js';
import { type Button, buttonRows, type Message } from '../../../port/index.ts';
import { splitMarkdown } from '../../../reply/index.ts';

/** Characters of a message (resources/message). */
export const maxMessageLength = 2000;
const buttonsPerRow = 5;
/** Rows of buttons of a message (components/reference). */
const maxRows = 5;
const maxDescription = 1024;
/** A link that Discord would fetch a preview of. */
const bareLink = /(?<!<)https?:\/\/[^\s<>()]+/g;

/** What a request about a message says, without the content of its files. */
export interface MessageBody {
  readonly content?: string;
  readonly components?: APIActionRowComponent<APIButtonComponentWithCustomId>[];
  readonly flags?: number;
  readonly allowed_mentions?: { parse: []; users?: string[] };
  readonly attachments?: readonly {
    readonly id: string;
    readonly filename?: string;
    readonly description?: string;
    readonly duration_secs?: number;
    readonly waveform?: string;
  }[];
  readonly message_reference?: { readonly message_id: string; readonly fail_if_not_exists: false };
}

/** A text that pings nobody but `mentions` and has no link previews, with exactly these buttons. */
export function messageBody(
  content: string,
  buttons: readonly Button[] = [],
  mentions: readonly string[] = [],
) {
  return {
    content,
    components: rowsOf(buttons),
    flags: MessageFlags.SuppressEmbeds as number,
    allowed_mentions: { parse: [] as [], ...(mentions.length > 0 && { users: [...mentions] }) },
  };
}

/** The same with previews, for a message that links to a result: a video then plays in the message. */
export function messageBodyWithPreview(
  content: string,
  buttons: readonly Button[] = [],
  mentions: readonly string[] = [],
) {
  return { ...messageBody(content, buttons, mentions), flags: 0 };
}

/** A message's text in pieces that each fit one message and render on their own; at least one, which may be empty. */
export function splitText({ text, mentions = [], link }: Message): readonly [string, ...string[]] {
  const shown = link === undefined ? text : text?.replaceAll(bareLink, '<$&>');
  const parts = [mentions.map((id) => `<@${id}>`).join(' '), shown, link];
  const [first = '', ...more] = splitMarkdown(parts.filter(Boolean).join('\n'), {
    maxLength: maxMessageLength,
  });
  return [first, ...more];
}

/** The field `attachments`, which describes the files of a request. */
export function attachmentFields(files: readonly { readonly name: string; readonly description: string }[]) {
  return files.map(({ name, description }, index) => ({
    id: String(index),
    filename: name,
    ...(description !== '' && { description: [...description].slice(0, maxDescription / 2).join('') }),
  }));
}

const styles = {
  plain: ButtonStyle.Secondary,
  primary: ButtonStyle.Primary,
  danger: ButtonStyle.Danger,
} as const;

function rowsOf(buttons: readonly Button[]): APIActionRowComponent<APIButtonComponentWithCustomId>[] {
  return buttonRows(buttons, buttonsPerRow)
    .slice(0, maxRows)
    .map((row) => ({
      type: ComponentType.ActionRow,
      components: row.map((button) => ({
        type: ComponentType.Button as const,
        style: styles[button.style ?? 'plain'],
        custom_id: button.id,
        label: button.label,
      })),
    }));
}
