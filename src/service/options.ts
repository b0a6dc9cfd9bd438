import type { Dispatcher } from 'undici';
import type { Clock } from '../lib/clock.ts';
import type { Telemetry } from '../lib/telemetry.ts';
import { type RateGroup, ratesPerMinute } from '../service-rules/limits.ts';
import type { ServiceLogger } from './errors.ts';
import type { Priority, RateWindows } from './rate-gate/rate-gate.ts';

/** Options of a {@link ServiceClient}. */
export interface ClientOptions {
  /** The service's base URL; ends with `/v1`. */
  baseUrl: string;
  /** `sk-svc-…`. Kept only in memory and in one header. */
  apiKey: string;
  clock?: Clock;
  /** Told what happens (`ServiceLog`); nobody by default. */
  log?: ServiceLogger;
  /** Told of requests, calls and waits; nobody by default. */
  telemetry?: Telemetry;
  /** For requests to the service; defaults to the client's own. Not closed with the client. */
  dispatcher?: Dispatcher;
  /** For results on other hosts; by default connects only to public addresses. */
  resultDispatcher?: Dispatcher;
  /**
   * `HOST` or `HOST:PORT` of additional hosts allowed for results, for example in a private network; also over plain
   * http.
   */
  resultHosts?: readonly string[];
  /** The key's rate windows; in memory by default. */
  windows?: RateWindows;
  limits?: Partial<Limits>;
  timeouts?: Partial<Timeouts>;
  /** 0 to 1, for the jitter of retries. */
  random?: () => number;
}

/** Options of every call. */
export interface CallOptions {
  /** Groups the credits of one conversation: 1 to 64 letters, digits, `-`, `_` (description, section 5). */
  conversationId?: string | undefined;
  /** Cancels the call and its request. */
  signal?: AbortSignal | undefined;
  /** `interactive` by default. */
  priority?: Priority | undefined;
  /** Calls waiting for the key's limits take turns by this key; defaults to the conversation id. */
  fairnessKey?: string | undefined;
  /** Whose call it is: people take turns, too, whichever keys they use. */
  fairnessPerson?: string | undefined;
  /**
   * Called with the call's position, 1 for the next, once it has waited over 2 s for the key's limits, and whenever
   * the position changes (checked every second).
   */
  onWait?: ((place: number) => void) | undefined;
  /**
   * Awaited when the call's turn has come, right before each attempt to send it; if it fails, nothing is sent and the
   * call fails with its error. The signal is aborted where the call is stopped meanwhile.
   */
  beforeSending?: ((signal?: AbortSignal) => Promise<void>) | undefined;
  /** Awaited when an attempt was certainly not processed, before the pause after which the call is sent again. */
  onNotProcessed?: (() => Promise<void>) | undefined;
}

/** Limits on what a call may use. */
export interface Limits {
  /** Maximum attempts per request: 4. */
  tries: number;
  /** Bytes of a JSON response, including base64 images, and characters of a chat stream: 64 Mi. */
  answerBytes: number;
  /** Bytes of a speech: 128 MiB. */
  speechBytes: number;
  /** Characters of one event of a chat stream: 8 Mi. */
  eventCharacters: number;
  /** How many calls of a group may wait: as many as its limit allows in five minutes. */
  waiting: Readonly<Record<RateGroup, number>>;
}

/** Timeouts in milliseconds. */
export interface Timeouts {
  /** Waiting for the key's rate limits. */
  waiting: number;
  /** A chat answer without streaming. */
  chat: number;
  /** Until a stream begins, and then until its first words. */
  streamStart: number;
  /** Between two chunks of a stream. */
  streamIdle: number;
  /** From the first chunk of a stream to the last. */
  stream: number;
  speech: number;
  /** An image made in one request. */
  image: number;
  /** Creating a task. */
  submit: number;
  /** A list or a status. */
  read: number;
  /** Until a task is ready, in `images.wait` and `videos.wait`. */
  task: number;
  /** Between two chunks of a downloaded result. */
  downloadIdle: number;
  download: number;
}

const minutesOfWaiting = 5;

export const defaultLimits: Limits = {
  tries: 4,
  answerBytes: 64 * 2 ** 20,
  speechBytes: 128 * 2 ** 20,
  eventCharacters: 8 * 2 ** 20,
  waiting: {
    chat: ratesPerMinute.chat * minutesOfWaiting,
    voice: ratesPerMinute.voice * minutesOfWaiting,
    images: ratesPerMinute.images * minutesOfWaiting,
    videos: ratesPerMinute.videos * minutesOfWaiting,
    status: ratesPerMinute.status * minutesOfWaiting,
  },
};

export const defaultTimeouts: Timeouts = {
  waiting: 600_000,
  chat: 300_000,
  streamStart: 120_000,
  streamIdle: 60_000,
  stream: 600_000,
  speech: 180_000,
  image: 300_000,
  submit: 60_000,
  read: 30_000,
  task: 3_600_000,
  downloadIdle: 60_000,
  download: 900_000,
};
