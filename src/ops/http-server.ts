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

/** The bot's one HTTP server: health, metrics, console, Slack's HTTP mode. */
export async function listen(app: Hono, port: number, host: string): Promise<HttpServer> {
  const server = serve({ fetch: app.fetch, port, hostname: host }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
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
