import {
  DiscordAPIError,
  type RateLimitData,
  type ResponseLike,
  REST,
  RESTEvents,
  type RESTOptions,
} from '@discordjs/rest';
import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import { Agent, type Dispatcher, FormData, Headers, request } from 'undici';
import type { Slots, Tally } from '../../../coordination/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, sleep, systemClock, type UntilAlive } from '../../../lib/clock.ts';
import { type Meter, noMeter, type RequestKind } from '../../../lib/telemetry.ts';
import { withoutNulls } from '../../../lib/text.ts';
import { PlatformError } from '../../../port/index.ts';
import {
  errorCode,
  isFinal,
  isNetworkError,
  isTokenRefused,
  mayHaveArrived,
  platformErrorOf,
  rateLimitWait,
  UnconfirmedError,
} from './errors.ts';
import { bucketOf, globalRequestsPerSecond, RateLimits, type Turn } from './rate-limits.ts';

/** Milliseconds that a request may take: 25 MiB on a slow line. */
const requestTimeout = 60_000;
/** Every interaction's token is a bucket of its own; it's forgotten after so many milliseconds. */
const tokenBucketLifetime = 60_000;
const maxTries = 3;
/** Milliseconds that a request waits for a rate limit at most; it's refused if that takes longer. */
const longestWait = 20_000;
/** The headers about a bucket (topics/rate-limits, header format). */
const bucketHeaders = ['limit', 'remaining', 'reset', 'reset-after', 'bucket'].map(
  (name) => `x-ratelimit-${name}`,
);

export interface RestOptions {
  readonly token: string;
  /** REST root, without the version. */
  readonly apiUrl: string;
  /** Counts the bot's requests with those of other processes. */
  readonly requests?: Slots | undefined;
  /** Counts its invalid requests with those of other processes. */
  readonly invalidRequests?: Tally | undefined;
  /** Without that: the part of the bot's requests a second that this process may make; all of them by default. */
  readonly share?: number;
  readonly meter?: Meter;
  readonly untilAlive?: UntilAlive | undefined;
  readonly clock?: Clock;
}

/**
 * Sends requests in their turn and retries them. It has REST managers of its own: the library's client can be replaced by a new one
 * without affecting requests under way. Errors become {@link PlatformError}s if a person can be told something about
 * them.
 */
export class RestClient {
  readonly clock: Clock;
  readonly limits: RateLimits;
  readonly #token: string;
  /** As the bot. */
  readonly #asBot: REST;
  /** By an interaction's token. */
  readonly #byToken: REST;
  /** By a token, for requests that Discord doesn't recognise if they are repeated. */
  readonly #withoutRetries: REST;
  readonly #clockSteps = new ClockSteps();
  readonly #meter: Meter;

  constructor(options: RestOptions) {
    const {
      token,
      apiUrl,
      requests,
      invalidRequests,
      share = 1,
      meter = noMeter,
      untilAlive,
      clock = systemClock,
    } = options;
    this.#meter = meter;
    this.#token = token;
    this.clock = clock;
    const requestsPerSecond = Math.max(1, Math.floor(globalRequestsPerSecond * share));
    this.limits = new RateLimits({
      clock,
      meter,
      requestsPerSecond,
      shared: requests,
      invalid: invalidRequests,
    });
    const restOptions = {
      version: '10',
      api: apiUrl.replace(/\/$/, ''),
      timeout: requestTimeout,
      makeRequest: measuredRequest(meter, (...response) => this.#learn(...response), untilAlive),
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
      // What has a turn waits for another one instead.
      rejectOnRateLimit: ({ method, url, retryAfter, timeToReset }: RateLimitData) =>
        bucketOf(method, pathOf(url)) !== undefined || Math.max(retryAfter, timeToReset) > longestWait,
    };
    this.#asBot = new REST(restOptions).setToken(token);
    const tokenOptions = { ...restOptions, handlerSweepInterval: tokenBucketLifetime };
    this.#byToken = new REST(tokenOptions);
    this.#withoutRetries = new REST({ ...tokenOptions, retries: 0 });
    for (const rest of this.#all)
      rest.on(
        RESTEvents.Response,
        ({ retries }) => retries > 0 && this.#count('troupe_platform_retries_total'),
      );
  }

  /** Stops the timers that would keep the process alive. */
  close(): void {
    for (const rest of this.#all) {
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
    }
  }

  /** A request with the bot's token, which may be repeated. */
  asBot<T>(send: (rest: REST) => Promise<unknown>, turn: Turn = {}): Promise<T> {
    return this.#inTurn(turn, true, () => this.#retry(() => send(this.#asBot), turn.signal));
  }

  /** A request that an interaction's token authorises, which may be repeated. */
  byToken<T>(send: (rest: REST) => Promise<unknown>, turn: Turn = {}): Promise<T> {
    return this.#inTurn(turn, false, () => this.#retry(() => send(this.#byToken), turn.signal));
  }

  /**
   * A request by a token that must not be repeated.
   * @throws {UnconfirmedError} if nobody knows whether it was carried out.
   */
  byTokenOnce<T>(send: (rest: REST) => Promise<unknown>, turn: Turn = {}): Promise<T> {
    return this.#inTurn(turn, false, async () => {
      this.#forgetLimitsAfterClockStep();
      try {
        return (await send(this.#withoutRetries)) as T;
      } catch (error) {
        throw mayHaveArrived(error) ? new UnconfirmedError(error) : platformErrorOf(error);
      }
    });
  }

  /** Sends when it's a request's turn; again in another turn if Discord says that its bucket is used up after all. */
  async #inTurn<T>(turn: Turn, isAsBot: boolean, send: () => Promise<T>): Promise<T> {
    const { bucket, urgency, beforeSending } = turn;
    for (let heldSlot = turn.heldSlot; ; heldSlot = undefined) {
      await this.limits.enter({ ...turn, heldSlot }, isAsBot);
      await beforeSending?.();
      try {
        return await send();
      } catch (error) {
        const wait = rateLimitWait(error);
        const waits = wait !== undefined && wait <= longestWait && urgency !== 'optional';
        if (bucket !== undefined && waits) this.limits.pause(bucket, wait);
        else {
          if (isUnreachable(error)) this.#count('troupe_platform_given_up_total');
          throw error;
        }
      }
    }
  }

  /**
   * Repeats a request whose connection was closed before the response, which the library doesn't; and once after a 401,
   * for which the library forgets its token for good. An aborted request isn't repeated.
   */
  async #retry<T>(send: () => Promise<unknown>, signal?: AbortSignal): Promise<T> {
    let wasUnauthorized = false;
    for (let tries = 1; ; tries++) {
      this.#forgetLimitsAfterClockStep();
      try {
        return (await send()) as T;
      } catch (error) {
        this.#asBot.setToken(this.#token);
        // The library's own error for an aborted request isn't one of the network.
        if (signal?.aborted && !(error instanceof DiscordAPIError))
          throw new PlatformError('unreachable', undefined, { cause: error });
        if (isNetworkError(error) && tries < maxTries) {
          this.#count('troupe_platform_retries_total');
          continue;
        }
        if (isTokenRefused(error) && !wasUnauthorized) {
          wasUnauthorized = true;
          continue;
        }
        throw platformErrorOf(error);
      }
    }
  }

