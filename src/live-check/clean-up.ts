interface Task {
  readonly what: string;
  readonly work: () => Promise<unknown>;
}

/** What has to be taken away again, the last first, however the check ends. */
export class CleanUp {
  readonly #tasks: Task[] = [];

  /** `what` is named to the operator where it stays. */
  later(what: string, work: () => Promise<unknown>): void {
    this.#tasks.push({ what, work });
  }

  /** Takes everything away that can be; answers what stays. */
  async run(): Promise<string[]> {
    const left: string[] = [];
    for (let task = this.#tasks.pop(); task; task = this.#tasks.pop()) {
      const { what, work } = task;
      await work().catch(() => left.push(what));
    }
    return left;
  }
}
