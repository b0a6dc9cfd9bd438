import type { ResponseLike } from 'discord.js';
import type { Clock } from '../../../lib/clock.ts';
import { type Meter, noMeter, secondsBetween } from '../../../lib/telemetry/index.ts';
import { Pacers, type Pacing } from '../../../reply/index.ts';
import type { DiscordApi } from './api.ts';

/** Assumed of a bucket before its first response. */
const assumed = { limit: 5, window: 5000 };

/** The key of a bucket: edits and posts count apart, for each channel and each interaction's token. */
export function bucketKey(kind: 'edit' | 'post', major: string): string {
  return `${kind} ${major}`;
}

/** The rate limits of the buckets that answers are written in, learnt from the headers of every response. */
export class RateLimits {
  readonly #clock: Clock;
  readonly #meter: Meter;
  readonly #pacers: Pacers;

  constructor(clock: Clock, api: DiscordApi, meter: Meter = noMeter) {
    this.#clock = clock;
    this.#meter = meter;
    this.#pacers = new Pacers(clock, assumed);
    api.onResponse((method, path, response) => this.#learn(method, path, response));
  }

  /** The pacing of writes to a reply target, in the bucket that the next write counts in. */
  of(target: { bucket(kind: 'edit' | 'post'): string }, kind: 'edit' | 'post'): Pacing {
    const current = () => this.#pacers.for(target.bucket(kind));
    return {
      slot: async (options) => {
        const since = this.#clock.steady();
        await current().slot(options);
        const seconds = secondsBetween(since, this.#clock.steady());
        this.#meter.observe('troupe_pacer_wait_seconds', { platform: 'discord' }, seconds);
      },
      learn: (allowance) => current().learn(allowance),
      pause: (milliseconds) => current().pause(milliseconds),
    };
  }

  #learn(method: string, path: string, { status, headers }: ResponseLike): void {
    const key = bucketOf(method, path);
    if (key === undefined) return;
    const pacer = this.#pacers.for(key);
    if (status === 429) {
      const wait = Number(headers.get('retry-after'));
      if (wait > 0) pacer.pause(wait * 1000);
      return;
    }
    const remaining = headers.get('x-ratelimit-remaining');
    const resetAfter = headers.get('x-ratelimit-reset-after');
    const limit = headers.get('x-ratelimit-limit');
    if (remaining === null || resetAfter === null) return;
    pacer.learn({
      remaining: Number(remaining),
      resetAfter: Number(resetAfter) * 1000,
      ...(limit !== null && { limit: Number(limit) }),
    });
  }
}

const paths = /^\/(?:channels\/(\d+)|webhooks\/\d+\/([^/?]+))(?:\/messages)?/;

function bucketOf(method: string, path: string): string | undefined {
  const match = paths.exec(path);
  const major = match?.[1] ?? match?.[2];
  if (major === undefined || (method !== 'PATCH' && method !== 'POST')) return undefined;
  if (match?.[1] !== undefined && !/\/messages(?:\/[^/?]+)?(?:\?|$)/.test(path)) return undefined;
  return bucketKey(method === 'PATCH' ? 'edit' : 'post', major);
}
