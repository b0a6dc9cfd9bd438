import type { Clock } from './clock.ts';

/** For how long a value is used before it's fetched again, in milliseconds. */
const freshFor = 3_600_000;
/** After a failed fetch, for how long the latest value is used before the next try; in milliseconds. */
const retryAfter = 60_000;

/** A value that is fetched again once it's old. If that fails, the latest value is used. */
export class RefreshedValue<T> {
  readonly #fetch: () => Promise<T>;
  readonly #clock: Clock;
  #current: Promise<T> | undefined;
  /** Until when the current value is used, by the steady clock. */
  #until = 0;
  #latest: { readonly value: T } | undefined;

  constructor(fetch: () => Promise<T>, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** The latest value, if there is one; fetches nothing. */
  get known(): T | undefined {
    return this.#latest?.value;
  }

  /** The value. @throws if it can't be fetched and never could before. */
  get(): Promise<T> {
    const now = this.#clock.steady();
    if (this.#current && now < this.#until) return this.#current;
    this.#until = now + freshFor;
    this.#current = this.#refresh();
    return this.#current;
  }

  async #refresh(): Promise<T> {
    try {
      const value = await this.#fetch();
      this.#latest = { value };
      return value;
    } catch (error) {
      this.#until = this.#clock.steady() + (this.#latest ? retryAfter : 0);
      if (!this.#latest) throw error;
      return this.#latest.value;
    }
  }
}
