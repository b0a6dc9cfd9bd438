import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Clock } from '../lib/clock.ts';

/** A `Host` header that is a loopback name: localhost, 127.0.0.0/8, [::1]. */
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Headers that proxies, tunnels and CDNs add (RFC 9110 `Via`, RFC 7239 `Forwarded`, and those of Apache, nginx,
 * Envoy, Cloudflare, Akamai, Fastly, Fly, Azure, AWS, Google and ngrok).
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

/** Whether a proxy's header says that the request was forwarded. */
export function isForwarded(headers: Headers): boolean {
  for (const name of headers.keys()) {
    if (forwardingNames.has(name) || forwardingPrefixes.some((prefix) => name.startsWith(prefix)))
      return true;
  }
  return false;
}

/**
 * Whether a request comes from this machine, under a loopback name, and was not forwarded. HTTP/1.0 counts as
 * forwarded: nginx before 1.29.7 speaks it to its upstream and adds no header; browsers and Prometheus don't. A
 * newer proxy that adds no header can't be detected, so everything reachable from elsewhere needs a token.
 */
export function isLocalRequest(context: Context): boolean {
  const { headers } = context.req.raw;
  return (
    isLoopbackAddress(remoteAddress(context)) &&
    httpVersion(context) !== '1.0' &&
    loopbackHost.test(headers.get('host') ?? '') &&
    !isForwarded(headers)
  );
}

/** Whether an address is loopback, IPv4 mapped to IPv6 included. */
function isLoopbackAddress(address: string | undefined): boolean {
  const plain = address?.replace(/^::ffff:/, '') ?? '';
  return plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}

/** The address of a request's peer: the client or a proxy; undefined without a connection. */
export function remoteAddress(context: Context): string | undefined {
  const { incoming } = (context.env ?? {}) as Partial<HttpBindings>;
  return incoming?.socket.remoteAddress;
}

/** A request's HTTP version, such as `1.1`; undefined without a connection. */
export function httpVersion(context: Context): string | undefined {
  const { incoming } = (context.env ?? {}) as Partial<HttpBindings>;
  return incoming?.httpVersion;
}

/** Compares two secrets in constant time, by digest, so their length doesn't show either. */
export function sameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Limits a log line that strangers can cause, or that says the same again, to one a minute or other `spacing`, with a count. */
export class LogThrottle {
  readonly #clock: Clock;
  readonly #spacing: number;
  #saidAt: number | undefined;
  #times = 0;

  /** At least `spacing` milliseconds are between two lines. */
  constructor(clock: Clock, spacing = 60_000) {
    this.#clock = clock;
    this.#spacing = spacing;
  }

  /** Calls `write` with the number of events since the last line, or only counts this one. */
  note(write: (times: number) => void): void {
    const now = this.#clock.steady();
    this.#times += 1;
    if (this.#saidAt !== undefined && now - this.#saidAt < this.#spacing) return;
    const times = this.#times;
    this.#saidAt = now;
    this.#times = 0;
    write(times);
  }
}
