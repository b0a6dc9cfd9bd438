import { type Waits, waitAfter } from '../../lib/backoff.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { QueueFullError, RateLimitError, ServiceError, TimeoutError } from '../errors.ts';
import { failure, type Standing } from './deadline.ts';

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
 * Milliseconds to wait before retrying after `attempt` (1 for the first): what the service requested, otherwise a
 * random part of a doubling span (full jitter), and at least a second after a 429.
 */
export function pauseAfter(error: ServiceError, attempt: number, random: () => number): number {
  if (error.retryAfter !== undefined) return error.retryAfter;
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
