import { createHmac, randomBytes } from 'node:crypto';
import type Keyv from 'keyv';
import { sameText } from '../../../http/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { FailedAttempts } from './failed-attempts.ts';

const day = 86_400_000;
/** A session ends when its page was not opened for so long, in milliseconds. */
export const sessionLifetime = 30 * day;
/** A cookie older than this is given anew when the page is opened. */
const renewAfter = day;

/** The cookie that names a browser's session. */
export const sessionCookie = 'troupe_console';

/** What a log-in came to. */
export type LogIn = { readonly cookie: string } | { readonly fault: 'wrong-token' | 'too-many-attempts' };

/** A browser that was let in. */
export interface Session {
  readonly id: string;
  /** Whether its cookie should be given anew. */
  readonly isStale: boolean;
}

export interface SessionsDependencies {
  /** What a person has to give; nothing where the console is open to whoever reaches it. */
  readonly token: string | undefined;
  /** Keeps the signing secret and the sessions that were left. */
  readonly memory: Keyv;
  readonly clock: Clock;
  /** Told of an address that gave too many wrong tokens, once in a while. */
  readonly onTooMany: (address: string) => void;
}

/**
 * Who may use the console. A session is a random name and a time, signed with the token and a secret of this
 * database: it outlives a restart, and ends for everybody when the token is changed. One that was left is on
 * record until its cookie would have expired.
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

  /** Whether a token has to be given before anything is shown. */
  get needsToken(): boolean {
    return this.#dependencies.token !== undefined;
  }

  /** Checks a token and opens a session. Whoever has the right one gets in, however many wrong ones came before. */
  logIn(given: string, address: string): LogIn {
    const { token, onTooMany } = this.#dependencies;
    if (token === undefined || sameText(given, token)) return { cookie: this.open() };
    const failures = this.#failed.note(address);
    if (failures === 'first-too-many') onTooMany(address);
    return { fault: failures === 'few' ? 'wrong-token' : 'too-many-attempts' };
  }

  /** A cookie value, of a new session or of one that goes on. */
  open(id = randomBytes(16).toString('base64url')): string {
    const named = `${id}.${this.#dependencies.clock.now().toString(36)}`;
    return `${named}.${this.#sign(named)}`;
  }

  /** The session that a cookie's value names; undefined where it was not opened here, has expired or was left. */
  async read(cookie: string | undefined): Promise<Session | undefined> {
    const [id, issued, signature] = cookie?.split('.') ?? [];
    if (!id || !issued || !signature || !sameText(signature, this.#sign(`${id}.${issued}`))) return undefined;
    const age = this.#dependencies.clock.now() - Number.parseInt(issued, 36);
    if (age > sessionLifetime || (await this.#dependencies.memory.has(leftKey(id)))) return undefined;
    return { id, isStale: age > renewAfter };
  }

  /** Ends a session: none of its cookies opens anything any more. */
  async leave(id: string): Promise<void> {
    await this.#dependencies.memory.set(leftKey(id), true, sessionLifetime);
  }

  #sign(text: string): string {
    return createHmac('sha256', `console session ${this.#secret} ${this.#dependencies.token ?? ''}`)
      .update(text)
      .digest('base64url');
  }
}

function leftKey(id: string): string {
  return `left ${id}`;
}
