import type { RawFile } from '@discordjs/rest';
import { type Address, type Message, PlatformError, textFile, wholeKey } from '../../../port/index.ts';
import { firstMessages, mostMessages } from '../../../reply/index.ts';
import { isDirectMessage, tokenOfAddress } from '../api/address.ts';
import { isModerated } from '../api/errors.ts';
import {
  galleryBody,
  type MessageBody,
  maxMessageLength,
  messageBody,
  messageBodyWithPreview,
  splitText,
} from '../api/message-body.ts';
import type { MediaProcessor } from '../media/media-processor.ts';
import { uploadsOf } from '../media/upload-limits.ts';
import { partKey } from './posted-messages.ts';

/** Where the bot isn't a member it has five messages after the first; one of them is the file. */
const mostByToken = 5;

/** One request that posts or edits a message. */
export interface MessageRequest {
  readonly body: MessageBody;
  readonly files: readonly RawFile[];
  /** Its text without what it quotes from people. */
  readonly unquoted?: string;
  /** The same without a gallery: Discord shows several images in a grid then. */
  readonly ungrouped?: MessageBody;
  /** One of its files is the whole of a text that takes too many messages. */
  readonly hasWhole?: boolean;
}

export interface RequestOptions {
  /** Whether several images can be a gallery; they can by default. */
  readonly withGallery?: boolean;
  /** How many messages show a text at most, whose whole is a file then; as many as it takes by default. */
  readonly most?: number;
}

/** The requests that a message takes: its text in order, files and buttons with the last. */
export async function messageRequests(
  given: Message,
  uploadLimit: number,
  media: MediaProcessor,
  { withGallery = true, most = Number.POSITIVE_INFINITY }: RequestOptions = {},
): Promise<readonly [MessageRequest, ...MessageRequest[]]> {
  const limits = { maxLength: maxMessageLength };
  const { messages, rest } = firstMessages(splitText(given), most, given.note, limits);
  const needsFile = rest.length > 0;
  const message = needsFile
    ? { ...given, files: [...(given.files ?? []), textFile(given.text ?? '')] }
    : given;
  const { raw, attachments, notes } = await uploadsOf(message, uploadLimit, media);
  const texts = (text: string | undefined) =>
    splitText({ ...message, text: [text, ...notes].filter(Boolean).join('\n') });
  const [first = '', ...more] = needsFile ? messages : texts(message.text);
  const body = message.link === undefined ? messageBody : messageBodyWithPreview;
  const isGallery = withGallery && raw.length > 1 && message.files?.every(({ kind }) => kind === 'image');
  const lastRequest = (content: string, mentions?: readonly string[]) => {
    const ordinary = { ...body(content, message.buttons, mentions), attachments };
    return isGallery
      ? { body: galleryBody(ordinary, attachments), files: raw, ungrouped: ordinary }
      : { body: ordinary, files: raw };
  };
  const last = more.pop();
  if (last === undefined) {
    const [unquoted] = message.unquoted === undefined ? [] : texts(message.unquoted);
    return [{ ...lastRequest(first, message.mentions), ...(unquoted !== undefined && { unquoted }) }];
  }
  return [
    { body: messageBody(first, [], message.mentions), files: [] },
    ...more.map((content) => ({ body: messageBody(content), files: [] })),
    { ...lastRequest(last), ...(needsFile && { hasWhole: true }) },
  ];
}

/**
 * Key of one of the requests that a message takes. The one with the whole text has its own: where the file is refused, the
 * text goes on as messages, and the piece in its place must not look like the file when all of it is posted again.
 */
export function requestKey(key: string, { hasWhole }: MessageRequest, index: number): string {
  return partKey(hasWhole ? wholeKey(key) : key, index);
}

/** The request that edits a message's text and buttons, as far as they fit one message; its files stay. */
export function editRequest(message: Message): MessageRequest {
  const { link, buttons } = message;
  const [text] = splitText(message);
  const [unquoted] = message.unquoted === undefined ? [] : splitText({ ...message, text: message.unquoted });
  const body = link === undefined ? messageBody(text, buttons) : messageBodyWithPreview(text, buttons);
  return { body, files: [], ...(unquoted !== undefined && { unquoted }) };
}

/**
 * Sends a request; if Discord refuses it for good, once more in the next plainer form: without quoted text if
 * moderation blocked it, else without a gallery, then without buttons.
 * @throws Discord's refusal of the plainest form.
 */
export async function sendPlainerIfRefused<T>(
  request: MessageRequest,
  send: (request: MessageRequest) => Promise<T>,
): Promise<T> {
  try {
    return await send(request);
  } catch (error) {
    const plainer = plainerForm(request, error);
    if (!plainer) throw error;
    return sendPlainerIfRefused(plainer, send);
  }
}

function plainerForm(request: MessageRequest, error: unknown): MessageRequest | undefined {
  const { files, unquoted, ungrouped } = request;
  const body = ungrouped ?? request.body;
  if (isModerated(error))
    return unquoted === undefined || unquoted === body.content
      ? undefined
      : { body: withoutDescriptions({ ...body, content: unquoted }), files };
  if (!(error instanceof PlatformError) || error.kind !== 'refused') return undefined;
  const said = unquoted === undefined ? {} : { unquoted };
  if (ungrouped) return { body: ungrouped, files, ...said };
  if (!body.components?.length) return undefined;
  return { body: { ...body, components: [] }, files, ...said };
}

/** Descriptions of files may quote people, too. */
function withoutDescriptions({ attachments, ...body }: MessageBody): MessageBody {
  return attachments
    ? { ...body, attachments: attachments.map(({ description: _, ...file }) => file) }
    : body;
}

/** How many messages show a text at most, whose whole is a file then; in threads and direct messages as many as it takes. */
export function mostMessagesAt(address: Address): number {
  if (tokenOfAddress(address)) return mostByToken;
  return isSpacious(address) ? Number.POSITIVE_INFINITY : mostMessages;
}

/** Whether nobody else's messages are in the way: in a thread, and in direct messages. */
export function isSpacious(address: Address): boolean {
  return !tokenOfAddress(address) && (address.thread !== undefined || isDirectMessage(address));
}
