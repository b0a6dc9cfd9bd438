import type { Clock } from '../../../src/lib/clock.ts';

const discordEpoch = 1_420_070_400_000;

/** Makes Discord's ids: milliseconds since 2015 in the upper bits, a running number in the lower 22. */
export class Snowflakes {
  readonly #clock: Clock;
  #running = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A new id, larger than every one before it; `ageMilliseconds` makes it look older. */
  next(ageMilliseconds = 0): string {
    this.#running = (this.#running + 1n) & 0x3f_ffffn;
    const milliseconds = BigInt(Math.floor(this.#clock.now() - ageMilliseconds - discordEpoch));
    return ((milliseconds << 22n) | this.#running).toString();
  }
}

/** The shard that a server's events arrive on (events/gateway, sharding). */
export function shardOf(guildId: string, shards: number): number {
  return Number((BigInt(guildId) >> 22n) % BigInt(shards));
}
