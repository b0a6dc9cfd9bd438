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
