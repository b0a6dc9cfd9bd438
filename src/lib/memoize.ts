import { BoundedMap } from './bounded-map.ts';

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
