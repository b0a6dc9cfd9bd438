/** Turns of one place, one at a time, in order of arrival. A place without a turn takes no memory. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Runs `work` when every earlier turn of `place` has ended. `onWait` is called where it has to wait. A wait
   * that is aborted gives its place up.
   */
  async take<T>(
    place: string,
    work: () => Promise<T>,
    options: { readonly signal?: AbortSignal; readonly onWait?: () => void } = {},
  ): Promise<T> {
    const before = this.#last.get(place);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const mine = before ? before.then(() => ended) : ended;
    this.#last.set(place, mine);
    try {
      if (before) {
        options.onWait?.();
        await unlessAborted(before, options.signal);
      }
      return await work();
    } finally {
      end();
      // Only the last in line may clear the line: a later turn waits on its own promise, never on this entry.
      void mine.then(() => {
        if (this.#last.get(place) === mine) this.#last.delete(place);
      });
    }
  }

  /** Places with a turn under way or waiting. */
  get size(): number {
    return this.#last.size;
  }
}

async function unlessAborted(wait: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return wait;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([wait, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
