import type { Clock } from '../../lib/clock.ts';

/** Longest time without a look at the clock, in milliseconds: one that was set moves nothing by more. */
const longestSleep = 15_000;

interface Entry<Item> {
  readonly item: Item;
  /** In the agenda's own time. */
  readonly at: number;
  /** What was put first comes first among those due at the same time. */
  readonly order: number;
}

/**
 * A schedule with a single timer, so a waiting entry costs only a few bytes. It counts the time its timers have waited,
 * so changing the machine's clock doesn't speed up or delay anything.
 */
export class Agenda<Item> {
  readonly #clock: Clock;
  readonly #onDue: () => void;
  /** A binary heap, the earliest first. */
  readonly #heap: Entry<Item>[] = [];
  #elapsed = 0;
  #puts = 0;
  #timer: { readonly began: number; readonly length: number; readonly cancel: () => void } | undefined;

  /** `onDue` is called when something may have become due. */
  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** What is put with 0 is due at once: nobody is told, {@link take} it. */
  put(item: Item, milliseconds: number): void {
    this.#rise({ item, at: this.#now() + Math.max(0, Math.ceil(milliseconds)), order: this.#puts++ });
    this.#arm();
  }

  /** Takes out the first of what is due; undefined where nothing is. */
  take(): Item | undefined {
    const [first] = this.#heap;
    if (!first || first.at > this.#now()) return undefined;
    const last = this.#heap.pop();
    if (last && last !== first) this.#sink(last);
    this.#arm();
    return first.item;
  }

  clear(): void {
    this.#heap.length = 0;
    this.#arm();
  }

  #now(): number {
    if (!this.#timer) return this.#elapsed;
    const { began, length } = this.#timer;
    return this.#elapsed + Math.min(length, Math.max(0, this.#clock.steady() - began));
  }

  /** Sees to it that a timer ends in time for the first entry. What is due and not taken yet needs none. */
  #arm(): void {
    const [first] = this.#heap;
    const now = this.#now();
    const wait = first && first.at > now ? Math.min(longestSleep, first.at - now) : longestSleep;
    if (first && this.#timer && this.#elapsed + this.#timer.length <= now + wait) return;
    this.#timer?.cancel();
    this.#elapsed = now;
    this.#timer = undefined;
    if (!first) return;
    const cancel = this.#clock.after(wait, () => {
      this.#elapsed += wait;
      this.#timer = undefined;
      this.#arm();
      this.#onDue();
    });
    this.#timer = { began: this.#clock.steady(), length: wait, cancel };
  }

  #rise(entry: Entry<Item>): void {
    let place = this.#heap.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = this.#heap[parent];
      if (!above || !isBefore(entry, above)) break;
      this.#heap[place] = above;
      place = parent;
    }
    this.#heap[place] = entry;
  }

  /** Puts an entry in the place of the first. */
  #sink(entry: Entry<Item>): void {
    let place = 0;
    for (;;) {
      const child = this.#earlierChild(place);
      const below = this.#heap[child];
      if (!below || !isBefore(below, entry)) break;
      this.#heap[place] = below;
      place = child;
    }
    this.#heap[place] = entry;
  }

  #earlierChild(place: number): number {
    const left = 2 * place + 1;
    const [one, other] = [this.#heap[left], this.#heap[left + 1]];
    return one && other && isBefore(other, one) ? left + 1 : left;
  }
}

function isBefore(one: Entry<unknown>, other: Entry<unknown>): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
