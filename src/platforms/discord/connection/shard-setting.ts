/** The shards that this process runs, from `DISCORD_SHARDS`. */
export type Shards = 'auto' | { readonly ids: readonly number[]; readonly count: number };

/**
 * Reads `DISCORD_SHARDS`: `auto`, a count, or a slice of the total such as `0-3/16`.
 * @throws {RangeError} if the setting isn't one of these, or the slice isn't part of the total.
 */
export function parseShards(setting: string): Shards {
  if (setting === 'auto') return 'auto';
  const match = /^(?:(\d+)(?:-(\d+))?\/)?(\d+)$/.exec(setting);
  const count = Number(match?.[3] ?? 0);
  const first = Number(match?.[1] ?? 0);
  const last = Number(match?.[2] ?? match?.[1] ?? count - 1);
  if (!match || first > last || last >= count) {
    throw new RangeError(
      `DISCORD_SHARDS: ${setting} isn't valid; allowed: auto, a count, or FIRST-LAST/TOTAL such as 0-3/16`,
    );
  }
  return { ids: Array.from({ length: last - first + 1 }, (_, index) => first + index), count };
}

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
