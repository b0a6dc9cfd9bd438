/** Makes a value once for a key and remembers it, for so many keys at most: the one made first is forgotten first. */
export function memoize<T>(most: number, make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const [oldest] = made.keys();
    if (made.size >= most && oldest !== undefined) made.delete(oldest);
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
