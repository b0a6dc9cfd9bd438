import { type Clock, sleep } from './clock.ts';

/** Waits between tries, in milliseconds: the first, multiplied after every try, up to the longest. */
export interface Waits {
  readonly first: number;
  readonly longest: number;
  /** 2 where left out. */
  readonly factor?: number;
  /**
   * 0 to 1: waits a random part of the time instead of all of it ("full jitter"), so that those who failed together
   * do not all come back together.
   */
  readonly jitter?: () => number;
}

/** Milliseconds to wait after the try `tries` (1 for the first) has failed. */
export function waitAfter(tries: number, { first, longest, factor = 2, jitter }: Waits): number {
  const wait = Math.min(longest, first * factor ** Math.min(tries - 1, 30));
  return jitter ? Math.round(jitter() * wait) : wait;
}

/** How {@link untilDone} tries. */
export interface Persistence {
  readonly clock: Clock;
  /** May depend on the last error. */
  readonly waits: Waits | ((error: unknown) => Waits);
  /** Ends the tries, of which there is always one: the signal's reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Called with every failure and the number of tries so far; what it throws ends the tries. */
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
      await sleep(clock, waitAfter(tries, typeof waits === 'function' ? waits(error) : waits), signal);
    }
  }
}
