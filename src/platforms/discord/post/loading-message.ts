import type { RawFile } from '@discordjs/rest';
import { type APIMessage, MessageFlags, RESTJSONErrorCodes } from 'discord-api-types/v10';
import { refusalOf, undefinedIfRefused } from '../../../port/index.ts';
import { errorCode, isExpired } from '../api/errors.ts';
import type { MessageBody } from '../api/message-body.ts';
import type { Pace } from '../api/rate-limits.ts';
import type { MessageAccess } from './message-access.ts';

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
