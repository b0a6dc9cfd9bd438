import type { Clock } from '../../lib/clock.ts';

/** An answer is asked for again after so long, in milliseconds. */
const freshFor = 3_600_000;
/** Who couldn't be asked is asked again after so long, where an earlier answer is known; in milliseconds. */
const askAgainAfter = 60_000;

/** What somebody answers, asked for again when it's old. Where they can't be asked then, their latest answer holds. */
export class RefreshedValue<T> {
  readonly #question: () => Promise<T>;
  readonly #clock: Clock;
  #answer: Promise<T> | undefined;
  /** Until when the answer holds, by the steady clock. */
  #until = 0;
  #latest: { readonly answer: T } | undefined;

  constructor(question: () => Promise<T>, clock: Clock) {
    this.#question = question;
    this.#clock = clock;
  }

  /** The latest answer, as far as is known without asking. */
  get known(): T | undefined {
    return this.#latest?.answer;
  }

  /** The answer. @throws where they can't be asked and never answered before. */
  get(): Promise<T> {
    const now = this.#clock.steady();
    if (this.#answer && now < this.#until) return this.#answer;
    this.#until = now + freshFor;
    this.#answer = this.#ask();
    return this.#answer;
  }

  async #ask(): Promise<T> {
    try {
      const answer = await this.#question();
      this.#latest = { answer };
      return answer;
    } catch (error) {
      this.#until = this.#clock.steady() + (this.#latest ? askAgainAfter : 0);
      if (!this.#latest) throw error;
      return this.#latest.answer;
    }
  }
}
