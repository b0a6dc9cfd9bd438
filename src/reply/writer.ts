import { type Waits, waitAfter } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { Outgoing } from './outbox.ts';
import { type MessageContext, type ReplySink, RetryableWriteError, WriteTimeoutError } from './sink.ts';
import { within } from './within.ts';

/** Milliseconds after which a write is given up. */
export const writeLimit = 30_000;
const waits: Waits = { first: 1_000, longest: 60_000 };

/** How a write failed; `retryIn` milliseconds where it may be tried again. */
export interface Failure {
  readonly error: unknown;
  readonly retryIn?: number;
}

/** Makes one write at a time and judges its failure. */
export class Writer<Handle> {
  readonly #sink: ReplySink<Handle>;
  readonly #clock: Clock;

  constructor(sink: ReplySink<Handle>, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /**
   * Posts the message or edits it to what is wanted of it now, once a former write of it that was given up is over:
   * else that might arrive after this one, or post the message twice.
   */
  async write(message: Outgoing<Handle>): Promise<Failure | undefined> {
    const { index, wanted } = message;
    const { text, ...state } = wanted;
    await this.#formerOver(message);
    const repeatable = message.posted !== undefined;
    try {
      await within(this.#clock, writeLimit, async (signal) => {
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
    // A platform that knows a post again gives back the first one: what it shows now is not known before an edit.
    message.standing = !repeatable && message.mayStand ? undefined : wanted;
    message.mayStand = false;
    message.tries = 0;
    return undefined;
  }

  /** A write that never ends, whatever its signal says, is not waited for any longer. */
  async #formerOver({ underWay }: Outgoing<Handle>): Promise<void> {
    if (underWay) await within(this.#clock, writeLimit, () => underWay).catch(() => undefined);
  }

  async #send(message: Outgoing<Handle>, text: string, context: MessageContext): Promise<void> {
    const { posted } = message;
    if (posted) await this.#sink.edit(posted.handle, text, context);
    // Kept even if it comes too late to count: the message is there.
    else message.posted = { handle: await this.#sink.post(text, context) };
  }

  /** Sends the whole text as a file; `tries` counts this one. */
  async sendFile(text: string, after: Handle, tries: number): Promise<Failure | undefined> {
    try {
      await within(this.#clock, writeLimit, (signal) => this.#sink.attachWhole?.(text, after, signal));
    } catch (error) {
      return judge(error, tries, false);
    }
    return undefined;
  }
}

/** Where the platform said when it will take it. */
function isSurelyUndone(error: unknown): boolean {
  return error instanceof RetryableWriteError && error.retryAfter !== undefined;
}

/** An edit that got no answer may be repeated: it only says the same again. */
function judge(error: unknown, tries: number, repeatable: boolean): Failure {
  const backoff = waitAfter(tries, waits);
  if (error instanceof RetryableWriteError)
    return { error, retryIn: Math.min(waits.longest, Math.max(0, error.retryAfter ?? backoff)) };
  if (error instanceof WriteTimeoutError && repeatable) return { error, retryIn: backoff };
  return { error };
}
