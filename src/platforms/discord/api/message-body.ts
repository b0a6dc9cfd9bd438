import { createHash } from 'node:crypto';
import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIMediaGalleryComponent,
  type APITextDisplayComponent,
  ButtonStyle,
  ComponentType,
  MessageFlags,
} from 'discord-api-types/v10';
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

type ButtonRow = APIActionRowComponent<APIButtonComponentWithCustomId>;
/** What the bot's messages consist of; without a gallery, only rows of buttons. */
export type BodyComponent = ButtonRow | APITextDisplayComponent | APIMediaGalleryComponent;

/** What a request about a message says, without the content of its files. */
export interface MessageBody {
  /** Null where its text is a component, so that an edit takes the text away that was there. */
  readonly content?: string | null;
  readonly components?: BodyComponent[];
  readonly flags?: number;
  readonly allowed_mentions?: { parse: []; users?: string[] };
  readonly attachments?: readonly {
    readonly id: string;
    readonly filename?: string;
    readonly description?: string;
    readonly duration_secs?: number;
    readonly waveform?: string;
    readonly is_spoiler?: boolean;
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

/**
 * The same text and buttons around a gallery of uploaded files (components version 2): it has no content, and never a
 * preview. @param attachments The uploads, by the names that the gallery shows them with.
 */
export function galleryBody(
  { content, components = [], flags = 0, allowed_mentions, message_reference }: MessageBody,
  attachments: NonNullable<MessageBody['attachments']>,
): MessageBody {
  const items = attachments.map(({ filename = '', description, is_spoiler: spoiler = false }) => ({
    media: { url: `attachment://${filename}` },
    ...(description !== undefined && { description }),
    spoiler,
  }));
  return {
    content: null,
    components: [
      ...(content ? [{ type: ComponentType.TextDisplay as const, content }] : []),
      { type: ComponentType.MediaGallery, items },
      ...components,
    ],
    flags: flags | MessageFlags.IsComponentsV2,
    ...(allowed_mentions && { allowed_mentions }),
    ...(message_reference && { message_reference }),
    attachments,
  };
}

/** A message's text in pieces that each fit one message and render on their own; at least one, which may be empty. */
export function splitText({ text, mentions = [], link, spoiler }: Message): readonly [string, ...string[]] {
  const shown = link === undefined ? text : text?.replaceAll(bareLink, '<$&>');
  // Discord previews a hidden link, hidden as well, only where spaces keep it apart from the bars.
  const address = link !== undefined && spoiler ? `|| ${link} ||` : link;
  const parts = [mentions.map((id) => `<@${id}>`).join(' '), shown, address];
  const [first = '', ...more] = splitMarkdown(parts.filter(Boolean).join('\n'), {
    maxLength: maxMessageLength,
  });
  return [first, ...more];
}

/** The field `attachments`, which describes the files of a request. */
export function attachmentFields(
  files: readonly { readonly name: string; readonly description: string }[],
  spoiler?: boolean,
) {
  return files.map(({ name, description }, index) => ({
    id: String(index),
    filename: name,
    ...(description !== '' && { description: [...description].slice(0, maxDescription / 2).join('') }),
    ...(spoiler && { is_spoiler: true }),
  }));
}

const styles = {
  plain: ButtonStyle.Secondary,
  primary: ButtonStyle.Primary,
  danger: ButtonStyle.Danger,
} as const;

function rowsOf(buttons: readonly Button[]): ButtonRow[] {
  return buttonRows(buttons, buttonsPerRow)
    .slice(0, maxRows)
    .map((row) => ({
      type: ComponentType.ActionRow as const,
      components: row.map((button) => ({
        type: ComponentType.Button as const,
        style: styles[button.style ?? 'plain'],
        custom_id: button.id,
        label: button.label,
      })),
    }));
}

/** Milliseconds for which Discord certainly recognises a nonce; its documentation says "the past few minutes". */
export const nonceLifetime = 2 * 60_000;

/** A hash of the parts in 25 characters, the longest nonce that Discord accepts. */
export function nonceOf(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 25);
}
