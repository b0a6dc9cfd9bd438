import type { Refusal } from './http/refusal.ts';

/** A fault of one request. */
export type Fault =
  /** Answered with this status before anything was done. */
  | { readonly kind: 'error'; readonly status: number }
  /** Answered with this status and a page by a proxy in front of Discord: nothing was done. */
  | { readonly kind: 'page'; readonly status: number; readonly type?: string; readonly text?: string }
  /** Refused for a reason that the rules here don't know. */
  | { readonly kind: 'refuse'; readonly refusal: Refusal }
  /** Done, then answered with this status: the sender doesn't know that it was done. */
  | { readonly kind: 'error-after'; readonly status: number }
  /** The connection closes before anything was done. */
  | { readonly kind: 'close' }
  /** Done, then the connection closes, so that the response is lost; if a promise is given, when that resolves. */
  | { readonly kind: 'close-after'; readonly until?: Promise<void> }
  /** Not handled before the promise resolves. */
  | { readonly kind: 'hold'; readonly until: Promise<void> }
  | { readonly kind: 'rate-limit'; readonly seconds: number; readonly scope: 'user' | 'shared' | 'global' };

interface Plan {
  readonly route: string;
  readonly fault: Fault;
  /** Part of the path of the requests. */
  readonly within: string;
  times: number;
}

/** Faults on demand. A route is `METHOD /path/{with}/names`, as in the route table, or `*`. */
export class Faults {
  readonly #plans: Plan[] = [];

  /**
   * The next `times` requests of `route` get `fault`, in the order of the plans. `within`: only requests whose path
   * contains it, such as a channel's id.
   */
  next(route: string, fault: Fault, times = 1, within = ''): void {
    this.#plans.push({ route, fault, times, within });
  }

  /** Holds the next `times` requests of `route` until what is returned is called. */
  hold(route: string, times = 1): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.next(route, { kind: 'hold', until: promise }, times);
    return resolve;
  }

  /** How many requests of a route will still get a fault. */
  left(route: string): number {
    return this.#plans.reduce((sum, plan) => sum + (plan.route === route ? plan.times : 0), 0);
  }

  /** Takes the fault that is planned for a request, if any. */
  take(route: string, path = ''): Fault | undefined {
    const plan = this.#plans.find(
      (candidate) =>
        candidate.times > 0 &&
        (candidate.route === route || candidate.route === '*') &&
        path.includes(candidate.within),
    );
    if (!plan) return undefined;
    plan.times -= 1;
    return plan.fault;
  }
}
