import { createHmac } from 'node:crypto';
import { sameSecret } from '../../../http/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { RecentEvents } from '../api/recent-events.ts';

/** How old a request may be, or how far in the future, in seconds (verifying requests from Slack). */
const maxAge = 300;

/** Why a request doesn’t count as Slack’s. */
export type SignatureFault = 'unsigned' | 'stale' | 'forged' | 'replayed';

/** Checks that requests are Slack’s: signed with the app’s secret, recent, and not replayed. */
export class SignatureCheck {
  readonly #secret: string;
  readonly #clock: Clock;
  readonly #seen: RecentEvents;

  constructor(secret: string, clock: Clock) {
    this.#secret = secret;
    this.#clock = clock;
    this.#seen = new RecentEvents(clock, 2 * maxAge * 1_000);
  }

  /** What is wrong with a request; undefined where nothing is. */
  fault(headers: Headers, body: string): SignatureFault | undefined {
    const timestamp = headers.get('x-slack-request-timestamp') ?? '';
    const signature = headers.get('x-slack-signature') ?? '';
    if (!/^\d{1,12}$/.test(timestamp) || signature === '') return 'unsigned';
    if (Math.abs(this.#clock.now() / 1_000 - Number(timestamp)) > maxAge) return 'stale';
    const expected = `v0=${createHmac('sha256', this.#secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
    if (!sameSecret(signature, expected)) return 'forged';
    return this.#seen.isNew(signature) ? undefined : 'replayed';
  }
}