  /** The library doesn't see the limits that are kept here: it would wait by them, too. */
  #learn(method: string, path: string, response: ResponseLike): ResponseLike {
    this.limits.learn(method, path, response);
    if (bucketOf(method, path) === undefined) return response;
    const headers = new Headers([...response.headers]);
    for (const name of bucketHeaders) headers.delete(name);
    return { ...response, headers };
  }

  #count(name: 'troupe_platform_retries_total' | 'troupe_platform_given_up_total'): void {
    this.#meter.count(name, { platform: 'discord' });
  }

  /**
   * The library records the ends of rate limits by the machine's clock. If that is set back, every request would wait
   * for as long as it was ahead; the limits are learnt again from the next responses instead.
   */
  #forgetLimitsAfterClockStep(): void {
    if (!this.#clockSteps.happened()) return;
    for (const rest of [this.#asBot, this.#withoutRetries]) {
      rest.handlers.clear();
      rest.globalReset = -1;
    }
  }

  get #all(): readonly REST[] {
    return [this.#asBot, this.#byToken, this.#withoutRetries];
  }
}

function isUnreachable(error: unknown): boolean {
  return (
    error instanceof PlatformError && error.kind === 'unreachable' && !(error instanceof UnconfirmedError)
  );
}

/** Tokens that are new at once, at most. */
const mostTokens = 500;
/** Milliseconds between tries; a token was known after ten seconds at most, as reported. */
const waits: readonly number[] = [250, 500, 1_000, 2_000, 4_000, 4_000];

/**
 * Tokens of interactions that were acknowledged in the response to their request: Discord may not know them yet when they
 * are used right after that (10015, discord-api-docs#7220), so that's tried again for a while.
 */
