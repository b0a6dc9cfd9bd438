import { KeyedQueue } from '../../../lib/clock.ts';
import type { MessageAddress } from '../../../port/index.ts';
import { editError, slackCode } from '../api/errors.ts';
import type { RateLimits } from '../api/rate-limits.ts';
import type { SlackApi } from '../api/slack-api.ts';

/** What a message shows after the edit: text, blocks, metadata. */
export type Replacement = Readonly<Record<string, unknown>>;

interface Waiting {
  /** Undefined once nothing is to be edited any more. */
  replacement: Replacement | undefined;
  readonly done: Promise<void>;
}

/**
 * Edits of messages: one at a time for each message, and always the latest. A workspace may make fewer than one a
 * second, so an edit that a later one replaces while it waits is never sent.
 */
export class Edits {
  readonly #api: SlackApi;
  readonly #rateLimits: RateLimits;
  readonly #waiting = new Map<string, Waiting>();
  readonly #queue = new KeyedQueue();

  constructor(api: SlackApi, rateLimits: RateLimits) {
    this.#api = api;
    this.#rateLimits = rateLimits;
  }

  /** Edits a message; resolves when it shows this, or something later. */
  edit(message: MessageAddress, replacement: Replacement): Promise<void> {
    const key = keyOf(message);
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.replacement = replacement;
      return waiting.done;
    }
    const done = this.#queue.run(key, () => this.#write(key, message));
    this.#waiting.set(key, { replacement, done });
    return done;
  }

  /**
   * Edits a message by what it shows: `change` reads it, and nothing is written into it in between. No edit is made where
   * `change` returns none. Edits that were asked for before are made first, and later ones after it.
   */
  change(message: MessageAddress, change: () => Promise<Replacement | undefined>): Promise<void> {
    return this.#queue.run(keyOf(message), async () => {
      const replacement = await change();
      if (!replacement) return;
      const { workspace, channel } = message;
      await this.#rateLimits.of('chat.update', workspace, channel).slot();
      await this.#send(message, replacement);
    });
  }

  /** An edit that waits is not made: its message is about to be deleted. */
  forget(message: MessageAddress): void {
    const waiting = this.#waiting.get(keyOf(message));
    if (waiting) waiting.replacement = undefined;
  }

  async #write(key: string, message: MessageAddress): Promise<void> {
    const { workspace, channel } = message;
    await this.#rateLimits.of('chat.update', workspace, channel).slot();
    const replacement = this.#waiting.get(key)?.replacement;
    this.#waiting.delete(key);
    if (replacement) await this.#send(message, replacement);
  }

  /** Sends an edit for which the caller holds a slot. */
  async #send({ workspace, channel, message: ts }: MessageAddress, replacement: Replacement): Promise<void> {
    const args = { channel, ts, ...replacement };
    try {
      await this.#api
        .call(workspace, 'chat.update', args, { hasSlot: true })
        .catch(async (error: unknown) => {
          // A stream whose process died before it ended it.
          if (slackCode(error) !== 'streaming_state_conflict') throw error;
          await this.#api.call(workspace, 'chat.stopStream', { channel, ts });
          await this.#api.call(workspace, 'chat.update', args);
        });
    } catch (error) {
      throw editError(error);
    }
  }
}

function keyOf({ workspace, channel, message }: MessageAddress): string {
  return `${workspace} ${channel} ${message}`;
}
