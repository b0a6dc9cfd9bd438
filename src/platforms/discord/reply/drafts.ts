import type { RawFile } from 'discord.js';
import { type Message, PlatformError } from '../../../port/index.ts';
import { isModerated } from '../api/errors.ts';
import { bodyOf, bodyWithLink, type MessageBody, textsOf } from '../api/payload.ts';
import type { Media } from '../media/index.ts';
import { uploadsOf } from '../media/uploads.ts';

/** What one request about a message says. */
export interface Draft {
  readonly body: MessageBody;
  readonly files: readonly RawFile[];
  /** Its text without people's own words. */
  readonly unquoted?: string;
}

/** A message as the requests that make it: texts in order, files and buttons with the last. */
export async function draftsOf(
  message: Message,
  uploadLimit: number,
  media: Media,
): Promise<readonly [Draft, ...Draft[]]> {
  const { raw, attachments, notes } = await uploadsOf(message, uploadLimit, media);
  const textsWith = (text: string | undefined) =>
    textsOf({ ...message, text: [text, ...notes].filter(Boolean).join('\n') });
  const [first, ...more] = textsWith(message.text);
  const body = message.link === undefined ? bodyOf : bodyWithLink;
  const last = more.pop();
  const closing = (content: string, mentions?: readonly string[]) => ({
    body: { ...body(content, message.buttons, mentions), attachments },
    files: raw,
  });
  if (last === undefined) {
    const [unquoted] = message.unquoted === undefined ? [] : textsWith(message.unquoted);
    return [{ ...closing(first, message.mentions), ...(unquoted !== undefined && { unquoted }) }];
  }
  return [
    { body: bodyOf(first, [], message.mentions), files: [] },
    ...more.map((content) => ({ body: bodyOf(content), files: [] })),
    closing(last),
  ];
}

/** The words and buttons of a message that is edited, as far as one message holds them; its files stay. */
export function editOf(message: Message): Draft {
  const { link, buttons } = message;
  const [text] = textsOf(message);
  const [unquoted] = message.unquoted === undefined ? [] : textsOf({ ...message, text: message.unquoted });
  const body = link === undefined ? bodyOf(text, buttons) : bodyWithLink(text, buttons);
  return { body, files: [], ...(unquoted !== undefined && { unquoted }) };
}

/**
 * Sends a draft; where Discord refuses it for good, once more in the next plainer form: what moderation blocked
 * without people's own words, anything else without buttons.
 * @throws what Discord said to the plainest form.
 */
export async function inPlainerForms<T>(draft: Draft, send: (draft: Draft) => Promise<T>): Promise<T> {
  try {
    return await send(draft);
  } catch (error) {
    const plainer = plainerThan(draft, error);
    if (!plainer) throw error;
    return inPlainerForms(plainer, send);
  }
}

/** What files are described with may quote people, too. */
function undescribed({ attachments, ...body }: MessageBody): MessageBody {
  return attachments
    ? { ...body, attachments: attachments.map(({ description: _, ...file }) => file) }
    : body;
}

function plainerThan({ body, files, unquoted }: Draft, error: unknown): Draft | undefined {
  if (isModerated(error))
    return unquoted === undefined || unquoted === body.content
      ? undefined
      : { body: undescribed({ ...body, content: unquoted }), files };
  if (!(error instanceof PlatformError) || error.kind !== 'refused' || !body.components?.length)
    return undefined;
  return { body: { ...body, components: [] }, files, ...(unquoted !== undefined && { unquoted }) };
}
