import { KeyedQueue } from './keyed-queue.ts';

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
