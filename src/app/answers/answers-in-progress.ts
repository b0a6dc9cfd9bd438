/** Answers being written, so that a button can stop them. */
export class AnswersInProgress {
  readonly #controllers = new Map<string, AbortController>();

  /** Runs `work` with a signal that `stop` aborts. */
  async run<T>(jobId: string, work: (stopped: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#controllers.set(jobId, controller);
    try {
      return await work(controller.signal);
    } finally {
      this.#controllers.delete(jobId);
    }
  }

  /** False if no such answer is being written. */
  stop(jobId: string): boolean {
    const controller = this.#controllers.get(jobId);
    controller?.abort();
    return controller !== undefined;
  }
}
