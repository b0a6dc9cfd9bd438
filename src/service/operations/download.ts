import type { Dispatcher } from 'undici';
import type { Context } from '../calls.ts';
import type { MediaResult } from '../decode/media.ts';
import {
  type AddressFault,
  AddressRefusedError,
  ConnectionError,
  ResultGoneError,
  type ServiceError,
} from '../errors.ts';
import { isPublicHost } from '../http/public-address.ts';
import { type Answer, type Deadline, exchange, requireSuccess } from '../http/transport.ts';
import { pause, pauseAfter, type WatchedCall, withRetries } from '../watched-call.ts';
import { type Download, resultFrom, resultFromMemory } from './result-stream.ts';

/** Options of a download. */
export interface DownloadOptions {
  signal?: AbortSignal | undefined;
  /** Maximum size in bytes; 1 GiB by default. A larger result is a `TooLargeError`. */
  maxBytes?: number | undefined;
}

/** Dependencies of {@link Downloads}, besides the context. */
interface DownloadDependencies extends Context {
  rules: ResultRules;
  /** For all but the service's own host and the additional ones; must not connect to private addresses. */
  resultDispatcher: Dispatcher;
}

type Reached = Exclude<ResultPlace, { fault: unknown }>;

const operation = 'download';
const mostRedirects = 5;
const defaultMaxBytes = 2 ** 30;

/** Downloads results from any allowed host. */
export class Downloads {
  readonly #dependencies: DownloadDependencies;

  constructor(dependencies: DownloadDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Starts a download. The key is sent only to the service's own origin, not to other ports of its host. Errors:
   * {@link ResultGoneError} (404, 410), {@link AddressRefusedError}, `TooLargeError`, and those of every call; errors
   * during reading are thrown by `stream`.
   */
  async fetch(result: MediaResult, options: DownloadOptions = {}): Promise<Download> {
    const maxBytes = options.maxBytes ?? defaultMaxBytes;
    if (result.kind === 'bytes') return resultFromMemory(result, maxBytes);
    const { calls, clock, random, limits } = this.#dependencies;
    const watched = calls.watch({ operation });
    const again = (error: ServiceError, attempt: number) => {
      watched.retried();
      const deadline = calls.deadline(options);
      return pause(clock, pauseAfter(error, attempt, random), { operation, deadline, sent: false });
    };
    return watched.run(async () => {
      const attempt = () => this.#attempt(result.url, maxBytes, options, watched);
      const download = await withRetries(attempt, { tries: limits.tries, paid: false, pause: again });
      watched.over();
      return download;
    });
  }

  async #attempt(
    address: string,
    maxBytes: number,
    options: DownloadOptions,
    watched: WatchedCall,
  ): Promise<Download> {
    const { calls, clock, timeouts } = this.#dependencies;
    const idle = timeouts.downloadIdle;
    const deadline = calls.deadline(options);
    deadline.start('total', timeouts.download);
    deadline.start('response', idle);
    let answer: Answer | undefined;
    try {
      answer = await this.#follow(address, deadline, watched);
      requireResult(answer);
      await requireSuccess(answer, clock.now());
      deadline.lift('response');
      return await resultFrom(answer, { maxBytes, idle });
    } catch (error) {
      answer?.body.destroy();
      deadline.dispose();
      throw error;
    }
  }

  async #follow(address: string, deadline: Deadline, watched: WatchedCall): Promise<Answer> {
    const { rules } = this.#dependencies;
    let target = address;
    let from = rules.base;
    for (let hop = 0; hop <= mostRedirects; hop++) {
      const place = placeOf(target, from, rules);
      if ('fault' in place) throw new AddressRefusedError(place.fault);
      const answer = await watched.send(() => this.#get(place, deadline));
      const location = answer.header('location');
      if (answer.status < 300 || answer.status > 399 || location === undefined) return answer;
      answer.body.destroy();
      target = location;
      from = place.url;
    }
    throw new AddressRefusedError('too-many-redirects');
  }

  async #get({ url, reach }: Reached, deadline: Deadline): Promise<Answer> {
    const { apiKey, dispatcher, resultDispatcher } = this.#dependencies;
    const headers: Record<string, string> = { accept: '*/*', 'user-agent': 'troupe' };
    if (reach === 'service') headers.authorization = `Bearer ${apiKey}`;
    const wire = { dispatcher: reach === 'public' ? resultDispatcher : dispatcher, deadline };
    try {
      return await exchange(wire, { operation, method: 'GET', url, headers });
    } catch (error) {
      const isPrivate = error instanceof ConnectionError && error.code === 'EPRIVATE';
      throw isPrivate ? new AddressRefusedError('private') : error;
    }
  }
}

function requireResult(answer: Answer): void {
  const { status, requestId } = answer;
  if (status !== 404 && status !== 410) return;
  const facts = { operation, status, requestId, outcome: 'rejected', retryable: false } as const;
  throw new ResultGoneError('the result is gone', facts);
}

/**
 * Where a result's URL leads: to the service itself, elsewhere on its host, to a host the operator allowed, to a
 * public one, or nowhere allowed.
 */
type ResultPlace =
  | { readonly url: URL; readonly reach: 'service' | 'beside' | 'named' | 'public' }
  | { readonly fault: AddressFault };

/** Settings for checking result URLs. */
interface ResultRules {
  /** The service's base URL. */
  readonly base: URL;
  /** `HOST` or `HOST:PORT` of additional hosts, which may be private and use plain http. */
  readonly hosts: readonly string[];
}

/**
 * Checks the URL of a result, or of a redirect on the way to it. Allowed are all ports of the service's host (plain
 * http only if the base URL is http), the listed hosts, and https URLs of public hosts, whose names are checked again
 * on lookup.
 */
export function placeOf(address: string, from: URL, { base, hosts }: ResultRules): ResultPlace {
  const url = URL.parse(address, from.href);
  if (!url?.hostname) return { fault: 'unreadable' };
  if (url.username || url.password) return { fault: 'credentials' };
  if (url.origin === base.origin) return { url, reach: 'service' };
  const asSecure = url.protocol === 'https:' || url.protocol === base.protocol;
  if (url.hostname === base.hostname && asSecure && isWeb(url)) return { url, reach: 'beside' };
  if (isAlias(url, base)) return { url, reach: 'beside' };
  if (isWeb(url) && hosts.some((host) => names(host, url))) return { url, reach: 'named' };
  if (url.protocol !== 'https:') return { fault: 'not-https' };
  return isPublicHost(url.hostname) ? { url, reach: 'public' } : { fault: 'private' };
}

/** This machine's names for itself. */
const ownNames = ['localhost', '127.0.0.1', '[::1]'];

/** A service on this machine may not call itself what its base URL does. */
function isAlias(url: URL, base: URL): boolean {
  const isHere = [url, base].every(({ hostname }) => ownNames.includes(hostname));
  return isHere && url.protocol === base.protocol && url.port === base.port;
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

/** A host without a port allows all its ports. */
function names(host: string, { hostname, port, protocol }: URL): boolean {
  const own = port || (protocol === 'https:' ? '443' : '80');
  return [hostname, `${hostname}:${own}`].includes(host.toLowerCase());
}
