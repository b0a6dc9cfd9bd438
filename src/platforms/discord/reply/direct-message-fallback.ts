import type { RawFile } from '@discordjs/rest';
import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import { isLocal } from '../../../lib/local-faults.ts';
import {
  type Locale,
  type MessageAddress,
  PlatformError,
  type PlatformErrorKind,
} from '../../../port/index.ts';
import { errorCode } from '../api/errors.ts';
import { type MessageBody, maxMessageLength } from '../api/message-body.ts';
import { prependHeader } from '../post/message-header.ts';
import type { DiscordServices } from '../post/services.ts';
import { discordWords } from '../words.ts';
import type { AnswerMessages, MessageName } from './reply-target.ts';

/** Why a place accepts nothing from the bot. */
const closedKinds: readonly PlatformErrorKind[] = ['expired', 'no-permission', 'not-a-member'];

/**
 * Whether the place is closed. Without Attach Files it may refuse files and take the text (uncertain for answers to
 * interactions): the command then leaves them out or delivers them in another way.
 */
function isClosed(error: unknown, files: readonly RawFile[]): boolean {
  if (errorCode(error) === RESTJSONErrorCodes.UnknownMessage) return true;
  if (!(error instanceof PlatformError)) return false;
  return closedKinds.includes(error.kind) && (error.kind !== 'no-permission' || files.length === 0);
}

/** The person who is to read the messages. */
interface Recipient {
  readonly userId: string;
  readonly locale: Locale;
}

/**
 * Writes messages that only one person may see: by the interaction's token, or as direct messages if Discord doesn't
 * know the token (any more) or nothing can be written there. After the first direct message all others are direct messages too.
 */
export class DirectMessageFallback {
  readonly #services: Pick<DiscordServices, 'api' | 'directMessages'>;
  readonly #messages: AnswerMessages;
  readonly #recipient: Recipient;
  #channel: string | undefined;

  constructor(
    services: Pick<DiscordServices, 'api' | 'directMessages'>,
    messages: AnswerMessages,
    recipient: Recipient,
  ) {
    this.#services = services;
    this.#messages = messages;
    this.#recipient = recipient;
  }

  /** The channel of the direct messages, once one was written. */
  get channel(): string | undefined {
    return this.#channel;
  }

  /**
   * Writes with `byToken`, or else directly; `onTokenLost` is called before the first direct message.
   * @throws {PlatformError} `expired` if the person doesn't accept direct messages either.
   */
  async write(
    name: MessageName,
    body: MessageBody,
    files: readonly RawFile[],
    byToken: () => Promise<MessageAddress>,
    onTokenLost: () => void,
  ): Promise<MessageAddress> {
    if (this.#channel !== undefined) return this.#writeDirectly(this.#channel, name, body, files);
    try {
      return await byToken();
    } catch (error) {
      if (!isClosed(error, files)) throw error;
      onTokenLost();
      try {
        return await this.#writeFirst(name, body, files);
      } catch (second) {
        const isUnreachable = second instanceof PlatformError && second.kind === 'unreachable';
        throw isUnreachable ? second : error;
      }
    }
  }

  /** The first one says why it comes as a direct message, if there is room. */
  async #writeFirst(
    name: MessageName,
    body: MessageBody,
    files: readonly RawFile[],
  ): Promise<MessageAddress> {
    const channel = await this.#openChannel();
    const content = prependHeader(discordWords(this.#recipient.locale).fromElsewhere, body.content ?? '');
    // A gallery has no content.
    const fits = body.content !== null && content.length <= maxMessageLength;
    const written = await this.#writeDirectly(channel, name, fits ? { ...body, content } : body, files);
    this.#channel = channel;
    return written;
  }

  /** Recorded, so that a late delivery continues there; a failure of this machine's storage doesn't stop the answer. */
  async #openChannel(): Promise<string> {
    const { api, directMessages } = this.#services;
    const { userId } = this.#recipient;
    try {
      return await directMessages.open(userId);
    } catch (error) {
      if (!isLocal(error)) throw error;
      return api.directChannel(userId);
    }
  }

  async #writeDirectly(
    channel: string,
    name: MessageName,
    body: MessageBody,
    files: readonly RawFile[],
  ): Promise<MessageAddress> {
    const directName = typeof name === 'string' ? name : { ...name, key: name.directKey };
    const message = await this.#messages.post(channel, directName, body, files);
    return { platform: 'discord', workspace: channel, channel, message };
  }
}
