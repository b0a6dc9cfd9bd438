import type { APIMessage, RawFile } from 'discord.js';
import { type Capabilities, everyWorkspace } from '../../port/index.ts';
import type { DiscordApi } from './api.ts';
import { discordFeatures } from './capabilities.ts';
import { nonceOf } from './nonce.ts';
import type { MessageBody } from './payload.ts';

/** One further message of an interaction. */
export interface FollowUp {
  readonly token: string;
  /** The same where the same message is sent again. */
  readonly key: string;
  readonly body: MessageBody;
  readonly files: readonly RawFile[];
}

export interface FollowUpsParts {
  readonly api: DiscordApi;
  readonly applicationId: () => string;
  readonly capabilities: Capabilities;
}

/** Further messages by an interaction's token. Each stands there once at most. */
export class FollowUps {
  readonly #parts: FollowUpsParts;

  constructor(parts: FollowUpsParts) {
    this.#parts = parts;
  }

  /**
   * Posts one: with a nonce where the live check saw Discord recognise it, so that it's sent until it's there.
   * @throws {UnconfirmedError} where nobody knows whether it's there, and it must not be sent again.
   */
  async post({ token, key, body, files }: FollowUp): Promise<APIMessage> {
    const { api, applicationId, capabilities } = this.#parts;
    const seen = await capabilities.find(everyWorkspace, discordFeatures.followUpNonce);
    const nonce = seen === 'works' ? nonceOf(token, key) : undefined;
    return api.followUp(applicationId(), token, body, files, nonce);
  }
}
