import type { AddressFault } from '../errors/local-errors.ts';
import { isPublicHost } from '../http/public-address.ts';

/**
 * Where a result's URL leads: to the service itself, elsewhere on its host, to a host the operator allowed, to a
 * public one, or nowhere allowed.
 */
export type ResultPlace =
  | { readonly url: URL; readonly reach: 'service' | 'beside' | 'named' | 'public' }
  | { readonly fault: AddressFault };

/** Settings for checking result URLs. */
export interface ResultRules {
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
  if (isWeb(url) && hosts.some((host) => names(host, url))) return { url, reach: 'named' };
  if (url.protocol !== 'https:') return { fault: 'not-https' };
  return isPublicHost(url.hostname) ? { url, reach: 'public' } : { fault: 'private' };
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

/** A host without a port allows all its ports. */
function names(host: string, { hostname, port, protocol }: URL): boolean {
  const own = port || (protocol === 'https:' ? '443' : '80');
  return [hostname, `${hostname}:${own}`].includes(host.toLowerCase());
}
