import type { AddressFault } from '../errors/local-errors.ts';
import { isPublicHost } from '../http/public-address.ts';

/**
 * Where a result's address leads: to the service itself, elsewhere on its host, to a host in one's own network that
 * the operator named, to a public one, or nowhere this client goes.
 */
export type ResultPlace =
  | { readonly url: URL; readonly reach: 'service' | 'beside' | 'named' | 'public' }
  | { readonly fault: AddressFault };

/** What addresses of results are looked at with. */
export interface ResultRules {
  /** The service's address. */
  readonly base: URL;
  /** `HOST` or `HOST:PORT` of further hosts, be they private and be it plain http. */
  readonly hosts: readonly string[];
}

/**
 * Looks at the address of a result, or of a redirect on the way to one. Allowed are every port of the service's own
 * host, plain http only where the service's address is that too, the named hosts, and https addresses of public hosts; the names of those are checked again when they
 * are looked up.
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

/** Without a port a name stands for all of them. */
function names(host: string, { hostname, port, protocol }: URL): boolean {
  const own = port || (protocol === 'https:' ? '443' : '80');
  return [hostname, `${hostname}:${own}`].includes(host.toLowerCase());
}
