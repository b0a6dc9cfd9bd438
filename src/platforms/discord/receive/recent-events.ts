import { BoundedMap } from '../../../lib/bounded-map.ts';

/** Ids of the last 2,000 events, so that one the gateway repeats is handled once. */
export class RecentEvents {
  readonly #ids = new BoundedMap<string, true>({ most: 2000 });

  /** True for the first time an id is seen. */
  isNew(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.set(id, true);
    return true;
  }
}
