import type { RawFile } from '@discordjs/rest';
import { type APIMessage, ComponentType, MessageFlags, RESTJSONErrorCodes } from 'discord-api-types/v10';
import {
  type Address,
  type IncomingFile,
  type MessageAddress,
  PlatformError,
  refusalOf,
  undefinedIfRefused,
} from '../../../port/index.ts';
import { channelIdOf, type InteractionToken, tokenOfAddress } from '../api/address.ts';
import { errorCode, isExpired, isRefused } from '../api/errors.ts';
import type { MessageBody } from '../api/message-body.ts';
import type { Pace } from '../api/rate-limits.ts';
import { fileNameIn, filesShownIn, type ShownFile } from '../media/attached-files.ts';
import type { DiscordServices } from './services.ts';

/** Reads, edits and deletes messages: as the bot in a channel, or by an interaction's token. */
export interface MessageAccess {
  edit(id: string, body: MessageBody, files: readonly RawFile[], pace?: Pace): Promise<APIMessage>;
  remove(id: string): Promise<void>;
  get(id: string): Promise<APIMessage>;
}

type Services = Pick<DiscordServices, 'api' | 'applicationId' | 'clock'>;

/** Access as the bot, for as long as it's a member. */
export function accessAsBot({ api }: Pick<DiscordServices, 'api'>, channel: string): MessageAccess {
  return {
    edit: (id, body, files, pace) => api.editMessage(channel, id, body, files, pace),
    remove: (id) => api.deleteMessage(channel, id),
    get: (id) => api.message(channel, id),
  };
}

/**
 * Access by an interaction's token.
 * @throws {PlatformError} `expired` after the token's end.
 */
export function accessByToken(
  { api, applicationId, clock }: Services,
  { token, until }: Pick<InteractionToken, 'token' | 'until'>,
): MessageAccess {
  const application = () => {
    if (clock.now() >= until) throw new PlatformError('expired');
    return applicationId();
  };
  return {
    edit: async (id, body, files, pace) => api.editByToken(application(), token, id, body, files, pace),
    remove: async (id) => api.deleteByToken(application(), token, id),
    get: async (id) => api.messageByToken(application(), token, id),
  };
}

/**
 * Access to a message that a token knows as `id`: edits by the token as long as that's valid, and as the bot after that, if
 * it can. A token's edits have a rate limit of their own; the bot's share the channel's with everything else that it edits
 * there, and the bot's 50 requests a second.
 */
export function preferToken(
  byToken: MessageAccess,
  id: string,
  asBot: MessageAccess | undefined,
): MessageAccess {
  return {
    ...(asBot ?? byToken),
    edit: async (messageId, ...edit) => {
      try {
        return await byToken.edit(id, ...edit);
      } catch (error) {
        // Discord may not know a token that should be valid.
        const isUnknown = isExpired(error) || errorCode(error) === RESTJSONErrorCodes.UnknownMessage;
        if (!asBot || !isUnknown) throw error;
        return asBot.edit(messageId, ...edit);
      }
    },
  };
}

/** Access to a message, wherever it is: by its address alone, across processes and after a restart. */
export function accessTo(services: Services, at: Address & Partial<MessageAddress>): MessageAccess {
  const onlyToken = tokenOfAddress(at);
  if (onlyToken) return accessByToken(services, onlyToken);
  const asBot = accessAsBot(services, channelIdOf(at));
  const { token, until, id, message } = at.access ?? {};
  // What's posted beside a message has its address, and not its access.
  if (token === undefined || id === undefined || message !== at.message) return asBot;
  return preferToken(accessByToken(services, { token, until: Number(until) }), id, asBot);
}

/** The address of a message that a token, which knows it as `id`, can edit as well as the bot itself. */
export function withToken(
  address: MessageAddress,
  { token, until }: Pick<InteractionToken, 'token' | 'until'>,
  id: string,
): MessageAddress {
  return { ...address, access: { message: address.message, token, until: String(until), id } };
}

/** The files of a message. */
export async function messageFiles(
  services: Services,
  message: MessageAddress,
): Promise<readonly IncomingFile[]> {
  const shown = filesShownIn(await accessTo(services, message).get(message.message));
  const channel = tokenOfAddress(message) ? undefined : channelIdOf(message);
  return shown.map((file) => fileOfMessage(file, channel, message.message));
}

/** Reads a file of at most `maxBytes`. */
export async function readMessageFile(
  services: Pick<DiscordServices, 'api' | 'download'>,
  { source }: IncomingFile,
  maxBytes: number,
): Promise<Uint8Array> {
  return services.download(await currentUrl(services, source), maxBytes);
}

