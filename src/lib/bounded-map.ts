import type { Clock } from './clock.ts';

/** How much a {@link BoundedMap} remembers. */
interface Bounds {
  /** Entries at most. */
  readonly most: number;
  /** Milliseconds after which an entry is forgotten, by the clock's `steady`; for ever where left out. */
  readonly lifetime?: { readonly milliseconds: number; readonly clock: Pick<Clock, 'steady'> };
}

interface Entry<V> {
  readonly value: V;
  /** By `steady`; 0 without a lifetime. */
  readonly setAt: number;
}

/**
 * A map that cannot grow for ever: beyond `most` entries the one set longest ago is forgotten. Setting a key again
 * makes it the newest; reading it does not.
 */
export class BoundedMap<K, V> {
  readonly #bounds: Bounds;
  readonly #entries = new Map<K, Entry<V>>();

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get(key: K): V | undefined {
    this.#forgetOld();
    return this.#entries.get(key)?.value;
  }

  has(key: K): boolean {
    this.#forgetOld();
    return this.#entries.has(key);
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, setAt: this.#now() });
    this.#forgetOld();
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  /** The keys as they are now, oldest first; the map may be changed while they are gone through. */
  keys(): readonly K[] {
    this.#forgetOld();
    return [...this.#entries.keys()];
  }

  get size(): number {
    this.#forgetOld();
    return this.#entries.size;
  }

  /** Entries are in the order they were set in, so the first that may stay ends the search. */
  #forgetOld(): void {
    const { most, lifetime } = this.#bounds;
    const expired = lifetime ? this.#now() - lifetime.milliseconds : Number.NEGATIVE_INFINITY;
    for (const [key, { setAt }] of this.#entries) {
      if (this.#entries.size <= most && setAt > expired) return;
      this.#entries.delete(key);
    }
  }

  #now(): number {
    return this.#bounds.lifetime?.clock.steady() ?? 0;
  }
}

/** Makes a value once per key and remembers it, for at most `most` keys: the one made first is forgotten first. */
export function memoize<T>(most: number, make: (key: string) => T): (key: string) => T {
  const made = new BoundedMap<string, { readonly value: T }>({ most });
  return (key) => {
    const known = made.get(key);
    if (known) return known.value;
    const value = make(key);
    made.set(key, { value });
    return value;
  };
}
