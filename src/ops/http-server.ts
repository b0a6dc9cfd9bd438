import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import type { Log } from './log.ts';

export interface HttpServer {
  /** Where it can be reached, for instance `http://127.0.0.1:8787`. */
  readonly url: string;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** So much of a body that nobody reads is let pass, in bytes: what was on its way already. */
const unreadBytes = 64 * 1024;
/** A connection that was refused more is open so long for the other side to read the answer, in milliseconds. */
const lingering = 1_000;

/** The port cannot be listened on; the message says why and what to do, for the operator. */
export class ListenError extends Error {
  override name = 'ListenError';
}

/** What routes are mounted on; what a route throws is a line of the log, and to whoever asked a bare 500. */
export function createApp(log: Pick<Log, 'error'>): Hono {
  return new Hono().onError((error, context) => {
    // A sender that goes away in the middle of its body is no fault of the bot's, and there is nobody to answer.
    if (!isAborted(error)) log.error({ error }, 'an HTTP request failed');
    return context.body(null, 500);
  });
}

/** What Node makes of a connection that closes before the whole request has come. */
function isAborted(error: Error): boolean {
  return error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET';
}

/**
 * The bot's one HTTP server: health, metrics, console, Slack's HTTP mode.
 * @throws {ListenError} where the port is taken or not allowed, or the host is not this machine's.
 */
export async function listen(app: Hono, port: number, host: string): Promise<HttpServer> {
  const server = serve({
    fetch: app.fetch,
    port,
    hostname: host,
    // It would read tens of megabytes of what was refused; `endUnread` does not.
    autoCleanupIncoming: false,
  }) as Server;
  server.prependListener('request', endUnread);
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, port, host)));
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
 * Ends the connection of a request that was answered before all of its body had come, instead of reading the rest.
 * The other side is told first, and given a moment to read its answer: closing at once with something unread
 * would take the answer with it (RFC 9112, section 9.6).
 */
function endUnread(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = incoming.headers;
  if (coding === undefined && length === '0') return;
  // What nobody has begun to read Node would read to its end and throw away.
  incoming.read(0);
  outgoing.once('finish', () => {
    if (incoming.complete) return;
    const { socket } = incoming;
    let left = unreadBytes;
    const end = () => {
      incoming.pause();
      socket.end();
      setTimeout(() => socket.destroy(), lingering).unref();
    };
    const late = setTimeout(end, lingering).unref();
    incoming.once('close', () => clearTimeout(late));
    incoming.on('data', (chunk: Buffer) => {
      left -= chunk.byteLength;
      if (left < 0) end();
    });
    incoming.resume();
  });
}

function explained(error: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        `PORT: ${port} is taken by another process; stop that one or choose another port`,
      );
    case 'EACCES':
      return new ListenError(`PORT: ${port} may not be used by this user; choose one above 1023`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ListenError(`HOST: ${host} is no address of this machine; 0.0.0.0 means all of them`);
    default:
      return error;
  }
}
