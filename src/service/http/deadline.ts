import type { Clock } from '../../lib/clock.ts';
import type { TimeLimit } from '../errors/local-errors.ts';

/** Why the client stopped a call. */
export type Interruption =
  | { kind: 'time'; limit: TimeLimit; milliseconds: number }
  | { kind: 'cancelled' }
  | { kind: 'closed' };

/** The two signals that may stop a call: its caller's, and the client's when it is closed. */
export interface Stops {
  cancelled?: AbortSignal | undefined;
  closed: AbortSignal;
}

/** Combines everything that may end a call early, including timeouts, in one signal. */
export class Deadline {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #timers = new Map<TimeLimit, () => void>();
  readonly #unlink: (() => void)[] = [];
  #interruption: Interruption | undefined;

  constructor(clock: Clock, stops: Stops) {
    this.#clock = clock;
    this.#link(stops.closed, { kind: 'closed' });
    if (stops.cancelled) this.#link(stops.cancelled, { kind: 'cancelled' });
  }

  /** Aborted as soon as anything stops the call. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What stopped the call, if anything. */
  get interruption(): Interruption | undefined {
    return this.#interruption;
  }

  /** Stops the call after `milliseconds` unless the timeout is cleared; calling it again restarts it. */
  start(limit: TimeLimit, milliseconds: number): void {
    this.lift(limit);
    const stop = () => this.#interrupt({ kind: 'time', limit, milliseconds });
    this.#timers.set(limit, this.#clock.after(milliseconds, stop));
  }

  lift(limit: TimeLimit): void {
    this.#timers.get(limit)?.();
    this.#timers.delete(limit);
  }

  /** Releases all timers and signals at the end of the call. */
  dispose(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    for (const unlink of this.#unlink.splice(0)) unlink();
  }

  #link(signal: AbortSignal, interruption: Interruption): void {
    const stop = () => this.#interrupt(interruption);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    this.#unlink.push(() => signal.removeEventListener('abort', stop));
  }

  #interrupt(interruption: Interruption): void {
    if (this.#interruption) return;
    this.#interruption = interruption;
    this.dispose();
    this.#controller.abort(new Error('interrupted'));
  }
}
