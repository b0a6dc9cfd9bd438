import type { Clock } from '../../lib/clock.ts';
import { windowMs as minute } from './rate-windows.ts';

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
