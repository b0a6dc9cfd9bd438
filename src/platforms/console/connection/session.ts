import { createHmac, randomBytes } from 'node:crypto';
import type Keyv from 'keyv';
import { sameSecret } from '../../../http/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { FailedAttempts } from './failed-attempts.ts';

const day = 86_400_000;
/** A session expires this long after its page was last opened, in milliseconds. */
export const sessionLifetime = 30 * day;
/** A cookie older than this is renewed when the page is opened. */
const renewAfter = day;

/** The cookie that names a browser's session. */
export const sessionCookie = 'troupe_console';

/** The result of a log-in. */
export type LogIn = { readonly cookie: string } | { readonly fault: 'wrong-token' | 'too-many-attempts' };

/** A logged-in browser. */
export interface Session {
  readonly id: string;
  /** Whether its cookie should be renewed. */
  readonly isStale: boolean;
}

export interface SessionsDependencies {
  /** The token to log in with; undefined if the console needs none. */
  readonly token: string | undefined;
  /** Stores the signing secret and ended sessions. */
  readonly memory: Keyv;
  readonly clock: Clock;
  /** Called when an address sends too many wrong tokens. */
  readonly onTooMany: (address: string) => void;
}

/**
 * The console's sessions. A session is a random id and a time, signed with the token and a secret in the
 * database: it survives a restart, and changing the token ends all sessions. A session ended by logging out is
 * stored until its cookie expires.
 */
export class Sessions {
  readonly #dependencies: SessionsDependencies;
  readonly #secret: string;
  readonly #failed: FailedAttempts;

  private constructor(dependencies: SessionsDependencies, secret: string) {
    this.#dependencies = dependencies;
    this.#secret = secret;
    this.#failed = new FailedAttempts(dependencies.clock);
  }

  static async create(dependencies: SessionsDependencies): Promise<Sessions> {
    const known = await dependencies.memory.get<string>('secret');
    const secret = known ?? randomBytes(32).toString('base64url');
    if (known === undefined) await dependencies.memory.set('secret', secret);
    return new Sessions(dependencies, secret);
  }

  /** Whether the console needs a token. */
  get needsToken(): boolean {
    return this.#dependencies.token !== undefined;
  }

  /** Checks a token and opens a session. The right token always works, even after too many wrong ones. */
  logIn(given: string, address: string): LogIn {
    const { token, onTooMany } = this.#dependencies;
    if (token === undefined || sameSecret(given, token)) return { cookie: this.open() };
    const failures = this.#failed.note(address);
    if (failures === 'first-too-many') onTooMany(address);
    return { fault: failures === 'few' ? 'wrong-token' : 'too-many-attempts' };
  }

  /** Creates a cookie value for a new session, or renews one. */
  open(id = randomBytes(16).toString('base64url')): string {
    const named = `${id}.${this.#dependencies.clock.now().toString(36)}`;
    return `${named}.${this.#sign(named)}`;
  }

  /** The session of a cookie value; undefined if it is invalid, expired or ended. */
  async read(cookie: string | undefined): Promise<Session | undefined> {
    const [id, issued, signature] = cookie?.split('.') ?? [];
    if (!id || !issued || !signature || !sameSecret(signature, this.#sign(`${id}.${issued}`)))
      return undefined;
    const age = this.#dependencies.clock.now() - Number.parseInt(issued, 36);
    if (age > sessionLifetime || (await this.#dependencies.memory.has(endedKey(id)))) return undefined;
    return { id, isStale: age > renewAfter };
  }

  /** Ends a session: its cookies are no longer accepted. */
  async end(id: string): Promise<void> {
    await this.#dependencies.memory.set(endedKey(id), true, sessionLifetime);
  }

  #sign(text: string): string {
    return createHmac('sha256', `console session ${this.#secret} ${this.#dependencies.token ?? ''}`)
      .update(text)
      .digest('base64url');
  }
}

function endedKey(id: string): string {
  return `left ${id}`;
}
