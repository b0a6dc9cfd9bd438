import type { TaskStatus } from './task.ts';

/** An unknown state is final after this many identical responses in a row. */
const enough = 4;

/**
 * Determines a task's status from successive responses: an unknown state counts as ready if it lasts and has a
 * result, as failed if it lasts and has an error.
 */
export class LastingState {
  #latest: string | undefined;
  #times = 0;

  /** Goes on with what {@link toJSON} gave. */
  static from({ latest, times }: ReturnType<LastingState['toJSON']>): LastingState {
    const state = new LastingState();
    state.#latest = latest;
    state.#times = times;
    return state;
  }

  toJSON(): { readonly latest?: string; readonly times: number } {
    return { ...(this.#latest !== undefined && { latest: this.#latest }), times: this.#times };
  }

  read(status: TaskStatus): TaskStatus {
    const { unclear, progress } = status;
    const latest = unclear && storable(`${progress} ${unclear.status.state} ${unclear.word}`);
    this.#times = latest !== undefined && latest === this.#latest ? this.#times + 1 : 1;
    this.#latest = latest;
    return unclear && this.#times >= enough ? unclear.status : status;
  }

  /** Whether the latest response's state is an unknown word. */
  get isUnclear(): boolean {
    return this.#latest !== undefined;
  }

  /** What looked like a result wasn't one: the task isn't ready, and its state has to last again. */
  goesOn(): void {
    this.#times = 0;
  }
}

/** Text that every database stores and gives back as it was. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