export class NewTokens {
  readonly #clock: Clock;
  readonly #tokens: BoundedMap<string, true>;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#tokens = new BoundedMap({ most: mostTokens, lifetime: { milliseconds: 60_000, clock } });
  }

  add(token: string): void {
    this.#tokens.set(token, true);
  }

  /** Does a request by a token, again if that isn't known yet. */
  async send<T>(token: string, request: () => Promise<T>): Promise<T> {
    for (const wait of waits) {
      try {
        return await request();
      } catch (error) {
        if (!this.#tokens.has(token) || errorCode(error) !== RESTJSONErrorCodes.UnknownWebhook) throw error;
      }
      await sleep(this.#clock, wait);
    }
    return request();
  }
}

/** A smaller difference, in milliseconds, is a clock that is being adjusted gradually. */
const smallestStep = 1_000;

/** Notices when the machine's clock is set to another time. */
export class ClockSteps {
  readonly #clock: Pick<Clock, 'now' | 'steady'>;
  #offset: number;

  constructor(clock: Pick<Clock, 'now' | 'steady'> = systemClock) {
    this.#clock = clock;
    this.#offset = this.#measure();
  }

  /** Whether that has happened since the last call. */
  happened(): boolean {
    const offset = this.#measure();
    const isStep = Math.abs(offset - this.#offset) >= smallestStep;
    this.#offset = offset;
    return isStep;
  }

  /** How far the machine's clock is ahead of the steady one. */
  #measure(): number {
    return this.#clock.now() - this.#clock.steady();
  }
}

const dispatcher = new Agent({ allowH2: false });
/**
 * Seconds to wait after a 429 without Retry-After, such as Cloudflare's own page. The library would repeat the request
 * at once and endlessly, which leads to a longer ban.
 */
const defaultRetryAfter = 30;

/**
 * Sends the library's requests, since it would hand undici a form of Node's own class, and Node's own fetch takes several
 * times the processor time. Responses are read completely: one that the library leaves unread would keep its connection
 * open.
 */
export const makeRequest: RESTOptions['makeRequest'] = async (url, { method, headers, body, signal }) => {
  const response = await request(url, {
    dispatcher,
    method: method as Dispatcher.HttpMethod,
    headers: headers as Record<string, string>,
    body: requestBody(body),
    signal: signal ?? null,
  });
  const text = await response.body.text();
  const status =
    response.statusCode === 429 && isFinal(method, text, longestWait) ? 400 : response.statusCode;
  return {
    body: null,
    bodyUsed: true,
    arrayBuffer: async () => new TextEncoder().encode(text).buffer,
    json: async () => said(text, status),
    text: async () => text,
    headers: headersOf(response, text),
    status,
    statusText: response.statusText,
    ok: status >= 200 && status < 300,
  } satisfies ResponseLike;
};

/** What a response says. A refusal that only calls itself JSON isn't Discord's own: the library would fail at it. */
function said(text: string, status: number): unknown {
  if (status < 400) return withoutNulls(JSON.parse(text));
  try {
    return { ...withoutNulls(JSON.parse(text)) };
  } catch {
    return {};
  }
}

/** The library sends JSON, or a form of Node's own class: undici accepts only its own. */
function requestBody(body: unknown): string | FormData | null {
  if (!(body instanceof globalThis.FormData))
    return body === undefined || body === null ? null : String(body);
  const form = new FormData();
  for (const [name, value] of body) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, value.name);
  }
  return form;
}

/** A response's headers. How long a 429 lasts, and for what, may be in its body alone (topics/rate-limits). */
function headersOf({ statusCode, headers: fields }: Dispatcher.ResponseData, text: string): Headers {
  const headers = new Headers();
  for (const [name, value = ''] of Object.entries(fields)) {
    for (const one of [value].flat()) headers.append(name, one);
  }
  if (statusCode !== 429 || isSeconds(headers.get('retry-after'))) return headers;
  const { retry_after: wait, global } = Object(said(text, statusCode));
  headers.set('retry-after', isSeconds(wait) ? String(wait) : String(defaultRetryAfter));
  if (global === true) headers.set('x-ratelimit-global', 'true');
  return headers;
}

function isSeconds(wait: unknown): boolean {
  return (typeof wait === 'number' || (typeof wait === 'string' && wait !== '')) && Number(wait) >= 0;
}

type MakeRequest = RESTOptions['makeRequest'];

/** Gets every response, with its request's path below the version; what it returns is what the library sees. */
type ResponseListener = (method: string, path: string, response: ResponseLike) => ResponseLike;

/** Sends the library's requests while this process counts as living, and counts each try by what it's for. */
function measuredRequest(meter: Meter, onResponse: ResponseListener, untilAlive?: UntilAlive): MakeRequest {
  return async (url, request) => {
    await untilAlive?.();
    const method = request.method ?? 'GET';
    const path = pathOf(url);
    const { kind, route } = requestRoute(method, path);
    const count = (status: string) =>
      meter.count('troupe_platform_requests_total', { platform: 'discord', kind, route, status });
    try {
      const response = await makeRequest(url, request);
      count(String(response.status));
      return onResponse(method, path, response);
    } catch (error) {
      count('error');
      throw error;
    }
  };
}

/** The path of a request's address, below the version. */
function pathOf(url: string): string {
  return /\/v\d+(\/[^?]*)/.exec(url)?.[1] ?? '';
}

/** A request's route with names instead of ids and tokens, so that there are few; and what it's for. */
function requestRoute(method: string, path: string): { readonly kind: RequestKind; readonly route: string } {
  const route = path
    .replace(/^\/(webhooks|interactions)\/\d+\/[^/]+/, '/$1/:id/:token')
    .replace(/\/(?:\d+|(?:@|%40)(?:original|me))(?=\/|$)/g, '/:id');
  return { kind: kindOf(method, route), route: `${method} ${route}` };
}

function kindOf(method: string, route: string): RequestKind {
  if (method === 'GET') return 'read';
  if (route.endsWith('/callback')) return 'acknowledgement';
  if (route.endsWith('/typing')) return 'typing';
  const isMessage = /\/messages(?:\/:id)?$|^\/webhooks\/:id\/:token$/.test(route);
  if (!isMessage) return 'other';
  if (method === 'POST') return 'post';
  return method === 'PATCH' ? 'edit' : 'delete';
}
