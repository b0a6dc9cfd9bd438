import type { Clock } from '../../clock.ts';
import { Pacers, type Pacing } from '../../reply/index.ts';
import { type Method, methods } from './methods.ts';

/** The rate limits of all methods, each method's by workspace or channel. */
export class Budgets {
  readonly #pacers: Readonly<Record<string, Pacers>>;

  constructor(clock: Clock) {
    this.#pacers = Object.fromEntries(
      Object.entries(methods).map(([method, { rate }]) => [method, new Pacers(clock, rate)]),
    );
  }

  /** The pacing of a method's calls. */
  of(method: Method, workspace: string, channel: string): Pacing {
    const pacers = this.#pacers[method];
    if (!pacers) throw new Error(`no budget for ${method}`);
    return pacers.for(methods[method].by === 'channel' ? `${workspace} ${channel}` : workspace);
  }
}
