/** Which of a bot's shards this process runs, as `DISCORD_SHARDS` says. */
export type Shards = 'auto' | { readonly ids: readonly number[]; readonly count: number };

/**
 * Reads `DISCORD_SHARDS`: `auto`, a count, or a slice of the total such as `0-3/16`.
 * @throws {RangeError} where the slice is not part of the total.
 */
export function parseShards(setting: string): Shards {
  if (setting === 'auto') return 'auto';
  const match = /^(?:(\d+)(?:-(\d+))?\/)?(\d+)$/.exec(setting);
  const count = Number(match?.[3] ?? 0);
  const first = Number(match?.[1] ?? 0);
  const last = Number(match?.[2] ?? match?.[1] ?? count - 1);
  if (!match || first > last || last >= count) {
    throw new RangeError(
      `DISCORD_SHARDS: ${setting} is no slice of its total; allowed: auto, a count, or FIRST-LAST/TOTAL such as 0-3/16`,
    );
  }
  return { ids: Array.from({ length: last - first + 1 }, (_, index) => first + index), count };
}

/** The part of the bot's requests that is this process's: other slices of the total run elsewhere. */
export function requestShare(shards: Shards): number {
  return shards === 'auto' ? 1 : shards.ids.length / shards.count;
}

/** The shards to run where Discord recommends so many in all. */
export function shardsToRun(
  shards: Shards,
  recommended: number,
): { readonly ids: readonly number[]; readonly count: number } {
  return shards === 'auto'
    ? { ids: Array.from({ length: recommended }, (_, id) => id), count: recommended }
    : shards;
}
