/** Work of so much weight is done in one turn of the event loop; then others get theirs: input, timers, answers. */
const mostInTurn = 32;
/** Those who have left are cleared away so many at once: taking one from the front would move all the others. */
const forgottenAt = 1_000;

/** One at a time, first come first served; leaving wakes one waiter alone, however many there are. */
export class Fifo {
  readonly #waiting: (() => void)[] = [];
  #head = 0;
  #taken = false;
  #inTurn = 0;

  async enter(): Promise<void> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
    if (this.#inTurn >= mostInTurn) await new Promise<void>((resolve) => setImmediate(resolve));
    this.weigh(1);
  }

  /** Counts work that was done while the loop stood still. */
  weigh(weight: number): void {
    if (this.#inTurn === 0) setImmediate(() => (this.#inTurn = 0));
    this.#inTurn += weight;
  }

  /** Hands over to the next: it stays taken, so that nobody who comes meanwhile slips in. */
  leave(): void {
    const next = this.#waiting[this.#head];
    this.#head += 1;
    if (!next || this.#head > forgottenAt) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
    if (next) next();
    else this.#taken = false;
  }
}
