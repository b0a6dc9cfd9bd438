import { createHmac, randomBytes } from 'node:crypto';
import { sameSecret } from '../../../http/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, inTime } from '../../../lib/clock.ts';
import { isLocal } from '../../../lib/local-faults.ts';
import type { Records } from '../../../store/index.ts';

const day = 86_400_000;
/** A session expires this long after its page was last opened, in milliseconds. */
export const sessionLifetime = 30 * day;
/** A cookie older than this is renewed when the page is opened. */
const renewAfter = day;

/** How many sessions are remembered as open, and for how long, in milliseconds. */
const remembered = 1_000;
const openFor = 10 * 60_000;
/** How long the database is waited for about one of them, in milliseconds. */
const patience = 500;

/** Wrong tokens an address may send per minute before it has to wait. */
const perMinute = 10;
const minute = 60_000;
/** Addresses remembered; the one that failed longest ago is forgotten first. */
const mostAddresses = 1_000;

/** The cookie that names a browser's session. */
export const sessionCookie = 'troupe_console';

/** The result of a log-in. */
type LogIn =
  | { readonly cookie: string; readonly key: string }
  | { readonly fault: 'wrong-token' | 'too-many-attempts' };

/** A logged-in browser. */
export interface Session {
  readonly id: string;
  /** Whether its cookie should be renewed. */
  readonly isStale: boolean;
}

interface SessionsDependencies {
  /** The token to log in with; undefined if the console needs none. */
  readonly token: string | undefined;
  /** Stores the signing secret and ended sessions. */
  readonly memory: Records;
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
  /** When addresses sent wrong tokens in the last minute. */
  readonly #failed = new BoundedMap<string, readonly number[]>({ most: mostAddresses });
  /** Sessions that weren't ended when it was last looked. */
  readonly #open: BoundedMap<string, true>;

  private constructor(dependencies: SessionsDependencies, secret: string) {
    this.#dependencies = dependencies;
    this.#secret = secret;
    const { clock } = dependencies;
    this.#open = new BoundedMap({ most: remembered, lifetime: { milliseconds: openFor, clock } });
  }

  static async create(dependencies: SessionsDependencies): Promise<Sessions> {
    const { memory } = dependencies;
    const fresh = randomBytes(32).toString('base64url');
    // Of processes that start at once, one makes the secret of all.
    await memory.add('secret', fresh);
    return new Sessions(dependencies, (await memory.get<string>('secret')) ?? fresh);
  }

  /** Whether the console needs a token. */
  get needsToken(): boolean {
    return this.#dependencies.token !== undefined;
  }

  /** Checks a token and opens a session. The right token always works, even after too many wrong ones. */
  logIn(given: string, address: string): LogIn {
    const { token, clock, onTooMany } = this.#dependencies;
    if (token === undefined || sameSecret(given, token)) {
      const id = newSessionId();
      return { cookie: this.open(id), key: this.#sign(keyOf(id)) };
    }
    const network = networkOf(address);
    const now = clock.steady();
    const recent = (this.#failed.get(network) ?? []).filter((at) => at > now - minute);
    // Only the first one beyond the limit is told.
    if (recent.length === perMinute) onTooMany(address);
    this.#failed.set(network, recent.length > perMinute ? recent : [...recent, now]);
    return { fault: recent.length < perMinute ? 'wrong-token' : 'too-many-attempts' };
  }

  /** Creates a cookie value for a new session, or renews one. */
  open(id = newSessionId()): string {
    const named = `${id}.${this.#dependencies.clock.now().toString(36)}`;
    return `${named}.${this.#sign(named)}`;
  }

  /** The session of a cookie value; undefined if it is invalid, expired or ended. */
  async read(cookie: string | undefined): Promise<Session | undefined> {
    const [id, issued, signature] = cookie?.split('.') ?? [];
    if (!id || !issued || !signature || !sameSecret(signature, this.#sign(`${id}.${issued}`)))
      return undefined;
    const age = this.#dependencies.clock.now() - Number.parseInt(issued, 36);
    if (age > sessionLifetime || (await this.#isEnded(id))) return undefined;
    return { id, isStale: age > renewAfter };
  }

  /**
   * Whether a request of this session comes from a page that was logged in, by that page's key. Browsers send the cookie
   * to every port of the console's host, the key to nobody else. A console without a token has no keys: whoever reaches
   * it may open it.
   */
  isPageOf(session: string, key: string | undefined): boolean {
    return !this.needsToken || (key !== undefined && sameSecret(key, this.#sign(keyOf(session))));
  }

  /** Ends a session: its cookies are no longer accepted. */
  async end(id: string): Promise<void> {
    this.#open.delete(id);
    await this.#dependencies.memory.set(endedKey(id), true, sessionLifetime);
  }

  /** While the database is away, a session that was open a moment ago counts as open: its person has to be told. */
  async #isEnded(id: string): Promise<boolean> {
    const { memory, clock } = this.#dependencies;
    const looked = memory.has(endedKey(id)).then((isEnded) => {
      if (isEnded) this.#open.delete(id);
      else this.#open.set(id, true);
      return isEnded;
    });
    if (!this.#open.has(id)) return looked;
    return inTime(clock, patience, looked, false).catch((error: unknown) => {
      if (!isLocal(error)) throw error;
      return false;
    });
  }

  #sign(text: string): string {
    return createHmac('sha256', `console session ${this.#secret} ${this.#dependencies.token ?? ''}`)
      .update(text)
      .digest('base64url');
  }
}

function newSessionId(): string {
  return randomBytes(16).toString('base64url');
}

/** What's signed as the key of a session's pages; no cookie has a space. */
function keyOf(id: string): string {
  return `page of ${id}`;
}

function endedKey(id: string): string {
  return `left ${id}`;
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
