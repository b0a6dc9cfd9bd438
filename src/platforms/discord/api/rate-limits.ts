import type { ResponseLike } from '@discordjs/rest';
import { memoryTally, type Slots, type Tally, waitForSlot } from '../../../coordination/index.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { type Meter, secondsBetween } from '../../../lib/telemetry.ts';
import { PlatformError } from '../../../port/index.ts';
import { Pacer, Pacers, type SlotOptions, type Urgency } from '../../../reply/index.ts';

/** Assumed of a bucket before its first response. */
const assumed = { limit: 5, window: 5_000 };
/** Requests a second of the whole bot; those by an interaction's token don't count (topics/rate-limits). */
export const globalRequestsPerSecond = 50;
/** Typing comes before words, and would take the second in which those of many answers come. */
const partForOptional = 0.2;
/** What answers under way leave is for those that end: they have their last words within a second. */
const partForGrowth = 0.6;
/** In milliseconds: Discord counts arrivals, not departures. */
const second = 1_050;
/** The same for several processes together: fifty slots, each used once in a little more than a second. */
export const sharedRequests = {
  name: 'discord requests',
  count: globalRequestsPerSecond,
  milliseconds: second,
};

/** How a request takes its turn among the bot's others. */
export interface Pace {
  /** `final` by default. What's `optional` is refused with a {@link NothingLeftOverError} where it would have to wait. */
  readonly urgency?: Urgency;
  /** The bucket in which the caller holds a slot that it waited for, and one of the whole bot's. */
  readonly heldSlot?: string | undefined;
  /** Awaited when its turn has come, right before it's sent: if it rejects, it isn't. */
  readonly beforeSending?: (() => Promise<void>) | undefined;
}

/** A request's turn: its bucket, if its kind has one here, and its pace. */
export interface Turn extends Pace {
  readonly bucket?: string;
  readonly signal?: AbortSignal;
}

/** Nothing was left over for a request that can be left out: it wasn't sent. */
export class NothingLeftOverError extends Error {
  override name = 'NothingLeftOverError';
}

/**
 * The bucket of a channel's posts, of the edits of its messages, or of its typing indicator. Discord names posts and edits
 * alike (`X-RateLimit-Bucket`) and counts them apart (discord-api-docs#8073).
 */
export function channelBucket(kind: 'post' | 'edit' | 'typing', channelId: string): string {
  return `${kind} ${channelId}`;
}

/** The bucket of an interaction's messages. */
export function tokenBucket(token: string): string {
  return `token ${token}`;
}

/** Whether an interaction's token authorises what's in a bucket: that doesn't count as the bot's. */
function isOfToken(bucket: string): boolean {
  return bucket.startsWith('token ');
}

export interface RateLimitsOptions {
  readonly clock: Clock;
  readonly meter: Meter;
  /** The bot's requests that this process may make in a second. */
  readonly requestsPerSecond: number;
  /** Counts them with those of other processes. */
  readonly shared?: Slots | undefined;
  /** Counts its invalid requests with those of other processes. */
  readonly invalid?: Tally | undefined;
}

/** Between two looks whether invalid requests are few again, in milliseconds. */
const untilFewer = 10_000;

/**
 * Discord's rate limits for what the bot writes: requests wait here, the most urgent first, until their bucket and the limit
 * of the whole bot allow them. The library's own queues know no urgency, and take a channel's posts and edits for one
 * bucket. What the buckets allow is learnt from the headers of every response.
 */
export class RateLimits {
  readonly #options: RateLimitsOptions;
  readonly #buckets: Pacers;
  readonly #global: Pacer;
  /** The part of that for growth, which is spread evenly. */
  readonly #growth: Pacer;
  readonly #invalid: InvalidRequests;

