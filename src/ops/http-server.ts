import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import type { Log } from './log.ts';

export interface HttpServer {
  /** Its address, for instance `http://127.0.0.1:8787`. */
  readonly url: string;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** Bytes of a refused body that are still read: they were on their way already. */
const unreadBytes = 64 * 1024;
/** How long a refused connection stays open for the client to read the response, in milliseconds. */
const lingerTime = 1_000;

/** The server can't listen; the message tells the operator why and what to do. */
export class ListenError extends Error {
  override name = 'ListenError';
}

/** The app that routes are mounted on. An error in a route is logged and answered with a bare 500. */
export function createApp(log: Pick<Log, 'error'>): Hono {
  return new Hono().onError((error, context) => {
    // A client that disconnects in the middle of its body is not an error here.
    if (!isAborted(error)) log.error({ error }, 'an HTTP request failed');
    return context.body(null, 500);
  });
}

/** Node's error for a connection that closes before the whole request arrived. */
function isAborted(error: Error): boolean {
  return error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET';
}

/**
 * The bot's one HTTP server: health, metrics, console, Slack's HTTP mode.
 * @throws {ListenError} if the port is taken or not allowed, or the host is not this machine's.
 */
export async function listen(app: Hono, port: number, host: string): Promise<HttpServer> {
  const server = serve({
    fetch: app.fetch,
    port,
    hostname: host,
    // It would read tens of megabytes of a refused body; `endUnread` doesn't.
    autoCleanupIncoming: false,
  }) as Server;
  server.prependListener('request', closeUnread);
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(error, port, host)));
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Closes the connection of a request that was answered before its whole body arrived, instead of reading the
 * rest. The client gets a moment to read the response first: closing at once with unread data would discard it
 * (RFC 9112, section 9.6).
 */
function closeUnread(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = incoming.headers;
  if (coding === undefined && length === '0') return;
  // Node would read an untouched body to its end and discard it.
  incoming.read(0);
  outgoing.once('finish', () => {
    if (incoming.complete) return;
    const { socket } = incoming;
    let left = unreadBytes;
    const end = () => {
      incoming.pause();
      socket.end();
      setTimeout(() => socket.destroy(), lingerTime).unref();
    };
    const late = setTimeout(end, lingerTime).unref();
    incoming.once('close', () => clearTimeout(late));
    incoming.on('data', (chunk: Buffer) => {
      left -= chunk.byteLength;
      if (left < 0) end();
    });
    incoming.resume();
  });
}

function toListenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        `PORT: ${port} is in use by another process; stop that process or choose another port`,
      );
    case 'EACCES':
      return new ListenError(`PORT: this user isn’t allowed to listen on ${port}; choose a port above 1023`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ListenError(`HOST: ${host} isn’t an address of this machine; use 0.0.0.0 for all of them`);
    default:
      return error;
  }
}
