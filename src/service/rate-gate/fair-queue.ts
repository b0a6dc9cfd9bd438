/**
 * Those who wait, served in turns: one of each key after the other (round robin), first come first served within
 * a key. A key without anyone waiting takes no memory.
 */
export class FairQueue<Entry extends { readonly key: string }> {
  // Both keep the order of insertion: the map that of the turns, each set that of arrival.
  readonly #lines = new Map<string, Set<Entry>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Lets an entry wait behind the others of its key, or ahead of them where it had its turn already. */
  add(entry: Entry, ahead = false): void {
    const line = this.#lines.get(entry.key);
    if (line && !ahead) line.add(entry);
    else this.#lines.set(entry.key, new Set([entry, ...(line ?? [])]));
    this.#size++;
  }

  /** Takes out an entry that waits no longer; false where it did not wait here. */
  remove(entry: Entry): boolean {
    const line = this.#lines.get(entry.key);
    if (!line?.delete(entry)) return false;
    if (line.size === 0) this.#lines.delete(entry.key);
    this.#size--;
    return true;
  }

  /** Whether anyone waits whose key may go. */
  hasNext(mayGo: (key: string) => boolean): boolean {
    for (const key of this.#lines.keys()) if (mayGo(key)) return true;
    return false;
  }

  /** Whose turn it is among the keys that may go; that key's next turn comes after everyone else's. */
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

  /** How many wait with each key. */
  *counts(): Generator<readonly [key: string, count: number]> {
    for (const [key, line] of this.#lines) yield [key, line.size];
  }

  /** How many wait with a key. */
  count(key: string): number {
    return this.#lines.get(key)?.size ?? 0;
  }

  /** The last to come of the key that has most waiting. */
  newestOfLongest(): Entry | undefined {
    let longest: Set<Entry> | undefined;
    for (const line of this.#lines.values()) if (line.size > (longest?.size ?? 0)) longest = line;
    return [...(longest ?? [])].at(-1);
  }

  /** Everyone in the order in which they will be served if nobody else comes. */
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
