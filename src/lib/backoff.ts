import { type Clock, sleep } from './clock.ts';

/** Waits between tries, in milliseconds: the first, doubled after every try up to the longest. */
export interface Waits {
  readonly first: number;
  readonly longest: number;
}

/** Milliseconds to wait after the try `tries` (1 for the first) has failed. */
export function waitAfter(tries: number, { first, longest }: Waits): number {
  return Math.min(longest, first * 2 ** Math.min(tries - 1, 30));
}

/** How {@link untilDone} goes about it. */
export interface Persistence {
  readonly clock: Clock;
  readonly waits: Waits;
  /** Ends the tries, of which there is always one: the signal's reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Told of every failure, with the number of tries so far; what it throws ends the tries. */
  readonly failed?: (error: unknown, tries: number) => void | Promise<void>;
}

/** Tries until it works, with longer and longer waits between the tries. */
export async function untilDone<T>(work: () => Promise<T>, how: Persistence): Promise<T> {
  const { clock, waits, signal, failed } = how;
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      await failed?.(error, tries);
      await sleep(clock, waitAfter(tries, waits), signal);
    }
  }
}
