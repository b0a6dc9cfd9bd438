import type { AddressFault } from '../errors/local-errors.ts';
import { isPublicHost } from '../http/public-address.ts';

/** Where a result's address leads: to the service itself (`own`), to another host, or nowhere this client goes. */
export type ResultPlace = { url: URL; own: boolean } | { fault: AddressFault };

/**
 * Looks at the address of a result, or of a redirect on the way to one. Allowed are the service's own origin, be it
 * plain http, and https addresses of public hosts; the names of those are checked again when they are looked up.
 */
export function placeOf(address: string, from: URL, base: URL): ResultPlace {
  const url = URL.parse(address, from.href);
  if (!url?.hostname) return { fault: 'unreadable' };
  if (url.username || url.password) return { fault: 'credentials' };
  if (url.origin === base.origin) return { url, own: true };
  if (url.protocol !== 'https:') return { fault: 'not-https' };
  return isPublicHost(url.hostname) ? { url, own: false } : { fault: 'private' };
}
