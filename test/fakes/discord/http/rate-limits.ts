import { createHash } from 'node:crypto';
import type { Clock } from '../../../../src/lib/clock.ts';
import { Refusal } from './refusal.ts';

/** Requests that a bucket allows in one window. */
export interface BucketRule {
  readonly limit: number;
  readonly windowMilliseconds: number;
}

/** Numbers like those in Discord's headers, from which a bot must read them. */
export const usualBuckets = {
  'message-create': { limit: 5, windowMilliseconds: 5000 },
  'message-edit': { limit: 5, windowMilliseconds: 5000 },
  'message-delete': { limit: 5, windowMilliseconds: 1000 },
  typing: { limit: 5, windowMilliseconds: 5000 },
  // Of one interaction's token (discord-api-docs#2701); every token has its own.
  webhook: { limit: 5, windowMilliseconds: 2000 },
  // Not documented; those of one token don't hold up others (the library counts none of them).
  callback: { limit: 5, windowMilliseconds: 2000 },
  // Of all follow-ups in a channel, whatever their tokens: no header tells it (discord-api-docs#2701, #3763, #7243).
  'follow-up': { limit: 30, windowMilliseconds: 60_000 },
  thread: { limit: 50, windowMilliseconds: 300_000 },
  commands: { limit: 5, windowMilliseconds: 20_000 },
  // Not documented; as reported of its headers.
  gateway: { limit: 2, windowMilliseconds: 5000 },
  other: { limit: 50, windowMilliseconds: 1000 },
} satisfies Record<string, BucketRule>;

export type BucketName = keyof typeof usualBuckets;

/** Edits have the same header as posts, and are counted apart (discord-api-docs#1442, #8073). */
const toldAs: Partial<Record<BucketName, BucketName>> = { 'message-edit': 'message-create' };

interface Window {
  used: number;
  endsAt: number;
}

const globalRule: BucketRule = { limit: 50, windowMilliseconds: 1000 };
const invalidRequestLimit = 10_000;
const invalidRequestWindow = 10 * 60_000;

/** Counts requests by bucket and in all (topics/rate-limits). */
export class RateLimits {
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();
  readonly rules: Record<BucketName, BucketRule>;
  /** How many responses were 429. */
  limited = 0;
  #invalid: number[] = [];

  constructor(clock: Clock, rules: Partial<Record<BucketName, BucketRule>> = {}) {
    this.#clock = clock;
    this.rules = { ...usualBuckets, ...rules };
  }

  /** Takes one request; returns its headers or refuses with 429. `major` is the top-level resource. */
  take(bucket: BucketName, major: string, countsGlobally: boolean): Record<string, string> {
    if (countsGlobally) this.#takeGlobal();
    const rule = this.rules[bucket];
    const window = this.#window(`${bucket}:${major}`, rule);
    const headers = this.#headers(bucket, rule, window);
    if (window.used >= rule.limit) throw this.#limitedBy(window, headers, 'user');
    window.used += 1;
    return { ...headers, 'x-ratelimit-remaining': String(rule.limit - window.used) };
  }

  /** Takes one request of a resource that others use too; refuses with a 429 of scope `shared`. */
  takeShared(bucket: BucketName, resource: string, headers: Record<string, string>): void {
    const rule = this.rules[bucket];
    const window = this.#window(`${bucket}:${resource}`, rule);
    if (window.used >= rule.limit) throw this.#limitedBy(window, headers, 'shared');
    window.used += 1;
  }

  /** Counts a response that Discord counts as invalid: 401, 403, and 429 except of scope `shared`. */
  countInvalid(status: number, scope: string | undefined): void {
    if (status === 429) this.limited += 1;
    if ((status === 401 || status === 403 || status === 429) && scope !== 'shared')
      this.#invalid.push(this.#clock.now());
  }

  /** Invalid requests of the last ten minutes. */
  get invalidRequests(): number {
    const since = this.#clock.now() - invalidRequestWindow;
    this.#invalid = this.#invalid.filter((time) => time > since);
    return this.#invalid.length;
  }

  /** Whether so many requests were invalid that all are refused for a while (topics/rate-limits). */
  get isBanned(): boolean {
    return this.#invalid.length >= invalidRequestLimit && this.invalidRequests >= invalidRequestLimit;
  }

  #takeGlobal(): void {
    const window = this.#window('global', globalRule);
    if (window.used >= globalRule.limit)
      throw this.#limitedBy(window, { 'x-ratelimit-global': 'true' }, 'global');
    window.used += 1;
  }

  #window(key: string, rule: BucketRule): Window {
    const now = this.#clock.now();
    const window = this.#windows.get(key);
    if (window && window.endsAt > now) return window;
    const fresh = { used: 0, endsAt: now + rule.windowMilliseconds };
    this.#windows.set(key, fresh);
    return fresh;
  }

  #headers(bucket: BucketName, rule: BucketRule, window: Window): Record<string, string> {
    return {
      'x-ratelimit-limit': String(rule.limit),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': (window.endsAt / 1000).toFixed(3),
      'x-ratelimit-reset-after': this.#secondsLeft(window).toFixed(3),
      'x-ratelimit-bucket': createHash('md5')
        .update(toldAs[bucket] ?? bucket)
        .digest('hex'),
    };
  }

  #secondsLeft(window: Window): number {
    return Math.max(0, window.endsAt - this.#clock.now()) / 1000;
  }

  #limitedBy(window: Window, headers: Record<string, string>, scope: 'user' | 'shared' | 'global'): Refusal {
    return rateLimited(this.#secondsLeft(window), scope, headers);
  }
}

/** The 429 of a bucket, of a resource, or of the whole bot. */
export function rateLimited(
  seconds: number,
  scope: 'user' | 'shared' | 'global',
  headers: Record<string, string> = {},
): Refusal {
  return new Refusal(429, 0, 'You are being rate limited.', {
    headers: {
      ...headers,
      'retry-after': String(Math.ceil(seconds * 1000) / 1000),
      'x-ratelimit-scope': scope,
      ...(scope === 'global' && { 'x-ratelimit-global': 'true' }),
    },
    extra: { retry_after: seconds, global: scope === 'global' },
  });
}
