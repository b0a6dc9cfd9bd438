import type { RawFile } from '@discordjs/rest';
import { type APIMessage, MessageFlags, RESTJSONErrorCodes } from 'discord-api-types/v10';
import {
  type Address,
  type LoadingRecords,
  type Message,
  type MessageAddress,
  PlatformError,
  refusalOf,
  textFile,
  undefinedIfRefused,
  wholeKey,
} from '../../../port/index.ts';
import { firstMessages, mostMessages } from '../../../reply/index.ts';
import { areWordsRefused, errorCode, throwDeletedIf } from '../api/errors.ts';
import {
  channelIdOf,
  galleryBody,
  type InteractionToken,
  isDirectMessage,
  maxMessageLength,
  type MessageBody,
  messageBody,
  messageBodyWithPreview,
  type MessageContent,
  splitText,
  tokenOfAddress,
} from '../api/messages.ts';
import { type MediaProcessor, uploadsOf } from '../media/upload-limits.ts';
import { partKey } from './posted-messages.ts';
import type { DiscordServices } from './services.ts';

/** Reads, edits and deletes messages: as the bot in a channel, or by an interaction's token. */
export interface MessageAccess {
  edit(id: string, request: MessageRequest): Promise<APIMessage>;
  remove(id: string): Promise<void>;
  get(id: string): Promise<APIMessage>;
}

type Services = Pick<DiscordServices, 'api' | 'clock' | 'identity'>;

/** Access as the bot, for as long as it's a member. */
export function accessAsBot({ api }: Pick<DiscordServices, 'api'>, channel: string): MessageAccess {
  return {
    edit: (id, request) => api.editMessage(channel, id, request),
    remove: (id) => api.deleteMessage(channel, id),
    get: (id) => api.message(channel, id),
  };
}

/**
 * Access by an interaction's token.
 * @throws {PlatformError} `expired` after the token's end.
 */
export function accessByToken(
  { api, clock, identity }: Services,
  { token, until }: Pick<InteractionToken, 'token' | 'until'>,
): MessageAccess {
  const application = () => {
    if (clock.now() >= until) throw new PlatformError('expired');
    return identity().applicationId;
  };
  return {
    edit: async (id, request) => api.editByToken(application(), token, id, request),
    remove: async (id) => api.deleteByToken(application(), token, id),
    get: async (id) => api.messageByToken(application(), token, id),
  };
}

/**
 * Access to a message that a token knows as `id`: edits by the token as long as that's valid, and as the bot after that, if
 * it can. A token's edits have a rate limit of their own; the bot's share the channel's with everything else that it edits
 * there, and the bot's 50 requests a second. `onLost` is told if Discord doesn't know the token and the bot can.
 */
export function preferToken(
  byToken: MessageAccess,
  id: string,
  asBot: MessageAccess | undefined,
  onLost?: () => void,
): MessageAccess {
  return {
    ...(asBot ?? byToken),
    edit: async (messageId, request) => {
      try {
        return await byToken.edit(id, request);
      } catch (error) {
        // Discord may not know a token that should be valid.
        const isLost = refusalOf(error) === 'expired';
        if (!asBot || !(isLost || errorCode(error) === RESTJSONErrorCodes.UnknownMessage)) throw error;
        if (isLost) onLost?.();
        return asBot.edit(messageId, request);
      }
    },
  };
}

/** Access to a message, wherever it is, by its address only: across processes and after a restart. */
export function accessTo(services: Services, at: Address & Partial<MessageAddress>): MessageAccess {
  // What's posted beside a message has its address, and not its access.
  const { token, until, id } = at.access?.message === at.message ? (at.access ?? {}) : {};
  const onlyToken = tokenOfAddress(at);
  if (onlyToken) return knownAs(id, accessByToken(services, onlyToken));
  const asBot = accessAsBot(services, channelIdOf(at));
  if (token === undefined || id === undefined) return asBot;
  return preferToken(accessByToken(services, { token, until: Number(until) }), id, asBot);
}

/** Access to a message that's known by another id there. */
function knownAs(id: string | undefined, access: MessageAccess): MessageAccess {
  if (id === undefined) return access;
  return {
    edit: (_, request) => access.edit(id, request),
    remove: () => access.remove(id),
    get: () => access.get(id),
  };
}

/** The address of a message that a token, which knows it as `id`, can edit as well as the bot itself. */
export function withToken(
  address: MessageAddress,
  { token, until }: Pick<InteractionToken, 'token' | 'until'>,
  id: string,
): MessageAddress {
  return { ...address, access: { message: address.message, token, until: String(until), id } };
}

/** The message "… is thinking" of a deferred interaction, known to its token as `@original`. */
export class LoadingMessage {
  /** Access by the interaction's token, as of now. */
  readonly #access: () => MessageAccess;
  readonly #isPublic: boolean;
  #pending: boolean;
  #isDeleted = false;
  /** True if an edit was sent and its outcome is unknown. */
  #mayBeReplaced = false;
  /** The tries to replace it: of two at once the second finds another place. */
  #replacing: Promise<unknown> = Promise.resolve();
  /** Forgets it: from then on nobody deletes an answer with it. Resolves with whether that's on record. */
  #forget = async () => true;

