import type { Clock } from '../lib/clock.ts';

export interface StandStillOptions {
  readonly clock: Clock;
  /** How long a proof that this process lives keeps others from taking it for dead, in milliseconds. */
  readonly deadAfter: number;
  /** Has the database asked for a proof. */
  readonly ask: () => void;
}

/** A moment by two clocks: the steady one doesn't count while the machine is suspended, the other may be set. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
  /** How often this process had stood still by then. */
  readonly stops: number;
}

/**
 * Notices that this process stood still: it was stopped (SIGSTOP, a frozen container), its machine was suspended, or had
 * no time for it. When it goes on, others may have its work, and it hasn't heard of that yet: until the database has
 * confirmed that it still counts as living, it must say and change nothing.
 *
 * A database that's away while this process runs is no such case: it's away for the others, too, nobody takes over, and
 * people go on reading.
 */
export class StandStill {
  readonly #options: StandStillOptions;
  /** When this process last noted that it runs. */
  #ran: Moment;
  /** When the database was last asked that confirmed that it lives. */
  #proved: Moment;
  #isTakenForDead = false;
  #waiting: PromiseWithResolvers<void> | undefined;
  #cancelBeat = () => {};

  constructor(options: StandStillOptions) {
    const { clock } = options;
    this.#options = options;
    this.#ran = { steady: clock.steady(), wall: clock.now(), stops: 0 };
    this.#proved = this.#ran;
    this.#beat();
  }

  /** Notes that this process runs. */
  now(): Moment {
    const { clock, deadAfter } = this.#options;
    const now = { steady: clock.steady(), wall: clock.now() };
    // A busy event loop is late by less.
    const stoodStill = elapsed(this.#ran, now) >= deadAfter / 4;
    this.#ran = { ...now, stops: this.#ran.stops + (stoodStill ? 1 : 0) };
    return this.#ran;
  }

  /** See {@link UntilAlive}: a comparison of two clocks, unless this process stood still. */
  untilAlive(): Promise<void> | undefined {
    if (this.#isSure()) return undefined;
    if (this.#waiting) return this.#waiting.promise;
    this.#waiting = Promise.withResolvers();
    this.#options.ask();
    return this.#waiting.promise;
  }

  /** The database confirmed that this process counts as living; `asked`: when it was asked. */
  confirmed(asked: Moment): void {
    this.#proved = asked;
    if (!this.#isSure()) return;
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  /** Others have its work, for good. */
  takenForDead(): void {
    this.#isTakenForDead = true;
    this.#cancelBeat();
  }

  close(): void {
    this.#cancelBeat();
    this.#waiting?.resolve();
  }

  #beat(): void {
    const { clock, deadAfter } = this.#options;
    this.now();
    this.#cancelBeat = clock.after(deadAfter / 16, () => this.#beat());
  }

  #isSure(): boolean {
    if (this.#isTakenForDead) return false;
    const now = this.now();
    // What's sent takes time to arrive: an eighth is left for that.
    return now.stops === this.#proved.stops || elapsed(this.#proved, now) < (this.#options.deadAfter * 7) / 8;
  }
}

/** By the clock that went on. */
function elapsed(since: Omit<Moment, 'stops'>, until: Omit<Moment, 'stops'>): number {
  return Math.max(until.steady - since.steady, until.wall - since.wall);
}
