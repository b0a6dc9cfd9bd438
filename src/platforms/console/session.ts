import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../clock.ts';

/** Wrong tokens that are looked at in a minute, from everybody together. */
const attemptsPerMinute = 10;
const minute = 60_000;

/** The cookie that names a browser's session. */
export const sessionCookie = 'troupe_console';

/** What a log-in came to. */
export type LogIn = { readonly cookie: string } | { readonly fault: 'wrong-token' | 'too-many-attempts' };

/**
 * Who may use the console. A session is a random name, signed with the token where there is one: it outlives a
 * restart, and ends for everybody when the token is changed.
 */
export class Sessions {
  readonly #token: string | undefined;
  readonly #clock: Clock;
  #failures: number[] = [];

  constructor(token: string | undefined, clock: Clock) {
    this.#token = token;
    this.#clock = clock;
  }

  /** Whether a token has to be given before anything is shown. */
  get needsToken(): boolean {
    return this.#token !== undefined;
  }

  /** Checks a token and opens a session. The comparison takes as long whatever is wrong. */
  logIn(given: string): LogIn {
    const now = this.#clock.now();
    this.#failures = this.#failures.filter((at) => at > now - minute);
    if (this.#failures.length >= attemptsPerMinute) return { fault: 'too-many-attempts' };
    if (this.#token !== undefined && !sameText(given, this.#token)) {
      this.#failures.push(now);
      return { fault: 'wrong-token' };
    }
    return { cookie: this.open() };
  }

  /** A new session's cookie value. */
  open(): string {
    const id = randomBytes(16).toString('base64url');
    return `${id}.${this.#sign(id)}`;
  }

  /** The session that a cookie's value names; undefined where it was not opened here. */
  read(cookie: string | undefined): string | undefined {
    const [id, signature] = cookie?.split('.') ?? [];
    if (!id || !signature || !sameText(signature, this.#sign(id))) return undefined;
    return id;
  }

  #sign(id: string): string {
    return createHmac('sha256', `console session ${this.#token ?? ''}`)
      .update(id)
      .digest('base64url');
  }
}

/** Compares by digest, so that neither length nor content shows in the time it takes. */
function sameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
