import { type Coordination, type Slots, waitForSlot } from '../../../coordination/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type Meter, noMeter, secondsBetween } from '../../../lib/telemetry/index.ts';
import { Pacers, type Pacing } from '../../../reply/index.ts';
import { type Method, methods } from './methods.ts';

/** Buckets whose slots are remembered; a forgotten one is only looked up again. */
const remembered = 1_000;
/** Another process got a 429. The text: `MILLISECONDS METHOD BUCKET`. */
const topic = 'slack pause';

/**
 * The rate limits of all methods, each by workspace or channel. Several processes on one database keep them together:
 * Slack counts the app's calls, whichever of them makes them.
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #coordination: Pick<Coordination, 'slots' | 'signals'>;
  readonly #pacers: Readonly<Record<string, Pacers>>;
  readonly #meter: Meter;
  readonly #slots = new BoundedMap<string, Slots>({ most: remembered });

  constructor(clock: Clock, coordination: Pick<Coordination, 'slots' | 'signals'>, meter: Meter = noMeter) {
    this.#meter = meter;
    this.#clock = clock;
    this.#coordination = coordination;
    this.#pacers = Object.fromEntries(
      Object.entries(methods).map(([method, { rate }]) => [method, new Pacers(clock, rate)]),
    );
    coordination.signals.on(topic, (text) => {
      const [, milliseconds, method = '', bucket = ''] = /^(\d+) (\S+) (.*)$/s.exec(text) ?? [];
      this.#pacers[method]?.for(bucket).pause(Number(milliseconds));
    });
  }

  /** The pacing of a method's calls. */
  of(method: Method, workspace: string, channel: string): Pacing {
    const bucket = keyOf(method, workspace, channel);
    const here = this.#pacersOf(method).for(bucket);
    const { slots, signals } = this.#coordination;
    return {
      slot: async (options) => {
        const since = this.#clock.steady();
        await here.slot(options);
        if (slots) await waitForSlot(this.#shared(method, bucket, slots), this.#clock);
        if (!isWrite(method)) return;
        const seconds = secondsBetween(since, this.#clock.steady());
        this.#meter.observe('troupe_pacer_wait_seconds', { platform: 'slack' }, seconds);
      },
      learn: (allowance) => here.learn(allowance),
      pause: (milliseconds) => {
        here.pause(milliseconds);
        if (!slots) return;
        // Without it, the other processes meet a 429 of their own.
        signals.send(topic, `${Math.ceil(milliseconds)} ${method} ${bucket}`).catch(() => undefined);
      },
    };
  }

  /** How many milliseconds until a method can be called, at the soonest. */
  delayOf(method: Method, workspace: string, channel: string): number {
    return this.#pacersOf(method).delayOf(keyOf(method, workspace, channel));
  }

  /** Uses a slot for a call if one is free at once; false if the call would have to wait, for another process's, too. */
  async takeFree(method: Method, workspace: string, channel: string): Promise<boolean> {
    if (this.delayOf(method, workspace, channel) > 0) return false;
    const bucket = keyOf(method, workspace, channel);
    await this.#pacersOf(method).for(bucket).slot({ urgency: 'first' });
    const { slots } = this.#coordination;
    return slots === undefined || (await this.#shared(method, bucket, slots).take()) <= 0;
  }

  #shared(method: Method, bucket: string, slots: NonNullable<Coordination['slots']>): Slots {
    const name = `slack ${method} ${bucket}`;
    const { limit, window } = methods[method].rate;
    const shared = this.#slots.get(name) ?? slots(name, limit, window);
    this.#slots.set(name, shared);
    return shared;
  }

  #pacersOf(method: Method): Pacers {
    const pacers = this.#pacers[method];
    if (!pacers) throw new Error(`no budget for ${method}`);
    return pacers;
  }
}

/** Whether a method shows people something. */
function isWrite(method: Method): boolean {
  return /^chat\.(?:post|update|\w+Stream)/.test(method);
}

function keyOf(method: Method, workspace: string, channel: string): string {
  return methods[method].by === 'channel' ? `${workspace} ${channel}` : workspace;
}
