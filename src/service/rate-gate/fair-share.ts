import type { Clock } from '../../lib/clock.ts';

/** A minute, as the rate windows count it. */
const minute = 60_500;
/** What of the allowance busy keys share; the rest is for those who come now and then. */
const sharedOut = 0.9;
/** The most a key may use of it: alone, and where others are expected. */
const most = { alone: 0.75, amongOthers: 0.5 };
/** Calls of nobody in particular share nothing. */
const noKey = '';
/** Whoever else was there within this time, in milliseconds, is expected back. */
const remembered = 10 * 60_000;

interface Use {
  readonly key: string;
  readonly at: number;
}

/**
 * How much of a group's allowance a minute each key may use: never so much that whoever comes next has to wait for
 * the minute a busy key has just used up. What the keys want is filled up evenly, so that those who want little
 * get all of it, and those who want more than that get equal parts of the rest.
 */
export class FairShare {
  readonly #limit: number;
  readonly #clock: Clock;
  /** The last minute's, oldest first; never more than the limit lets through. */
  readonly #uses: Use[] = [];
  readonly #counts = new Map<string, number>();
  /** The two keys that were here last. */
  #latest: Use | undefined;
  #latestOther: Use | undefined;

  /** `limit`: requests a minute of all keys together. */
  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Notes that a key was let through. */
  took(key: string): void {
    const use = { key, at: this.#clock.steady() };
    this.#uses.push(use);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    if (this.#latest && this.#latest.key !== key) this.#latestOther = this.#latest;
    this.#latest = use;
  }

  /**
   * Tells which keys may be let through now.
   * @param waiting how many of each key want through
   */
  judge(waiting: Iterable<readonly [key: string, count: number]>): (key: string) => boolean {
    this.#forget();
    const wanted = new Map(this.#counts);
    for (const [key, count] of waiting) wanted.set(key, (wanted.get(key) ?? 0) + count);
    const inOrder = [...wanted.values()].sort((one, other) => one - other);
    const all = levelOf(inOrder, this.#limit);
    const some = Math.max(this.#limit / wanted.size, levelOf(inOrder, this.#limit * sharedOut));
    return (key) => {
      const own = this.#counts.get(key) ?? 0;
      if (own === 0 || key === noKey) return true;
      const part = this.#limit * (this.#expectsOthers(key) ? most.amongOthers : most.alone);
      const isBusy = (wanted.get(key) ?? 0) > all;
      return own < (isBusy ? Math.min(part, some) : part);
    };
  }

  /** Milliseconds until somebody else may be let through by the passing of time alone. */
  get changesIn(): number {
    const [oldest] = this.#uses;
    return oldest ? Math.max(0, oldest.at + minute - this.#clock.steady()) : 0;
  }

  #expectsOthers(key: string): boolean {
    const other = this.#latest?.key === key ? this.#latestOther : this.#latest;
    return other !== undefined && this.#clock.steady() < other.at + remembered;
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

/** As much as each may get for all together to get no more than `limit`, where those who want less get it all. */
function levelOf(wanted: readonly number[], limit: number): number {
  let left = limit;
  for (const [index, want] of wanted.entries()) {
    const equal = left / (wanted.length - index);
    if (want > equal) return equal;
    left -= want;
  }
  return Number.POSITIVE_INFINITY;
}