/** The source of a file names its message, if the bot can read that again; otherwise it's the file's URL. */
export function fileOfMessage(file: ShownFile, channel: string | undefined, message: string): IncomingFile {
  const { id, filename, content_type: contentType = '', size = 0, url } = file;
  const source = channel === undefined ? url : `${channel}/${message}/${id}`;
  return { name: filename, contentType, size, url, source };
}

/** URLs expire after a day; reading the message again returns current ones. */
async function currentUrl(services: Pick<DiscordServices, 'api'>, source: string): Promise<string> {
  const [, channel, message, id] = /^(\d+)\/(\d+)\/(\d+)$/.exec(source) ?? [];
  if (!channel || !message) return source;
  const shown = filesShownIn(await accessAsBot(services, channel).get(message));
  const attachment = shown.find((candidate) => candidate.id === id);
  if (!attachment) throw new PlatformError('gone');
  return attachment.url;
}

type Rows = NonNullable<APIMessage['components']>;

/**
 * Changes a button's label; the rest of the message stays.
 * @throws {PlatformError} `gone` if the message hasn't the button.
 */
export async function relabelButton(
  services: DiscordServices,
  at: MessageAddress,
  buttonId: string,
  label: string,
): Promise<void> {
  const access = accessTo(services, at);
  const { components = [] } = await access.get(at.message);
  const changed = components.map((row) => relabelled(row, buttonId, label));
  if (changed.every((row, index) => row === components[index])) throw new PlatformError('gone');
  // What Discord sent is what it takes.
  const edit = (rows: Rows) =>
    access.edit(
      at.message,
      { components: rows as NonNullable<MessageBody['components']>, allowed_mentions: { parse: [] } },
      [],
    );
  await edit(changed.map(withOwnFiles)).catch((error: unknown) => {
    if (!isRefused(error)) throw error;
    return edit(changed);
  });
}

/**
 * A gallery comes with the addresses of its files, which expire. Sent back by name, it still shows the message's own
 * files; where Discord doesn't find those (uncertain), the addresses have to do.
 */
function withOwnFiles(component: Rows[number]): Rows[number] {
  if (component.type !== ComponentType.MediaGallery) return component;
  const items = component.items.map((item) => {
    const { attachment_id: id, url } = item.media;
    return id === undefined ? item : { ...item, media: { url: `attachment://${fileNameIn(url)}` } };
  });
  return { ...component, items };
}

function relabelled(row: Rows[number], buttonId: string, label: string): Rows[number] {
  if (row.type !== ComponentType.ActionRow) return row;
  const isIt = (button: object) => 'custom_id' in button && button.custom_id === buttonId;
  if (!row.components.some(isIt)) return row;
  const components = row.components.map((button) => (isIt(button) ? { ...button, label } : button));
  return { ...row, components } as Rows[number];
}

/** The message "… is thinking" of a deferred interaction, known to its token as `@original`. */
export class LoadingMessage {
  /** Access by the interaction's token, as of now. */
  readonly #access: () => MessageAccess;
  #pending: boolean;
  /** True if an edit was sent and its outcome is unknown. */
  #mayBeReplaced = false;

  /** `pending` is false for an interaction that was not deferred. */
  constructor(access: () => MessageAccess, pending: boolean) {
    this.#access = access;
    this.#pending = pending;
  }

  /** Whether it still waits for the first answer. */
  get pending(): boolean {
    return this.#pending;
  }

  /** The token turned out to be of no more use. */
  abandon(): void {
    this.#pending = false;
  }

  /**
   * Replaces it with the first answer, whose id is returned. Undefined if somebody deleted it or, where the bot can post
   * as itself, if Discord doesn't know the token although it should be valid (discord-api-docs#6851).
   */
  async replace(
    body: MessageBody,
    files: readonly RawFile[],
    botCanPost: boolean,
    pace?: Pace,
  ): Promise<string | undefined> {
    const before = this.#mayBeReplaced;
    this.#mayBeReplaced = true;
    try {
      const { id } = await this.#access().edit('@original', body, files, pace);
      this.#pending = false;
      return id;
    } catch (error) {
      if (refusalOf(error)) this.#mayBeReplaced = before;
      const isDeleted = errorCode(error) === RESTJSONErrorCodes.UnknownMessage;
      if (!isDeleted && !(botCanPost && isExpired(error))) throw error;
      this.#pending = false;
      return undefined;
    }
  }

  /** Deletes it, unless an answer has replaced it. */
  async discard(): Promise<void> {
    if (!this.#pending) return;
    this.#pending = false;
    if (this.#mayBeReplaced) {
      const original = await undefinedIfRefused(this.#access().get('@original'));
      if (original && !isLoading(original)) return;
    }
    await this.#access().remove('@original');
  }
}

/** Whether a message is one that Discord shows while the bot is thinking. */
export function isLoading({ flags }: Pick<APIMessage, 'flags'>): boolean {
  return ((flags ?? 0) & MessageFlags.Loading) !== 0;
}
