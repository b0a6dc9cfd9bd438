/** So much is done in one turn of the event loop; then others get theirs: input, timers, answers. */
const mostInTurn = 32;
/** Those who have left are cleared away so many at once: taking one from the front would move all the others. */
const forgottenAt = 1_000;

/** One at a time, first come first served; leaving wakes one waiter alone, however many there are. */
export class Fifo {
  readonly #waiting: (() => void)[] = [];
  readonly #ahead: (() => void)[] = [];
  #head = 0;
  #taken = false;
  #inTurn = 0;

  /** `first`: before all others who wait. */
  async enter({ first = false } = {}): Promise<void> {
    const line = first ? this.#ahead : this.#waiting;
    if (this.#taken) await new Promise<void>((resolve) => line.push(resolve));
    this.#taken = true;
    if (!first) await this.breathe();
  }

  /** Counts work that is done while the loop stands still; where that was much in this turn, waits for the next. */
  async breathe(): Promise<void> {
    if (this.#inTurn >= mostInTurn) await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.#inTurn === 0) setImmediate(() => (this.#inTurn = 0));
    this.#inTurn += 1;
  }

  /** Hands over to the next: it stays taken, so that nobody who comes meanwhile slips in. */
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
