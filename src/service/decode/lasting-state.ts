import type { TaskStatus } from './task.ts';

/** So many answers in a row, with nothing about them changing, make a state nobody knows the last one. */
const enough = 4;

/**
 * Tells how a task stands from its answers one after the other: a state whose word nobody knows counts as ready once
 * it stays and has a result, as failed once it stays and has an error.
 */
export class LastingState {
  #latest: string | undefined;
  #times = 0;

  read(status: TaskStatus): TaskStatus {
    const { unclear, progress } = status;
    const latest = unclear && `${progress} ${unclear.status.state} ${unclear.word}`;
    this.#times = latest !== undefined && latest === this.#latest ? this.#times + 1 : 1;
    this.#latest = latest;
    return unclear && this.#times >= enough ? unclear.status : status;
  }

  /** Whether the latest answer's state is a word nobody knows. */
  get isUnclear(): boolean {
    return this.#latest !== undefined;
  }

  /** What it had was no result: it isn't ready, and its state has to stay anew. */
  goesOn(): void {
    this.#times = 0;
  }
}
