import type { Clock } from '../../../../src/lib/clock.ts';
import { limits } from '../http/limits.ts';
import type { Json } from '../records.ts';

export type PayloadType = 'events_api' | 'slash_commands' | 'interactive';

/** What came back for one copy of a payload. */
export interface Acknowledged {
  readonly ok: boolean;
  /** What the app answered with: text or an object for commands and forms. */
  readonly response?: unknown;
  readonly detail?: string;
  /** The app asked not to be sent it again. */
  readonly noRetry?: boolean;
}

export interface Retry {
  readonly number: number;
  readonly reason: string;
}

/** A way to the app: a socket or a request. */
export interface Transport {
  send(type: PayloadType, payload: Json, retry: Retry | undefined): Promise<Acknowledged>;
}

export interface Attempt {
  readonly at: number;
  readonly retry: Retry | undefined;
  result: Acknowledged | undefined;
}

/** A payload on its way to the app, with every attempt to get it there. */
export interface Delivery {
  readonly type: PayloadType;
  readonly payload: Json;
  readonly attempts: Attempt[];
  /** The first attempt that was acknowledged, or the last one. */
  readonly done: Promise<Acknowledged>;
}

/** Brings payloads to the app, which acknowledges them in time, events up to three times more. */
export class Deliverer {
  readonly #clock: Clock;
  readonly #transport: () => Transport;
  /** How long an acknowledgement may take, in milliseconds. */
  readonly #patience: number;
  readonly deliveries: Delivery[] = [];
  /** How many copies of each payload are sent at once; Slack sometimes sends two. */
  copies = 1;
  /** Copies that wait for their acknowledgement now. */
  waiting = 0;

  constructor(clock: Clock, transport: () => Transport, patience: number = limits.acknowledgeMs) {
    this.#patience = patience;
    this.#clock = clock;
    this.#transport = transport;
  }

  deliver(type: PayloadType, payload: Json): Delivery {
    const attempts: Attempt[] = [];
    const done = this.#attemptAll(type, payload, attempts);
    const delivery: Delivery = { type, payload, attempts, done };
    this.deliveries.push(delivery);
    return delivery;
  }

  async #attemptAll(type: PayloadType, payload: Json, attempts: Attempt[]): Promise<Acknowledged> {
    let result = await this.#attempt(type, payload, undefined, attempts);
    if (type !== 'events_api') return result;
    for (const [index, wait] of limits.eventRetriesMs.entries()) {
      if (result.ok || result.noRetry) return result;
      if (wait > 0) await new Promise<void>((resolve) => this.#clock.after(wait, resolve));
      const retry = { number: index + 1, reason: result.detail ?? 'unknown_error' };
      result = await this.#attempt(type, payload, retry, attempts);
    }
    return result;
  }

  async #attempt(
    type: PayloadType,
    payload: Json,
    retry: Retry | undefined,
    attempts: Attempt[],
  ): Promise<Acknowledged> {
    const copies = Array.from({ length: this.copies }, async () => {
      const attempt: Attempt = { at: this.#clock.now(), retry, result: undefined };
      attempts.push(attempt);
      attempt.result = await this.#timed(this.#transport().send(type, payload, retry));
      return attempt.result;
    });
    const results = await Promise.all(copies);
    return results.find((result) => result.ok) ?? results[0] ?? { ok: false };
  }

  async #timed(sent: Promise<Acknowledged>): Promise<Acknowledged> {
    this.waiting += 1;
    let cancel = () => {};
    const late = new Promise<Acknowledged>((resolve) => {
      const timedOut = { ok: false, detail: 'http_timeout' };
      cancel = this.#clock.after(this.#patience, () => resolve(timedOut));
    });
    try {
      return await Promise.race([sent, late]);
    } finally {
      cancel();
      this.waiting -= 1;
    }
  }
}
