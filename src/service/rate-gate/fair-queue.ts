/** What waits in a {@link FairQueue}. */
export interface QueueKeys {
  readonly key: string;
  /** Entries of one key take turns by this. */
  readonly within?: string | undefined;
}

/**
 * A fair queue: keys take turns (round robin), within a key those that share it take turns, and what both are the same of is
 * served first come, first served. A key with no waiting entries takes no memory.
 */
export class FairQueue<Entry extends QueueKeys> {
  // Insertion order is the order of turns.
  readonly #lines = new Map<string, Line<Entry>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an entry behind the others of its key, or ahead of them if it had its turn already. */
  add(entry: Entry, ahead = false): void {
    const line = this.#lines.get(entry.key) ?? new Line();
    this.#lines.set(entry.key, line);
    line.add(entry, ahead);
    this.#size++;
  }

  /** Removes an entry that no longer waits; false if it wasn't in the queue. */
  remove(entry: Entry): boolean {
    const line = this.#lines.get(entry.key);
    if (!line?.remove(entry)) return false;
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
      const entry = line.next();
      this.#lines.delete(key);
      if (line.size > 0) this.#lines.set(key, line);
      if (entry) this.#size--;
      return entry;
    }
    return undefined;
  }

  /** Number of waiting entries by key. */
  *counts(): Generator<readonly [key: string, count: number]> {
    for (const [key, { size }] of this.#lines) yield [key, size];
  }

  /** Number of waiting entries of a key. */
  count(key: string): number {
    return this.#lines.get(key)?.size ?? 0;
  }

  /** The newest entry of whoever has most of them waiting in the key with the most. */
  newestOfLongest(): Entry | undefined {
    return largest(this.#lines.values())?.newestOfLongest();
  }

  /** All entries in the order in which they will be served if no others arrive. */
  inOrder(): Iterable<Entry> {
    return inTurns([...this.#lines.values()].map((line) => line.inOrder()));
  }
}

/** The entries of one key. */
class Line<Entry extends QueueKeys> {
  // Both keep insertion order: the map the order of turns, each set the order of arrival.
  readonly #parts = new Map<string, Set<Entry>>();
  size = 0;

  add(entry: Entry, ahead: boolean): void {
    const name = entry.within ?? '';
    const part = this.#parts.get(name);
    if (ahead) {
      const others = [...this.#parts].filter(([other]) => other !== name);
      this.#parts.clear();
      this.#parts.set(name, new Set([entry, ...(part ?? [])]));
      for (const [other, entries] of others) this.#parts.set(other, entries);
    } else if (part) part.add(entry);
    else this.#parts.set(name, new Set([entry]));
    this.size++;
  }

  remove(entry: Entry): boolean {
    const name = entry.within ?? '';
    const part = this.#parts.get(name);
    if (!part?.delete(entry)) return false;
    if (part.size === 0) this.#parts.delete(name);
    this.size--;
    return true;
  }

  next(): Entry | undefined {
    for (const [name, part] of this.#parts) {
      for (const entry of part) {
        this.remove(entry);
        this.#parts.delete(name);
        if (part.size > 0) this.#parts.set(name, part);
        return entry;
      }
    }
    return undefined;
  }

  newestOfLongest(): Entry | undefined {
    return [...(largest(this.#parts.values()) ?? [])].at(-1);
  }

  inOrder(): Iterable<Entry> {
    return inTurns([...this.#parts.values()]);
  }
}

/** The first of the largest. */
function largest<T extends { readonly size: number }>(all: Iterable<T>): T | undefined {
  let found: T | undefined;
  for (const one of all) if (one.size > (found?.size ?? 0)) found = one;
  return found;
}

/** One of each in turn, until all are through. */
function* inTurns<T>(all: readonly Iterable<T>[]): Generator<T> {
  let lines = all.map((one) => one[Symbol.iterator]());
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
