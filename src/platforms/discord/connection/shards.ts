/** The shards that this process runs: as many as Discord recommends, or some of a fixed total; none of none. */
export type Shards = 'auto' | { readonly ids: readonly number[]; readonly count: number };

/** This process's part of the bot's requests: other processes run the other slices. */
export function requestShare(shards: Shards): number {
  return shards === 'auto' || shards.count === 0 ? 1 : shards.ids.length / shards.count;
}

/** Whether this process connects to the gateway. */
export function usesGateway(shards: Shards): boolean {
  return shards === 'auto' || shards.count > 0;
}

/** Whether the bot's servers are all on this process's shards. */
export function hasAllServers(shards: Shards): boolean {
  return shards === 'auto' || (shards.count > 0 && shards.ids.length === shards.count);
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
