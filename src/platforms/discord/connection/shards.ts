/** The shards that this process may run: as many as Discord recommends, or some of a fixed total; none of none. */
export type Shards = 'auto' | { readonly ids: readonly number[]; readonly count: number };

/** Shards in all where processes may share them. More would log in one after the other, five seconds apart. */
const leastShared = 2;

/** This process's part of the bot's requests: other processes run the other slices. */
export function requestShare(shards: Shards): number {
  return shards === 'auto' || shards.count === 0 ? 1 : shards.ids.length / shards.count;
}

/** Whether this process connects to the gateway. */
export function usesGateway(shards: Shards): boolean {
  return shards === 'auto' || shards.count > 0;
}

/** Whether this process is certain to get a shard, which tells it who the bot is; `isShared`: with others. */
export function hasShard(shards: Shards, isShared: boolean): boolean {
  return !isShared && (shards === 'auto' || (shards.count > 0 && shards.ids.length === shards.count));
}

/** The shards to run, if Discord recommends this total; `isShared`: with the other processes of the bot. */
export function shardsToRun(
  shards: Shards,
  recommended: number,
  isShared: boolean,
): { readonly ids: readonly number[]; readonly count: number } {
  if (shards !== 'auto') return shards;
  const count = isShared ? Math.max(leastShared, recommended) : recommended;
  return { ids: Array.from({ length: count }, (_, id) => id), count };
}
