import type { Clock } from '../../lib/clock.ts';

/** A minute, in milliseconds: the service counts arrivals, not departures, and half a second covers the difference. */
export const minute = 60_500;

/** What waits in a {@link FairQueue}. */
interface QueueKeys {
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

/**
 * The part of the limit that busy keys share. The other tenth stays free for keys that call occasionally: with a
 * limit of 120 that is 12 calls a minute that never wait, with 10 it is one.
 */
const sharedByBusyKeys = 0.9;
/**
 * The part of the limit that one key may use. If no other key was seen recently it's three quarters: a single
 * conversation is hardly slowed down, and another one's first call still passes immediately. If others are expected
 * it's half, so that a second busy key gets as much as the first without waiting for its minute to pass.
 */
const mostOfOneKey = { alone: 0.75, amongOthers: 0.5 };
/** Calls without a key, such as the voice list, have no share to keep to. */
const noKey = '';
/** How long another key is expected back, in milliseconds: people often pause for minutes in a conversation. */
const expectedFor = 10 * 60_000;

interface Use {
  readonly key: string;
  readonly at: number;
}

/**
 * How much of a group's limit each key (a conversation) may use in a minute, so that the next key never has to wait
 * because a busy one has just used it up. The limit is split evenly: keys that want little get all of it, and the
 * others get equal parts of the rest.
 */
export class FairShare {
  readonly #limit: number;
  readonly #clock: Clock;
  /** The calls of the last minute, oldest first; never more than the limit. */
  readonly #uses: Use[] = [];
  readonly #counts = new Map<string, number>();
  /** The last two keys. */
  #latest: Use | undefined;
  #latestOther: Use | undefined;

  /** `limit`: requests per minute of all keys together. */
  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Records a call that passed. */
  noteUse(key: string): void {
    const use = { key, at: this.#clock.steady() };
    this.#uses.push(use);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    if (this.#latest && this.#latest.key !== key) this.#latestOther = this.#latest;
    this.#latest = use;
  }

  /**
   * Returns which keys may pass now.
   * @param waiting number of waiting calls by key
   */
  whoMayPass(waiting: Iterable<readonly [key: string, count: number]>): (key: string) => boolean {
    this.#forget();
    const wanted = new Map(this.#counts);
    for (const [key, count] of waiting) wanted.set(key, (wanted.get(key) ?? 0) + count);
    const inOrder = [...wanted.values()].sort((one, other) => one - other);
    const all = levelOf(inOrder, this.#limit);
    const some = Math.max(this.#limit / wanted.size, levelOf(inOrder, this.#limit * sharedByBusyKeys));
    return (key) => {
      const own = this.#counts.get(key) ?? 0;
      if (own === 0 || key === noKey) return true;
      const part = this.#limit * (this.#expectsOthers(key) ? mostOfOneKey.amongOthers : mostOfOneKey.alone);
      const isBusy = (wanted.get(key) ?? 0) > all;
      return own < (isBusy ? Math.min(part, some) : part);
    };
  }

  /** Milliseconds until another call may pass if nothing else happens. */
  get changesIn(): number {
    const [oldest] = this.#uses;
    return oldest ? Math.max(0, oldest.at + minute - this.#clock.steady()) : 0;
  }

  #expectsOthers(key: string): boolean {
    const other = this.#latest?.key === key ? this.#latestOther : this.#latest;
    return other !== undefined && this.#clock.steady() < other.at + expectedFor;
  }

  #forget(): void {
    const now = this.#clock.steady();
    const past = this.#uses.findIndex(({ at }) => at > now - minute);
    for (const { key } of this.#uses.splice(0, past === -1 ? this.#uses.length : past)) {
      const left = (this.#counts.get(key) ?? 0) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    }
  }
}

/** The highest cap at which all together get at most `limit`; those who want less get all they want. */
function levelOf(wanted: readonly number[], limit: number): number {
  let left = limit;
  for (const [index, want] of wanted.entries()) {
    const equal = left / (wanted.length - index);
    if (want > equal) return equal;
    left -= want;
  }
  return Number.POSITIVE_INFINITY;
}
