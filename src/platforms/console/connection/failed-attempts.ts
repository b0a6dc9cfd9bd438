import type { Clock } from '../../../lib/clock.ts';

/** Wrong tokens an address may send per minute before it has to wait. */
const perMinute = 10;
const minute = 60_000;
/** Addresses remembered; the one that failed longest ago is forgotten first. */
const remembered = 1_000;

/** Wrong tokens from an address in the last minute: within the limit, the first beyond it, or more. */
export type Failures = 'few' | 'first-too-many' | 'too-many';

/** Counts wrong tokens by address. */
export class FailedAttempts {
  readonly #clock: Clock;
  readonly #times = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one more wrong token from an address. */
  note(address: string): Failures {
    const now = this.#clock.steady();
    const network = networkOf(address);
    const recent = (this.#times.get(network) ?? []).filter((at) => at > now - minute);
    const before = recent.length;
    if (before <= perMinute) recent.push(now);
    this.#times.delete(network);
    this.#times.set(network, recent);
    for (const oldest of this.#times.keys()) {
      if (this.#times.size <= remembered) break;
      this.#times.delete(oldest);
    }
    if (before < perMinute) return 'few';
    return before === perMinute ? 'first-too-many' : 'too-many';
  }
}

/** The /64 network of an IPv6 address, since a client usually owns all of it; an IPv4 address as it is. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length;
  return [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail?.split(':') ?? [])]
    .slice(0, 4)
    .join(':');
}
