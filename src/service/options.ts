import type { Dispatcher } from 'undici';
import type { Clock } from '../lib/clock.ts';
import { type RateGroup, ratesPerMinute } from '../service-rules/limits.ts';
import type { ServiceLog } from './log.ts';
import type { Priority } from './rate-gate/rate-gate.ts';
import type { RateWindows } from './rate-gate/rate-windows.ts';

/** How a {@link ServiceClient} is made. */
export interface ClientOptions {
  /** The service's address; ends with `/v1`. */
  baseUrl: string;
  /** `sk-svc-…`. Kept in memory and in one header only. */
  apiKey: string;
  clock?: Clock;
  log?: ServiceLog;
  /** For requests to the service; the client's own where it is left out. It is not closed with the client. */
  dispatcher?: Dispatcher;
  /** For results on other hosts; where it is left out, one that connects to public addresses only. */
  resultDispatcher?: Dispatcher;
  /** `HOST` or `HOST:PORT` of further hosts that results may come from, in one's own network; plain http too. */
  resultHosts?: readonly string[];
  /** The key's rate windows; in memory where they are left out. */
  windows?: RateWindows;
  limits?: Partial<Limits>;
  timeouts?: Partial<Timeouts>;
  /** 0 to 1, for the jitter of retries. */
  random?: () => number;
}

/** What every call takes. */
export interface CallOptions {
  /** Groups the credits of one conversation: 1 to 64 of letters, digits, `-`, `_` (description, section 5). */
  conversationId?: string | undefined;
  /** Cancels the call and its request. */
  signal?: AbortSignal | undefined;
  /** `interactive` where it is left out. */
  priority?: Priority | undefined;
  /** Whose turn it is while calls wait for the key's limits; the conversation id where it is left out. */
  fairnessKey?: string | undefined;
  /**
   * Told the call's place, 1 for the next, once it has waited over 2 s for the key's limits, and again when the
   * place changes (looked at every second).
   */
  onWait?: ((place: number) => void) | undefined;
}

/** Bounds on what a call may use. */
export interface Limits {
  /** How often a request is sent at most: 4. */
  tries: number;
  /** Bytes of a JSON answer, images in base64 included, and characters of a chat stream: 64 Mi. */
  answerBytes: number;
  /** Bytes of a speech: 128 MiB. */
  speechBytes: number;
  /** Characters of one event of a chat stream: 8 Mi. */
  eventCharacters: number;
  /** Calls of a group that may wait: as many as its limit serves in five minutes. */
  waiting: Readonly<Record<RateGroup, number>>;
}

/** Limits of time in milliseconds. */
export interface Timeouts {
  /** A turn within the key's limits. */
  waiting: number;
  /** A chat answer that is not streamed. */
  chat: number;
  /** Until a stream's answer begins. */
  streamStart: number;
  /** Between two pieces of a stream. */
  streamIdle: number;
  /** A stream from its first piece to its last. */
  stream: number;
  speech: number;
  /** An image made within one request. */
  image: number;
  /** The creation of a task. */
  submit: number;
  /** A list or a status. */
  read: number;
  /** Until a task is ready, in `images.wait` and `videos.wait`. */
  task: number;
  /** Between two pieces of a downloaded result. */
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
