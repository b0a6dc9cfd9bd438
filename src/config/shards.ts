/** The shards that this process runs: as many as Discord recommends, some of a fixed total, or none. */
export type Shards = 'auto' | { readonly ids: readonly number[]; readonly count: number };

/**
 * Reads `auto`, a count (0 for none), or a slice of the total such as `0-3/16`. Undefined if it's none of these, or if the slice
 * isn't part of the total.
 */
export function parseShards(text: string): Shards | undefined {
  if (text === 'auto') return 'auto';
  if (text === '0') return { ids: [], count: 0 };
  const match = /^(?:(\d{1,4})(?:-(\d{1,4}))?\/)?([1-9]\d{0,3})$/.exec(text);
  if (!match) return undefined;
  const count = Number(match[3]);
  const first = Number(match[1] ?? 0);
  const last = Number(match[2] ?? match[1] ?? count - 1);
  if (first > last || last >= count) return undefined;
  return { ids: Array.from({ length: last - first + 1 }, (_, index) => first + index), count };
}
