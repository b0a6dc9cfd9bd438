/**
 * A fair queue: keys take turns (round robin), first come, first served within a key. A key with no waiting entries
 * takes no memory.
 */
export class FairQueue<Entry extends { readonly key: string }> {
  // Both keep insertion order: the map the order of turns, each set the order of arrival.
  readonly #lines = new Map<string, Set<Entry>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an entry behind the others of its key, or ahead of them if it had its turn already. */
  add(entry: Entry, ahead = false): void {
    const line = this.#lines.get(entry.key);
    if (line && !ahead) line.add(entry);
    else this.#lines.set(entry.key, new Set([entry, ...(line ?? [])]));
    this.#size++;
  }

  /** Removes an entry that no longer waits; false if it wasn't in the queue. */
  remove(entry: Entry): boolean {
    const line = this.#lines.get(entry.key);
    if (!line?.delete(entry)) return false;
    if (line.size === 0) this.#lines.delete(entry.key);
    this.#size--;
    return true;
  }

  /** Whether an allowed key has waiting entries. */
  hasNext(mayGo: (key: string) => boolean): boolean {
    for (const key of this.#lines.keys()) if (mayGo(key)) return true;
    return false;
  }

  /** Takes the next entry among the allowed keys; its key then goes to the end of the round. */
  next(mayGo: (key: string) => boolean = () => true): Entry | undefined {
    for (const [key, line] of this.#lines) {
      if (!mayGo(key)) continue;
      for (const entry of line) {
        this.remove(entry);
        this.#lines.delete(key);
        if (line.size > 0) this.#lines.set(key, line);
        return entry;
      }
    }
    return undefined;
  }

  /** Number of waiting entries by key. */
  *counts(): Generator<readonly [key: string, count: number]> {
    for (const [key, line] of this.#lines) yield [key, line.size];
  }

  /** Number of waiting entries of a key. */
  count(key: string): number {
    return this.#lines.get(key)?.size ?? 0;
  }

  /** The newest entry of the key with the most waiting entries. */
  newestOfLongest(): Entry | undefined {
    let longest: Set<Entry> | undefined;
    for (const line of this.#lines.values()) if (line.size > (longest?.size ?? 0)) longest = line;
    return [...(longest ?? [])].at(-1);
  }

  /** All entries in the order in which they will be served if no others arrive. */
  *inOrder(): Generator<Entry> {
    let lines = [...this.#lines.values()].map((line) => line.values());
    while (lines.length > 0) {
      const left: typeof lines = [];
      for (const line of lines) {
        const step = line.next();
        if (step.done) continue;
        yield step.value;
        left.push(line);
      }
      lines = left;
    }
  }
}
