/** How much runs in one turn of the event loop, before input, timers and answers get theirs. */
const mostInTurn = 32;
/** Departed entries are removed in batches of this size: removing one from the front would move all the others. */
const forgottenAt = 1_000;

/** A mutex with a first-come, first-served queue; releasing it wakes only one waiter, however many there are. */
export class Fifo {
  readonly #waiting: (() => void)[] = [];
  readonly #ahead: (() => void)[] = [];
  #head = 0;
  #taken = false;
  #inTurn = 0;

  /** `first`: ahead of all waiting entries. */
  async enter({ first = false } = {}): Promise<void> {
    const line = first ? this.#ahead : this.#waiting;
    if (this.#taken) await new Promise<void>((resolve) => line.push(resolve));
    this.#taken = true;
    if (!first) await this.breathe();
  }

  /** Counts work that blocks the loop; after too much in one turn, waits for the next. */
  async breathe(): Promise<void> {
    if (this.#inTurn >= mostInTurn) await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.#inTurn === 0) setImmediate(() => (this.#inTurn = 0));
    this.#inTurn += 1;
  }

  /** Passes the lock to the next waiter: it stays locked, so that no newcomer slips in. */
  leave(): void {
    const next = this.#ahead.shift() ?? this.#next();
    if (next) next();
    else this.#taken = false;
  }

  #next(): (() => void) | undefined {
    const next = this.#waiting[this.#head];
    this.#head += 1;
    if (!next || this.#head > forgottenAt) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
    return next;
  }
}
