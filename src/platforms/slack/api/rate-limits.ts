import type { Clock } from '../../../lib/clock.ts';
import { Pacers, type Pacing } from '../../../reply/index.ts';
import { type Method, methods } from './methods.ts';

/** The rate limits of all methods, each by workspace or channel. */
export class RateLimits {
  readonly #pacers: Readonly<Record<string, Pacers>>;

  constructor(clock: Clock) {
    this.#pacers = Object.fromEntries(
      Object.entries(methods).map(([method, { rate }]) => [method, new Pacers(clock, rate)]),
    );
  }

  /** The pacing of a method's calls. */
  of(method: Method, workspace: string, channel: string): Pacing {
    return this.#pacersOf(method).for(keyOf(method, workspace, channel));
  }

  /** How many milliseconds until a method can be called, at the soonest. */
  delayOf(method: Method, workspace: string, channel: string): number {
    return this.#pacersOf(method).delayOf(keyOf(method, workspace, channel));
  }

  #pacersOf(method: Method): Pacers {
    const pacers = this.#pacers[method];
    if (!pacers) throw new Error(`no budget for ${method}`);
    return pacers;
  }
}

function keyOf(method: Method, workspace: string, channel: string): string {
  return methods[method].by === 'channel' ? `${workspace} ${channel}` : workspace;
}
