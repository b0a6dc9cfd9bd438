import type { Clock } from '../../../../src/lib/clock.ts';
import { TooMany } from './failure.ts';

/** Calls a minute of Slack's tiers, per method and workspace: all of them at once, too, but no more. */
const perMinute = { 1: 1, 2: 20, 3: 50, 4: 100 } as const;
const minute = 60_000;

/** `spaced`: one call in a channel in so many milliseconds, never two at once. */
export type Rate =
  | { readonly tier: keyof typeof perMinute }
  | { readonly spacedMs: number; readonly by: 'channel' }
  | { readonly perMinute: number };

/** Keeps Slack's rate limits in sliding windows of a minute. */
export class Rates {
  readonly #clock: Clock;
  readonly #windows = new Map<string, number[]>();
  readonly #last = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a call; throws `TooMany` where it is one too many. A refused call is not counted. */
  take(rate: Rate, method: string, workspace: string, channel: string | undefined): void {
    const now = this.#clock.now();
    const key = `${method} ${workspace}`;
    const spacedKey = 'by' in rate ? `${key} ${channel}` : key;
    const spacing = 'spacedMs' in rate ? rate.spacedMs : 0;
    const last = this.#last.get(spacedKey) ?? Number.NEGATIVE_INFINITY;
    if (now - last < spacing) throw new TooMany(Math.ceil((last + spacing - now) / 1_000));
    const most = 'tier' in rate ? perMinute[rate.tier] : 'perMinute' in rate ? rate.perMinute : undefined;
    if (most !== undefined) {
      const window = (this.#windows.get(key) ?? []).filter((at) => now - at < minute);
      const oldest = window[0];
      if (window.length >= most && oldest !== undefined) {
        throw new TooMany(Math.max(1, Math.ceil((oldest + minute - now) / 1_000)));
      }
      this.#windows.set(key, [...window, now]);
    }
    this.#last.set(spacedKey, now);
  }
}
