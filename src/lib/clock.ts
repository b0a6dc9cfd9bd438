/** Time as a part like any other, so that tests can move it by hand. */
export interface Clock {
  /** Milliseconds since the epoch. Somebody may set the machine's clock, so that it jumps. */
  now(): number;
  /**
   * Milliseconds since some moment long ago, which nothing makes jump: for what this process measures and waits for.
   * Means nothing to the next one.
   */
  steady(): number;
  /** Calls `task` once after `milliseconds`, after 24 days at the latest; the returned function cancels it. */
  after(milliseconds: number, task: () => void): () => void;
  /** A random part, 0 to 1, by which waits differ, so that those who failed together don't all try again together. */
  jitter(): number;
}

/** Node's timers don't wait at all for longer, in milliseconds. */
export const longestTimer = 2 ** 31 - 1;

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.timeOrigin + performance.now(),
  after(milliseconds, task) {
    const timer = setTimeout(task, Math.min(milliseconds, longestTimer));
    return () => clearTimeout(timer);
  },
  jitter: () => Math.random(),
};

/** Whether this machine knows a time zone by this name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Resolves after `milliseconds`; rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(milliseconds, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Does something every so many milliseconds, for the first time after as many; the returned function ends it. */
export function every(clock: Clock, milliseconds: number, task: () => void): () => void {
  let cancel = () => {};
  const again = () => {
    cancel = clock.after(milliseconds, () => {
      again();
      task();
    });
  };
  again();
  return () => cancel();
}

/** Waits between tries, in milliseconds: the first, multiplied after every try, up to the longest. */
export interface Waits {
  readonly first: number;
  readonly longest: number;
  /** 2 where left out. */
  readonly factor?: number;
}

/** Milliseconds to wait at most after the try `tries` (1 for the first) has failed. */
export function waitAfter(tries: number, { first, longest, factor = 2 }: Waits): number {
  return Math.min(longest, first * factor ** Math.min(tries - 1, 30));
}

/**
 * Milliseconds to wait instead of `wait`: half of it and a random part of the other half ("equal jitter"). Whatever
 * failed together, in one process or several, doesn't all come back in the same moment.
 */
export function spread(wait: number, { jitter }: Pick<Clock, 'jitter'>): number {
  return Math.round(wait * (0.5 + jitter() / 2));
}

/** How {@link untilDone} tries. */
interface Persistence {
  readonly clock: Clock;
  /** May depend on the last error. */
  readonly waits: Waits | ((error: unknown) => Waits);
  /** Ends the tries, of which there is always one: the signal's reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Called with every failure and the number of tries so far; what it throws ends the tries. */
  readonly failed?: (error: unknown, tries: number) => void | Promise<void>;
}

/** Tries until it works, with longer and longer waits between the tries, each of them {@link spread}. */
export async function untilDone<T>(work: () => Promise<T>, how: Persistence): Promise<T> {
  const { clock, waits, signal, failed } = how;
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      await failed?.(error, tries);
      const wait = waitAfter(tries, typeof waits === 'function' ? waits(error) : waits);
      await sleep(clock, spread(wait, clock), signal);
    }
  }
}

/**
 * What some work gives. Once `signal` is aborted it isn't waited for any longer, and how it ends counts for nothing.
 * @throws the signal's reason.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}

/** Does work when it is first asked for; who asks again gets the same outcome. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/** What some work gives, or something else where it takes longer than so many milliseconds. */
export function inTime<T, U>(clock: Clock, limit: number, work: Promise<T>, otherwise: U): Promise<T | U> {
  let cancel = () => {};
  const late = new Promise<U>((resolve) => {
    cancel = clock.after(limit, () => resolve(otherwise));
  });
  return Promise.race([work, late]).finally(cancel);
}

/** Does work for each, one after another. What fails keeps nothing else from being done. @throws the first error, at the end. */
export async function inTurn<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = [];
  for (const one of all) await work(one).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

/** Runs the work for one key one piece at a time, in the order it was given. A key without work takes no memory. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does `work` when everything given before it for `key` has ended, however it ended. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = before ? before.then(work, work) : work();
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }

  /** Keys with work under way or waiting. */
  get size(): number {
    return this.#last.size;
  }
}

/**
 * Does for many what each of them asks for: one run at a time for each key, and all who ask before it has begun share the
 * next one.
 */
export class SharedRuns<T> {
  readonly #queue = new KeyedQueue();
  readonly #next = new Map<string, Promise<T>>();

  /** What a run brings that begins after this call. */
  run(key: string, work: () => Promise<T>): Promise<T> {
    const next =
      this.#next.get(key) ??
      this.#queue.run(key, async () => {
        // Those who ask at the same moment share it, too.
        await Promise.resolve();
        this.#next.delete(key);
        return work();
      });
    this.#next.set(key, next);
    return next;
  }
}

/**
 * Asked before anything that reaches people or costs credits. Undefined where no other process can have taken this one
 * for dead. Otherwise it resolves once the database has confirmed that nobody did; where somebody did it never resolves,
 * and the process ends.
 */
export type UntilAlive = () => Promise<void> | undefined;

const quarterHour = 900_000;

/** The quarter of an hour since the epoch that contains a time (milliseconds since the epoch). */
export function quarterHourOf(moment: number): number {
  return Math.floor(moment / quarterHour);
}
