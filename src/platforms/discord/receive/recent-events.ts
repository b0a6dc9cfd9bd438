/** Ids of events that came lately, so that one the gateway repeats is not taken up again. */
export class RecentEvents {
  readonly #limit: number;
  readonly #ids = new Set<string>();

  constructor(limit = 2000) {
    this.#limit = limit;
  }

  /** True the first time an id is given, while it is among the last ones. */
  isNew(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > this.#limit) for (const oldest of this.#ids) return this.#forget(oldest);
    return true;
  }

  #forget(id: string): true {
    this.#ids.delete(id);
    return true;
  }
}
