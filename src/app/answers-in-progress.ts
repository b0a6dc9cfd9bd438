import type { Turns } from '../conversation/index.ts';

/** The outcome of asking that an answer be stopped. */
type StopOutcome = Awaited<ReturnType<Turns['stop']>>;

/** Answers being written, so that a button can stop them. */
export class AnswersInProgress {
  readonly #turns: Pick<Turns, 'stop'>;
  readonly #controllers = new Map<string, AbortController>();

  constructor(turns: Pick<Turns, 'stop'>) {
    this.#turns = turns;
  }

  /** Runs `work` with a signal that's aborted when the answer is to be stopped, and what aborts it. */
  async run<T>(jobId: string, work: (stopped: AbortSignal, stop: () => void) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#controllers.set(jobId, controller);
    try {
      return await work(controller.signal, () => controller.abort());
    } finally {
      this.#controllers.delete(jobId);
    }
  }

  /** Stops an answer that this process or another is writing. */
  async stop(jobId: string): Promise<StopOutcome> {
    return this.stopHere(jobId) ? 'stops' : this.#turns.stop(jobId);
  }

  /** Stops an answer if this process is writing it, without the database; false if it isn't. */
  stopHere(jobId: string): boolean {
    const controller = this.#controllers.get(jobId);
    controller?.abort();
    return controller !== undefined;
  }
}
