/** Time as a part like any other, so that tests can move it by hand. */
export interface Clock {
  /** Milliseconds since the epoch. Somebody may set the machine's clock, so that it jumps. */
  now(): number;
  /**
   * Milliseconds since some moment long ago, which nothing makes jump: for what this process measures and waits for.
   * Means nothing to the next one.
   */
  steady(): number;
  /** Calls `task` once after `milliseconds`; the returned function cancels it. */
  after(milliseconds: number, task: () => void): () => void;
  /** A random part, 0 to 1, by which waits differ, so that those who failed together don't all try again together. */
  jitter(): number;
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.timeOrigin + performance.now(),
  after(milliseconds, task) {
    const timer = setTimeout(task, milliseconds);
    return () => clearTimeout(timer);
  },
  jitter: () => Math.random(),
};

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
