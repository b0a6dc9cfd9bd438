import type { Clock } from '../../lib/clock.ts';
import {
  CancelledError,
  ClientClosedError,
  ConnectionError,
  type ErrorFacts,
  type Operation,
  ServiceError,
  safeWord,
  type TimeLimit,
  TimeoutError,
} from '../errors.ts';

/** Why the client stopped a call. */
type Interruption =
  | { kind: 'time'; limit: TimeLimit; milliseconds: number }
  | { kind: 'cancelled' }
  | { kind: 'closed' };

/** The two signals that may stop a call: its caller's, and the client's when it is closed. */
interface Stops {
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

  /** The reason why the call was stopped, if it was. */
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

/** The state of an exchange when it failed. */
export interface Standing {
  operation: Operation;
  deadline: Deadline;
  /** Whether any part of the request may have reached the service. */
  sent: boolean;
  requestId?: string | undefined;
}

/**
 * Maps an error during an exchange: a timeout, the caller's abort, the client's closing, or the connection. Doesn't
 * keep the original error: undici's may contain bytes of the response.
 */
export function failure(error: unknown, standing: Standing): ServiceError {
  if (error instanceof ServiceError) return error;
  const { operation, requestId, deadline, sent } = standing;
  const facts: ErrorFacts = {
    operation,
    requestId,
    outcome: sent ? 'unknown' : 'not-processed',
    retryable: true,
  };
  const interruption = deadline.interruption;
  switch (interruption?.kind) {
    case 'time':
      return new TimeoutError(interruption.limit, interruption.milliseconds, facts);
    case 'cancelled':
      return new CancelledError('cancelled by the caller', { ...facts, retryable: false });
    case 'closed':
      return new ClientClosedError('the client was closed', { ...facts, retryable: false });
    default:
      return connectionError(error, facts);
  }
}

function connectionError(error: unknown, facts: ErrorFacts): ConnectionError {
  const code = systemCode(error);
  const trusted = code === undefined || !/CERT|SIGNATURE|ALTNAME|EPRIVATE/.test(code);
  const sentence = facts.outcome === 'unknown' ? 'the connection was lost' : 'no connection';
  return new ConnectionError(code ? `${sentence} (${code})` : sentence, {
    ...facts,
    code,
    // Retrying doesn't make a certificate valid.
    retryable: trusted,
  });
}

function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const inner = error instanceof AggregateError ? error.errors[0] : undefined;
  return safeWord('code' in error && error.code ? error.code : inner?.code);
}
