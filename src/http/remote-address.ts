import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

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
