import type { RawFile } from 'discord.js';
import { type Message, PlatformError } from '../../../port/index.ts';
import type { MediaProcessor } from '../media/media-processor.ts';
import { uploadsOf } from '../media/uploads.ts';
import { isModerated } from './errors.ts';
import { type MessageBody, messageBody, messageBodyWithPreview, splitText } from './message-body.ts';

/** What one request about a message says. */
export interface MessageRequest {
  readonly body: MessageBody;
  readonly files: readonly RawFile[];
  /** Its text without people's own words. */
  readonly unquoted?: string;
}

/** A message as the requests that make it: texts in order, files and buttons with the last. */
export async function messageRequests(
  message: Message,
  uploadLimit: number,
  media: MediaProcessor,
): Promise<readonly [MessageRequest, ...MessageRequest[]]> {
  const { raw, attachments, notes } = await uploadsOf(message, uploadLimit, media);
  const textsWith = (text: string | undefined) =>
    splitText({ ...message, text: [text, ...notes].filter(Boolean).join('\n') });
  const [first, ...more] = textsWith(message.text);
  const body = message.link === undefined ? messageBody : messageBodyWithPreview;
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
    { body: messageBody(first, [], message.mentions), files: [] },
    ...more.map((content) => ({ body: messageBody(content), files: [] })),
    closing(last),
  ];
}

/** The words and buttons of a message that is edited, as far as one message holds them; its files stay. */
export function editRequest(message: Message): MessageRequest {
  const { link, buttons } = message;
  const [text] = splitText(message);
  const [unquoted] = message.unquoted === undefined ? [] : splitText({ ...message, text: message.unquoted });
  const body = link === undefined ? messageBody(text, buttons) : messageBodyWithPreview(text, buttons);
  return { body, files: [], ...(unquoted !== undefined && { unquoted }) };
}

/**
 * Sends a draft; where Discord refuses it for good, once more in the next plainer form: what moderation blocked
 * without people's own words, anything else without buttons.
 * @throws what Discord said to the plainest form.
 */
export async function sendPlainerIfRefused<T>(
  draft: MessageRequest,
  send: (draft: MessageRequest) => Promise<T>,
): Promise<T> {
  try {
    return await send(draft);
  } catch (error) {
    const plainer = plainerThan(draft, error);
    if (!plainer) throw error;
    return sendPlainerIfRefused(plainer, send);
  }
}

/** What files are described with may quote people, too. */
function undescribed({ attachments, ...body }: MessageBody): MessageBody {
  return attachments
    ? { ...body, attachments: attachments.map(({ description: _, ...file }) => file) }
    : body;
}

function plainerThan({ body, files, unquoted }: MessageRequest, error: unknown): MessageRequest | undefined {
  if (isModerated(error))
    return unquoted === undefined || unquoted === body.content
      ? undefined
      : { body: undescribed({ ...body, content: unquoted }), files };
  if (!(error instanceof PlatformError) || error.kind !== 'refused' || !body.components?.length)
    return undefined;
  return { body: { ...body, components: [] }, files, ...(unquoted !== undefined && { unquoted }) };
}