  /** `pending` is false for an interaction that was not deferred; `isPublic`: everybody sees it. */
  constructor(
    access: () => MessageAccess,
    { pending, isPublic }: { readonly pending: boolean; readonly isPublic: boolean },
  ) {
    this.#access = access;
    this.#pending = pending;
    this.#isPublic = isPublic;
  }

  /** Whether it still waits for the first answer. */
  get pending(): boolean {
    return this.#pending;
  }

  /** The token turned out to be of no more use. */
  abandon(): void {
    this.#pending = false;
  }

  /** It's on record as the answer's, and forgotten before the bot itself takes it away: nobody has deleted it then. */
  record(at: MessageAddress, { note, forget }: LoadingRecords): Promise<void> {
    if (!this.#pending) return Promise.resolve();
    const noted = note(at);
    this.#forget = async () => {
      await noted.catch(() => {});
      return forget(at).then(
        () => true,
        () => false,
      );
    };
    return noted;
  }

  /**
   * Replaces it with the first answer, whose id is returned. Undefined if its one reader dismissed it or, where the bot can
   * post as itself, if Discord doesn't know the token although it should be valid (discord-api-docs#6851).
   * @throws {PlatformError} `deleted` if everybody saw it and somebody deleted it, from then on each time.
   */
  replace(request: MessageRequest, botCanPost: boolean): Promise<string | undefined> {
    const replaced = this.#replacing.then(() => this.#replace(request, botCanPost));
    this.#replacing = replaced.catch(() => {});
    return replaced;
  }

  async #replace(request: MessageRequest, botCanPost: boolean): Promise<string | undefined> {
    if (this.#isDeleted) throw new PlatformError('deleted');
    if (!this.#pending) return undefined;
    const before = this.#mayBeReplaced;
    this.#mayBeReplaced = true;
    try {
      const { id } = await this.#access().edit('@original', request);
      this.#pending = false;
      return id;
    } catch (error) {
      if (refusalOf(error)) this.#mayBeReplaced = before;
      this.#throwIfDeleted(error);
      const isDismissed = errorCode(error) === RESTJSONErrorCodes.UnknownMessage;
      if (!isDismissed && !(botCanPost && refusalOf(error) === 'expired')) throw error;
      this.#pending = false;
      await this.#forget();
      return undefined;
    }
  }

  /**
   * The id of the message, or of what has replaced it; undefined where it can't be known.
   * @throws {PlatformError} `deleted` as {@link replace} does.
   */
  async id(): Promise<string | undefined> {
    try {
      return (await this.#access().get('@original')).id;
    } catch (error) {
      this.#throwIfDeleted(error);
      return undefined;
    }
  }

  /** The bot itself may be taking it away. */
  #throwIfDeleted(error: unknown): void {
    if (!this.#isPublic || errorCode(error) !== RESTJSONErrorCodes.UnknownMessage) return;
    if (!this.#pending && !this.#isDeleted) return;
    this.#pending = false;
    this.#isDeleted = true;
    throwDeletedIf(error, [RESTJSONErrorCodes.UnknownMessage]);
  }

  /**
   * Deletes it, unless an answer has replaced it. Where it can't be forgotten it stays, or it would count as deleted by
   * somebody, whom the next process tells nothing of the command; unless what comes `instead` would take its place, which is
   * for one person alone.
   */
  async discard(instead?: 'whisper'): Promise<void> {
    if (!this.#pending) return;
    this.#pending = false;
    if (this.#mayBeReplaced) {
      const original = await undefinedIfRefused(this.#access().get('@original'));
      if (original && !isLoading(original)) return;
    }
    if ((await this.#forget()) || instead) await this.#access().remove('@original');
  }
}

/** Whether a message is one that Discord shows while the bot is thinking. */
export function isLoading({ flags }: Pick<APIMessage, 'flags'>): boolean {
  return ((flags ?? 0) & MessageFlags.Loading) !== 0;
}

/** Where the bot isn't a member it has five messages after the first; one of them is the file. */
const mostByToken = 5;

/** One request that posts or edits a message. */
export interface MessageRequest extends MessageContent {
  readonly files: readonly RawFile[];
  /** Its text without what it quotes from people. */
  readonly unquoted?: string;
  /** The same without a gallery: Discord shows several images in a grid then. */
  readonly ungrouped?: MessageBody;
  /** One of its files is the whole of a text that takes too many messages. */
  readonly hasWhole?: boolean;
}

interface RequestOptions {
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
  if (areWordsRefused(error))
    return unquoted === undefined || unquoted === body.content
      ? undefined
      : { body: withoutDescriptions({ ...body, content: unquoted }), files };
  if (refusalOf(error) !== 'refused') return undefined;
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
