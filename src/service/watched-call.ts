import { type Clock, sleep, waitAfter, type Waits } from '../lib/clock.ts';
import {
  faultName,
  type LabelsOf,
  secondsBetween,
  type Span,
  type Telemetry,
  traced,
} from '../lib/telemetry.ts';
import type { RateGroup } from '../service-rules/limits.ts';
import {
  AuthenticationError,
  CancelledError,
  ClientClosedError,
  ConnectionError,
  CreditError,
  type Operation,
  PermissionError,
  QueueFullError,
  RateLimitError,
  ServerError,
  ServiceError,
  TimeoutError,
  UnreadBodyError,
} from './errors.ts';
import { failure, type Standing } from './http/transport.ts';

/** Operations that are sent; `client` only names errors. */
type Sent = Exclude<Operation, 'client'>;

/** Measures one call, from its place in the queue to its end, and traces it. The service is sent no trace of ours. */
export class WatchedCall {
  readonly #telemetry: Telemetry;
  readonly #clock: Clock;
  readonly #operation: Sent;
  readonly #span: Span;
  readonly #since: number;
  /** Milliseconds in the queue. */
  #waited = 0;
  #sentAt: number | undefined;
  #tries = 0;
  #isOver = false;

  constructor(telemetry: Telemetry, clock: Clock, operation: Operation, model?: string) {
    this.#telemetry = telemetry;
    this.#clock = clock;
    this.#operation = operation as Sent;
    this.#since = clock.steady();
    this.#span = telemetry.tracer.start(
      `service ${operation}`,
      { 'troupe.operation': operation, 'troupe.model': model },
      { isRequest: true },
    );
  }

  /** The call itself: what begins in it belongs to it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#span.within(work);
    } catch (error) {
      this.over(error);
      throw error;
    }
  }

  /** A wait for the key's rate limit. */
  async wait<T>(group: RateGroup, work: () => Promise<T>): Promise<T> {
    const since = this.#clock.steady();
    try {
      return await traced(this.#telemetry.tracer, 'queue', { 'troupe.group': group }, work);
    } finally {
      const seconds = secondsBetween(since, this.#clock.steady());
      this.#waited += seconds * 1_000;
      this.#telemetry.meter.observe('troupe_service_queue_wait_seconds', { group }, seconds);
    }
  }

  /** Sends the request once. */
  async send<T extends { readonly status: number }>(work: () => Promise<T>): Promise<T> {
    this.#tries += 1;
    this.#sentAt = this.#clock.steady();
    try {
      const answer = await work();
      this.#count(String(answer.status));
      this.#span.set({ 'http.response.status_code': answer.status });
      return answer;
    } catch (error) {
      this.#count('error');
      throw error;
    }
  }

  /** It's sent again after a pause. */
  retried(): void {
    this.#telemetry.meter.count('troupe_service_retries_total', { operation: this.#operation });
  }

  /** The first words of a stream are there. */
  firstToken(model: string): void {
    this.#span.note('first token');
    if (this.#sentAt === undefined) return;
    const seconds = secondsBetween(this.#sentAt, this.#clock.steady());
    this.#telemetry.meter.observe('troupe_service_first_token_seconds', { model }, seconds);
  }

  /** It has ended; only the first end counts. */
  over(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const outcome = outcomeOf(error);
    const seconds = secondsBetween(this.#since + this.#waited, this.#clock.steady());
    const labels = { operation: this.#operation, outcome };
    this.#telemetry.meter.observe('troupe_service_call_duration_seconds', labels, seconds);
    this.#span.set({ 'troupe.outcome': outcome, 'troupe.tries': this.#tries });
    this.#span.end(error === undefined || outcome === 'canceled' ? undefined : faultName(error));
  }

  #count(status: string): void {
    this.#telemetry.meter.count('troupe_service_requests_total', { operation: this.#operation, status });
  }
}

type CallOutcome = LabelsOf<'troupe_service_call_duration_seconds'>['outcome'];

const outcomes = [
  [RateLimitError, 'rate-limited'],
  [QueueFullError, 'rate-limited'],
  [AuthenticationError, 'key'],
  [PermissionError, 'key'],
  [CreditError, 'credit'],
  [TimeoutError, 'timeout'],
  [ConnectionError, 'connection'],
  [CancelledError, 'canceled'],
  [ClientClosedError, 'canceled'],
  [UnreadBodyError, 'canceled'],
  [ServerError, 'server'],
] as const satisfies readonly (readonly [unknown, CallOutcome])[];

function outcomeOf(error: unknown): CallOutcome {
  if (error === undefined) return 'ok';
  const known = outcomes.find(([kind]) => error instanceof kind);
  if (known) return known[1];
  // What came before a request was sent: its row could not be written, or it was taken back.
  if (!(error instanceof ServiceError)) return 'canceled';
  return error.outcome === 'rejected' ? 'rejected' : 'unreadable';
}

const waits: Waits = { first: 500, longest: 8_000 };
/** Minimum delay after a 429, in milliseconds. */
const leastAfterRateLimit = 1_000;

/** Options of {@link withRetries}. */
interface RetryPolicy {
  /** Maximum number of attempts. */
  tries: number;
  /** Whether a success costs credits. */
  paid: boolean;
  /** Waits before retrying after `attempt`. */
  pause(error: ServiceError, attempt: number): Promise<void>;
}

/** Retries until it works, the error is permanent, or no attempts are left. `attempt` starts at 1. */
export async function withRetries<T>(task: (attempt: number) => Promise<T>, policy: RetryPolicy): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await task(attempt);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (attempt >= policy.tries || !mayRepeat(error, policy.paid)) throw error;
      await policy.pause(error, attempt);
    }
  }
}

/**
 * Whether a failed request may be retried. A free request is retried after any temporary error; a paid one only if it
 * was certainly not processed.
 */
function mayRepeat(error: ServiceError, paid: boolean): boolean {
  // A call that timed out in the queue has waited long enough.
  if (error instanceof QueueFullError) return false;
  if (error instanceof TimeoutError && error.limit === 'waiting') return false;
  return error.retryable && (!paid || error.outcome === 'not-processed');
}

/**
 * Milliseconds to wait before retrying after `attempt` (1 for the first): what the service requested, unless that's none or
 * over by this machine's clock; otherwise a random part of a doubling span (full jitter), and at least a second after a 429.
 */
export function pauseAfter(error: ServiceError, attempt: number, random: () => number): number {
  if (error.retryAfter) return error.retryAfter;
  const least = error instanceof RateLimitError ? leastAfterRateLimit : 0;
  return Math.max(least, Math.round(random() * waitAfter(attempt, waits)));
}

/** Waits between two attempts and disposes the deadline; throws the call's error if it is stopped meanwhile. */
export async function pause(clock: Clock, milliseconds: number, standing: Standing): Promise<void> {
  try {
    await sleep(clock, milliseconds, standing.deadline.signal);
  } catch (stopped) {
    throw failure(stopped, standing);
  } finally {
    standing.deadline.dispose();
  }
}
