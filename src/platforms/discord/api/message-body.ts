import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  ButtonStyle,
  ComponentType,
  MessageFlags,
} from 'discord.js';
import type { Button, Message } from '../../../port/index.ts';
import { splitMarkdown } from '../../../reply/index.ts';

/** Characters of a message (resources/message). */
export const maxMessageLength = 2000;
const buttonsPerRow = 5;
const maxDescription = 1024;
/** An address that Discord would fetch a preview of. */
const bareAddress = /(?<!<)https?:\/\/[^\s<>()]+/g;

/** What a request about a message says, files aside. */
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

/** A text that pings nobody but `mentions` and fetches no preview, with exactly these buttons. */
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

/** A text with the line that stands above it. */
export function prependHeader(header: string | undefined, text = ''): string {
  return [header, text].filter(Boolean).join('\n');
}

/** A text without the line above it. */
export function withoutHeader(header: string | undefined, text: string): string {
  return header !== undefined && text.startsWith(header)
    ? text.slice(header.length).replace(/^\n/, '')
    : text;
}

/** Characters that a message's text may have below that line. */
export function maxLengthBelow(header: string | undefined): number {
  return maxMessageLength - (header === undefined ? 0 : header.length + 1);
}

/** A message with the line that stands above its text. It may quote people, so it goes where those words do. */
export function withHeader(header: string | undefined, message: Message): Message {
  if (header === undefined) return message;
  const { text = '', unquoted = text } = message;
  return { ...message, text: prependHeader(header, text), unquoted };
}

/** The same with the address of a result, which alone is to be previewed, so that a film plays there. */
export function messageBodyWithPreview(
  content: string,
  buttons: readonly Button[] = [],
  mentions: readonly string[] = [],
) {
  return { ...messageBody(content, buttons, mentions), flags: 0 };
}

/** The texts of a message, each short enough and rendering on its own; one that may be empty at least. */
export function splitText({ text, mentions = [], link }: Message): readonly [string, ...string[]] {
  const words = link === undefined ? text : text?.replaceAll(bareAddress, '<$&>');
  const parts = [mentions.map((id) => `<@${id}>`).join(' '), words, link];
  const [first = '', ...more] = splitMarkdown(parts.filter(Boolean).join('\n'), {
    maxLength: maxMessageLength,
  });
  return [first, ...more];
}

/** What `attachments` says of the files that go with a request. */
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
  const rows: APIActionRowComponent<APIButtonComponentWithCustomId>[] = [];
  for (let start = 0; start < buttons.length; start += buttonsPerRow) {
    const components = buttons.slice(start, start + buttonsPerRow).map((button) => ({
      type: ComponentType.Button as const,
      style: styles[button.style ?? 'plain'],
      custom_id: button.id,
      label: button.label,
    }));
    rows.push({ type: ComponentType.ActionRow, components });
  }
  return rows;
}
