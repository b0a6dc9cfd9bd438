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
 * Whether a request was made for this machine by its own name, and not handed on. A proxy that hides both cannot
 * be told from a person at the machine, which is why everything public needs a token as well.
 */
export function isFromHere(headers: Headers): boolean {
  return isLoopbackHost(headers.get('host') ?? undefined) && !isForwarded(headers);
}

/** Whether a socket's other end is on this machine. */
export function isLoopbackAddress(address: string | undefined): boolean {
  const plain = address?.replace(/^::ffff:/, '') ?? '';
  return plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}
