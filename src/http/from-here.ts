import type { Context } from 'hono';
import { httpVersion, remoteAddress } from './remote-address.ts';

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Headers by which proxies, tunnels and content networks tell whom they ask for (RFC 9110 `Via`, RFC 7239
 * `Forwarded`, and what Apache, nginx, Envoy, Cloudflare, Akamai, Fastly, Fly, Azure, AWS, Google and ngrok use).
 */
const forwardingNames = new Set([
  'forwarded',
  'via',
  'cdn-loop',
  'client-ip',
  'true-client-ip',
  'fastly-client-ip',
  'fly-client-ip',
]);
const forwardingPrefixes = [
  'x-forwarded',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-',
  'x-proxy',
  'x-proxied',
  'x-envoy-',
  'x-azure-',
  'x-arr-',
  'x-amz',
  'x-cloud-trace',
  'x-appengine-',
  'x-tailscale-',
  'tailscale-',
  'ngrok-',
  'cf-',
];

/** Whether a `Host` header names this machine as only this machine can: localhost, 127.0.0.0/8, [::1]. */
export function isLoopbackHost(host: string | undefined): boolean {
  return loopbackHost.test(host ?? '');
}

/** Whether something in between says that it hands on the request of somebody else. */
export function isForwarded(headers: Headers): boolean {
  for (const name of headers.keys()) {
    if (forwardingNames.has(name) || forwardingPrefixes.some((prefix) => name.startsWith(prefix)))
      return true;
  }
  return false;
}

/**
 * Whether a request was made on this machine, by one of its own names, and not handed on. HTTP/1.0 is what nginx
 * speaks to a server behind it unless told otherwise (before 1.29.7), without a header that says so; browsers and
 * Prometheus don't. A newer one that adds nothing can't be told from a person at the machine, which is why whatever
 * is configured to be reached from elsewhere needs a token.
 */
export function isFromHere(context: Context): boolean {
  const { headers } = context.req.raw;
  return (
    isLoopbackAddress(remoteAddress(context)) &&
    httpVersion(context) !== '1.0' &&
    isLoopbackHost(headers.get('host') ?? undefined) &&
    !isForwarded(headers)
  );
}

/** Whether a socket's other end is on this machine. */
export function isLoopbackAddress(address: string | undefined): boolean {
  const plain = address?.replace(/^::ffff:/, '') ?? '';
  return plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}
