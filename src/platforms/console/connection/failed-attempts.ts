import type { Clock } from '../../../lib/clock.ts';

/** Wrong tokens of one address that are answered as such within a minute. */
const perMinute = 10;
const minute = 60_000;
/** Addresses that are remembered; beyond them the one that failed longest ago is forgotten. */
const remembered = 1_000;

/** How many wrong tokens an address gave in the last minute: few, one more than that, or yet more. */
export type Failures = 'few' | 'first-too-many' | 'too-many';

/** Counts wrong tokens by the address they came from. */
export class FailedAttempts {
  readonly #clock: Clock;
  readonly #times = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes one more from an address. */
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

/** IPv6 is given out in networks of 64 bits, so whoever has one address has them all. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length;
  return [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail?.split(':') ?? [])]
    .slice(0, 4)
    .join(':');
}
