import { type Waits, waitAfter } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { Outgoing } from './outbox.ts';
import { type MessageContext, type ReplySink, RetryableWriteError, WriteTimeoutError } from './sink.ts';
import { withWriteTimeout } from './write-timeout.ts';

/** Milliseconds after which a write is abandoned. */
export const writeLimit = 30_000;
const waits: Waits = { first: 1_000, longest: 60_000 };

/** How a write failed; `retryIn` milliseconds if it may be retried. */
export interface Failure {
  readonly error: unknown;
  readonly retryIn?: number;
}

/** Makes one write at a time and classifies its failure. */
export class Writer<Handle> {
  readonly #sink: ReplySink<Handle>;
  readonly #clock: Clock;

  constructor(sink: ReplySink<Handle>, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /**
   * Posts or edits the message, once any earlier abandoned write of it is over: otherwise that could arrive after
   * this one, or post the message twice.
   */
  async write(message: Outgoing<Handle>): Promise<Failure | undefined> {
    const { index, wanted } = message;
    const { text, ...state } = wanted;
    await this.#formerOver(message);
    const repeatable = message.posted !== undefined;
    try {
      await withWriteTimeout(this.#clock, writeLimit, async (signal) => {
        const work = this.#send(message, text, { index, signal, ...state });
        message.underWay = work.catch(() => undefined);
        await work;
      });
    } catch (error) {
      message.standing = undefined;
      message.tries += 1;
      message.mayStand ||= !repeatable && !isSurelyUndone(error);
      return judge(error, message.tries, repeatable);
    }
    // If the platform deduplicates a post it returns the existing message, whose content is unknown until it is
    // edited.
    message.standing = !repeatable && message.mayStand ? undefined : wanted;
    message.mayStand = false;
    message.tries = 0;
    return undefined;
  }

  /** Stops waiting for a write that never settles, even if it ignores its signal. */
  async #formerOver({ underWay }: Outgoing<Handle>): Promise<void> {
    if (underWay) await withWriteTimeout(this.#clock, writeLimit, () => underWay).catch(() => undefined);
  }

  async #send(message: Outgoing<Handle>, text: string, context: MessageContext): Promise<void> {
    const { posted } = message;
    if (posted) await this.#sink.edit(posted.handle, text, context);
    // Kept even if it is too late: the message exists.
    else message.posted = { handle: await this.#sink.post(text, context) };
  }

  /** Sends the whole text as a file; `tries` includes this attempt. */
  async sendFile(text: string, after: Handle, tries: number): Promise<Failure | undefined> {
    try {
      await withWriteTimeout(this.#clock, writeLimit, (signal) =>
        this.#sink.attachWhole?.(text, after, signal),
      );
    } catch (error) {
      return judge(error, tries, false);
    }
    return undefined;
  }
}

/** When the platform said to retry. */
function isSurelyUndone(error: unknown): boolean {
  return error instanceof RetryableWriteError && error.retryAfter !== undefined;
}

/** An edit without a response can be repeated: it has the same result. */
function judge(error: unknown, tries: number, repeatable: boolean): Failure {
  const backoff = waitAfter(tries, waits);
  if (error instanceof RetryableWriteError)
    return { error, retryIn: Math.min(waits.longest, Math.max(0, error.retryAfter ?? backoff)) };
  if (error instanceof WriteTimeoutError && repeatable) return { error, retryIn: backoff };
  return { error };
}
