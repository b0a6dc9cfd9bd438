import type { MessageAddress } from '../../../port/index.ts';
import { slackCode, writeError } from '../api/errors.ts';
import type { RateLimits } from '../api/rate-limits.ts';
import type { SlackApi } from '../api/slack-api.ts';

/** What a message is to show instead: text, blocks, metadata. */
export type Replacement = Readonly<Record<string, unknown>>;

interface Waiting {
  replacement: Replacement;
  readonly done: Promise<void>;
}

/**
 * Edits of messages, one at a time for each message and always with the latest: a workspace may make fewer than
 * one a second, so an edit that a later one overtakes while it waits is never made.
 */
export class Edits {
  readonly #api: SlackApi;
  readonly #rateLimits: RateLimits;
  readonly #waiting = new Map<string, Waiting>();
  readonly #last = new Map<string, Promise<void>>();

  constructor(api: SlackApi, rateLimits: RateLimits) {
    this.#api = api;
    this.#rateLimits = rateLimits;
  }

  /** Makes a message show something else; resolves when that, or something later, stands there. */
  edit(message: MessageAddress, replacement: Replacement): Promise<void> {
    const key = `${message.workspace} ${message.channel} ${message.message}`;
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.replacement = replacement;
      return waiting.done;
    }
    const before = this.#last.get(key) ?? Promise.resolve();
    const done = before.catch(() => undefined).then(() => this.#write(key, message));
    this.#waiting.set(key, { replacement, done });
    this.#last.set(key, done);
    done
      .catch(() => undefined)
      .finally(() => {
        if (this.#last.get(key) === done) this.#last.delete(key);
      });
    return done;
  }

  async #write(key: string, message: MessageAddress): Promise<void> {
    const { workspace, channel, message: ts } = message;
    await this.#rateLimits.of('chat.update', workspace, channel).slot();
    const replacement = this.#waiting.get(key)?.replacement ?? {};
    this.#waiting.delete(key);
    const args = { channel, ts, ...replacement };
    try {
      await this.#api
        .call(workspace, 'chat.update', args, { hasSlot: true })
        .catch(async (error: unknown) => {
          // A stream that the process which wrote it did not live to stop.
          if (slackCode(error) !== 'streaming_state_conflict') throw error;
          await this.#api.call(workspace, 'chat.stopStream', { channel, ts });
          await this.#api.call(workspace, 'chat.update', args);
        });
    } catch (error) {
      throw writeError(error);
    }
  }
}
