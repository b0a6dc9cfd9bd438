interface Task {
  readonly name: string;
  readonly work: () => Promise<unknown>;
}

/** Deletes what the check has created, in reverse order, however the check ends. */
export class CleanUp {
  readonly #tasks: Task[] = [];

  /** Adds a task for the end; `name` says in the report what is left if it fails. */
  add(name: string, work: () => Promise<unknown>): void {
    this.#tasks.push({ name, work });
  }

  /** Runs all tasks; returns the names of those that failed. */
  async run(): Promise<string[]> {
    const left: string[] = [];
    for (let task = this.#tasks.pop(); task; task = this.#tasks.pop()) {
      const { name, work } = task;
      await work().catch(() => left.push(name));
    }
    return left;
  }
}
