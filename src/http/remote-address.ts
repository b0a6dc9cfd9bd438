import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** The other end of a request's connection: the person's own, or the proxy's in between; undefined without one. */
export function remoteAddress(context: Context): string | undefined {
  const { incoming } = (context.env ?? {}) as Partial<HttpBindings>;
  return incoming?.socket.remoteAddress;
}

/** The version of HTTP that a request was made in, such as `1.1`; undefined without a connection. */
export function httpVersion(context: Context): string | undefined {
  const { incoming } = (context.env ?? {}) as Partial<HttpBindings>;
  return incoming?.httpVersion;
}
