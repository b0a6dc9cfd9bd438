import { untilDone, type Waits } from '../../../lib/backoff.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../api/log.ts';

/** Between tries to start, in milliseconds. */
const waits: Waits = { first: 10_000, longest: 10_000 };

/** Starts the connection to Slack: tries until it works, or until it's stopped. */
export class ConnectionStart {
  /** Resolves when it has worked; never where it was stopped first. */
  readonly done: Promise<void>;
  readonly #stop = new AbortController();
  #fault: string | undefined = 'not started yet';

  constructor(clock: Clock, log: Log, start: () => Promise<void>) {
    const { signal } = this.#stop;
    const failed = (error: unknown) => {
      this.#fault = 'Slack cannot be reached';
      log.warn({ error }, 'Slack could not be started; trying again');
    };
    this.done = new Promise((resolve) => {
      const started = () => {
        this.#fault = undefined;
        resolve();
      };
      // It only ends otherwise when it's stopped.
      untilDone(start, { clock, waits, signal, failed }).then(started, () => undefined);
    });
  }

  /** Why Slack isn't connected yet; undefined once it is. */
  get fault(): string | undefined {
    return this.#fault;
  }

  stop(): void {
    this.#stop.abort(new Error('shutting down'));
  }
}