  constructor(options: RateLimitsOptions) {
    const { clock, requestsPerSecond, invalid } = options;
    this.#invalid = new InvalidRequests(clock, invalid);
    this.#options = options;
    this.#buckets = new Pacers(clock, assumed);
    this.#global = new Pacer(clock, { limit: requestsPerSecond, window: second, optional: partForOptional });
    this.#growth = new Pacer(clock, {
      limit: Math.max(1, requestsPerSecond * partForGrowth),
      window: second,
    });
  }

  /** Waits for a slot of a bucket, for a request whose content is known only then. */
  async slot(bucket: string, options: SlotOptions): Promise<void> {
    const { clock, meter } = this.#options;
    const since = clock.steady();
    const { urgency, signal } = options;
    while (urgency === 'optional' && this.#invalid.areTooMany) await sleep(clock, untilFewer, signal);
    await this.#buckets.for(bucket).slot(options);
    const seconds = secondsBetween(since, clock.steady());
    meter.observe('troupe_pacer_wait_seconds', { platform: 'discord' }, seconds);
  }

  /**
   * Resolves when a request may be sent.
   * @throws {NothingLeftOverError} at once if it's optional and would have to wait.
   * @throws {PlatformError} `unreachable` if its signal is aborted before.
   */
  async enter({ bucket, urgency = 'final', heldSlot, signal }: Turn, isAsBot: boolean): Promise<void> {
    if (urgency === 'optional') return this.#enterIfLeftOver(bucket, isAsBot);
    if (bucket !== undefined && heldSlot === bucket) return;
    try {
      if (bucket !== undefined) await this.slot(bucket, { urgency, signal });
      if (isAsBot) await this.#enterAsBot({ urgency, signal });
    } catch (error) {
      throw signal?.aborted ? new PlatformError('unreachable', undefined, { cause: error }) : error;
    }
  }

  /** Waits for one of the whole bot's requests, for one in that bucket whose content is known only then. */
  async slotOfBot(bucket: string, options: SlotOptions): Promise<void> {
    if (!isOfToken(bucket)) await this.#enterAsBot(options);
  }

  async #enterAsBot(options: SlotOptions): Promise<void> {
    const { shared, clock } = this.#options;
    if (options.urgency === 'growth') await this.#growth.slot(options);
    await this.#global.slot(options);
    if (shared) await waitForSlot(shared, clock, options.signal);
  }

  async #enterIfLeftOver(bucket: string | undefined, isAsBot: boolean): Promise<void> {
    const { shared } = this.#options;
    if (this.#invalid.areTooMany) throw new NothingLeftOverError();
    if (isAsBot && !this.#global.hasLeftOver) throw new NothingLeftOverError();
    if (bucket !== undefined && !this.#buckets.takeLeftOver(bucket)) throw new NothingLeftOverError();
    if (!isAsBot) return;
    this.#global.takeLeftOver();
    if (shared && (await shared.take()) > 0) throw new NothingLeftOverError();
  }

  /** Nothing is sent in a bucket for so many milliseconds. */
  pause(bucket: string, milliseconds: number): void {
    this.#buckets.for(bucket).pause(milliseconds);
  }

  /** Learns from a response what its bucket allows. */
  learn(method: string, path: string, { status, headers }: Pick<ResponseLike, 'status' | 'headers'>): void {
    const bucket = bucketOf(method, path);
    if (this.#invalid.note(status, headers.get('x-ratelimit-scope')))
      this.#options.meter.count('troupe_platform_invalid_requests_total', { platform: 'discord' });
    if (status === 429) {
      const wait = Number(headers.get('retry-after')) * 1_000;
      if (!(wait > 0)) return;
      if (headers.has('x-ratelimit-global')) this.#global.pause(wait);
      else if (bucket !== undefined) this.pause(bucket, wait);
      return;
    }
    const remaining = headers.get('x-ratelimit-remaining');
    const resetAfter = headers.get('x-ratelimit-reset-after');
    const limit = headers.get('x-ratelimit-limit');
    if (bucket === undefined || remaining === null || resetAfter === null) return;
    this.#buckets.for(bucket).learn({
      remaining: Number(remaining),
      resetAfter: Number(resetAfter) * 1_000,
      ...(limit !== null && { limit: Number(limit) }),
    });
  }
}

const paths =
  /^\/(?:channels\/(\d+)\/(messages(?:\/\d+)?|typing)|webhooks\/\d+\/([^/]+)(?:\/messages\/[^/]+)?)$/;
const kinds = { 'POST messages': 'post', 'PATCH messages': 'edit', 'POST typing': 'typing' } as const;

/** The bucket in which a request waits here; undefined if the library keeps its limit. */
export function bucketOf(method: string, path: string): string | undefined {
  const [, channel, rest = '', token] = paths.exec(path) ?? [];
  if (token !== undefined) return tokenBucket(token);
  const about = `${method} ${rest.replace(/\/.*/, '')}`;
  return channel !== undefined && about in kinds
    ? channelBucket(kinds[about as keyof typeof kinds], channel)
    : undefined;
}

/** So long an invalid request counts, in milliseconds; after 10,000 Discord bans the address (topics/rate-limits). */
const window = 10 * 60_000;
/** From so many on, nothing is sent that can be left out: the rest is for what people wait for, and whoever shares the address. */
const tooMany = 5_000;
/** Between two looks at what other processes have counted, in milliseconds. */
const spacing = 5_000;

/** All processes together, as {@link Tally}. */
export const sharedInvalidRequests = { name: 'discord invalid requests', milliseconds: window };

/** How many requests of the last ten minutes Discord counted as invalid: 401, 403, and 429 but of shared limits. */
export class InvalidRequests {
  readonly #clock: Pick<Clock, 'steady'>;
  readonly #tally: Tally;
  /** As the tally said last. */
  #known = 0;
  /** Those it hasn't been told. */
  #untold = 0;
  #nextLook = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'steady'>, tally: Tally = memoryTally(clock, window)) {
    this.#clock = clock;
    this.#tally = tally;
  }

  /** Counts a response if it's invalid; returns whether it is. */
  note(status: number, scope: string | null): boolean {
    const isInvalid = status === 401 || status === 403 || (status === 429 && scope !== 'shared');
    if (isInvalid) {
      this.#untold++;
      this.#lookIfDue();
    }
    return isInvalid;
  }

  /** Whether nothing more may be sent that can be left out. What other processes met counts some seconds later. */
  get areTooMany(): boolean {
    this.#lookIfDue();
    return this.#known + this.#untold >= tooMany;
  }

  #lookIfDue(): void {
    if (this.#clock.steady() >= this.#nextLook) void this.#look();
  }

  async #look(): Promise<void> {
    this.#nextLook = this.#clock.steady() + spacing;
    const told = this.#untold;
    try {
      this.#known = await this.#tally.add(told);
      this.#untold -= told;
    } catch {
      // The database is away: they're told later.
    }
  }
}
