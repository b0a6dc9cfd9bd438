/** The shards that this process runs: as many as Discord recommends, or some of a fixed total. */
export type Shards = 'auto' | { readonly ids: readonly number[]; readonly count: number };

/** This process's part of the bot's requests: other processes run the other slices. */
export function requestShare(shards: Shards): number {
  return shards === 'auto' ? 1 : shards.ids.length / shards.count;
}

/** The shards to run, if Discord recommends this total. */
export function shardsToRun(
  shards: Shards,
  recommended: number,
): { readonly ids: readonly number[]; readonly count: number } {
  return shards === 'auto'
    ? { ids: Array.from({ length: recommended }, (_, id) => id), count: recommended }
    : shards;
}
