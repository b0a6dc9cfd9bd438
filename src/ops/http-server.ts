import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import type { Hono } from 'hono';

export interface HttpServer {
  /** Where it can be reached, for instance `http://127.0.0.1:8787`. */
  readonly url: string;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** The port cannot be listened on; the message says why and what to do, for the operator. */
export class ListenError extends Error {
  override name = 'ListenError';
}

/**
 * The bot's one HTTP server: health, metrics, console, Slack's HTTP mode.
 * @throws {ListenError} where the port is taken or not allowed, or the host is not this machine's.
 */
export async function listen(app: Hono, port: number, host: string): Promise<HttpServer> {
  const server = serve({ fetch: app.fetch, port, hostname: host }) as Server;
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
