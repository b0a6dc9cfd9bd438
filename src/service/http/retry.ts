import { type Waits, waitAfter } from '../../lib/backoff.ts';
import { RateLimitError } from '../errors/answered-errors.ts';
import { QueueFullError, TimeoutError } from '../errors/local-errors.ts';
import { ServiceError } from '../errors/service-error.ts';

const waits: Waits = { first: 500, longest: 8_000 };
/** The shortest wait after a 429, in milliseconds. */
const leastAfterRateLimit = 1_000;

/** How {@link withRetries} goes about it. */
export interface RetryPolicy {
  /** How often to try at most. */
  tries: number;
  /** Whether a success takes credits. */
  paid: boolean;
  /** Waits before the try after `attempt`. */
  pause(error: ServiceError, attempt: number): Promise<void>;
}

/** Tries until it works, the error will not pass by itself, or the tries are used up. `attempt` starts at 1. */
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
 * Whether a failed request may be sent again. Asking for something costs nothing, so any error that may pass will
 * do; a paid request is sent again only where it certainly was not processed.
 */
function mayRepeat(error: ServiceError, paid: boolean): boolean {
  // Whoever waited in vain for a turn has waited enough.
  if (error instanceof QueueFullError) return false;
  if (error instanceof TimeoutError && error.limit === 'waiting') return false;
  return error.retryable && (!paid || error.outcome === 'not-processed');
}

/**
 * Milliseconds to wait before the try after `attempt` (1 for the first): what the service asked for, else a random
 * part of a doubling span (full jitter), and at least a second after a 429.
 */
export function pauseAfter(error: ServiceError, attempt: number, random: () => number): number {
  if (error.retryAfter !== undefined) return error.retryAfter;
  const least = error instanceof RateLimitError ? leastAfterRateLimit : 0;
  return Math.max(least, waitAfter(attempt, { ...waits, jitter: random }));
}
