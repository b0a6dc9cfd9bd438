/** Which of a bot's shards this process runs, as the library's client takes it. */
export type Shards = { readonly shards: 'auto' } | { readonly shards: number[]; readonly shardCount: number };

/**
 * Reads `DISCORD_SHARDS`: `auto`, a count, or a slice of the total such as `0-3/16`.
 * @throws {RangeError} where the slice is not part of the total.
 */
export function shardsOf(setting: string): Shards {
  if (setting === 'auto') return { shards: 'auto' };
  const match = /^(?:(\d+)(?:-(\d+))?\/)?(\d+)$/.exec(setting);
  const total = Number(match?.[3] ?? 0);
  const first = Number(match?.[1] ?? 0);
  const last = Number(match?.[2] ?? match?.[1] ?? total - 1);
  if (!match || first > last || last >= total) {
    throw new RangeError(
      `DISCORD_SHARDS: ${setting} is no slice of its total; allowed: auto, a count, or FIRST-LAST/TOTAL such as 0-3/16`,
    );
  }
  return { shards: Array.from({ length: last - first + 1 }, (_, index) => first + index), shardCount: total };
}
