import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { isLocalRequest, sameSecret } from '../http/index.ts';
import { inTime, systemClock } from '../lib/clock.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

export interface HttpServer {
  /** Its address, for instance `http://127.0.0.1:8787`. */
  readonly url: string;
  /**
   * Sends clients elsewhere: after so many milliseconds, in which a load balancer can notice, no new connection is taken.
   * Requests are answered as ever, each the last of its connection. Resolves once all are answered that came until then;
   * streams go on.
   */
  leave(milliseconds: number): Promise<void>;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** Bytes of a refused body that are still read: they were on their way already. */
const unreadBytes = 64 * 1024;
/** How long a refused connection stays open for the client to read the response, in milliseconds. */
const lingerTime = 1_000;

/**
 * An idle connection stays open for so long, in milliseconds: longer than load balancers keep theirs, usually 60 s. One that's
 * closed first could cut off a request on its way, which nobody dares to repeat.
 */
const keepAliveTimeout = 65_000;

/** A request on a connection that was just taken is there within so long, in milliseconds. */
const arrivalTime = 250;
/** The last requests are answered within so long, in milliseconds: no platform waits longer. */
const lastAnswers = 3_000;

/** Turns of the event loop that the port stays open for connections that wait there: as many as the system lets wait. */
const mostTurns = 511;

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
    // Otherwise everything else in the process would get the adapter's own Request and Response.
    overrideGlobalObjects: false,
    // It would read tens of megabytes of a refused body; `endUnread` doesn't.
    autoCleanupIncoming: false,
    serverOptions: { keepAliveTimeout },
  }) as Server;
  server.prependListener('request', closeUnread);
  const allAnswered = unanswered(server);
  let isLeaving = false;
  server.prependListener('request', (_, outgoing) => {
    if (isLeaving) outgoing.shouldKeepAlive = false;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(error, port, host)));
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    async leave(milliseconds) {
      isLeaving = true;
      await wait(milliseconds);
      await nothingWaits(server);
      server.close();
      if (await isConnected(server)) await wait(arrivalTime);
      await allAnswered(lastAnswers);
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Resolves when no connection waits to be taken: closing the port would cut those off, which nobody dares to repeat, while
 * one that's refused is safe to try elsewhere. Node takes one in each turn of its loop.
 */
async function nothingWaits(server: Server): Promise<void> {
  let taken = true;
  const onConnection = () => {
    taken = true;
  };
  server.on('connection', onConnection);
  for (let turns = 0; taken && turns < mostTurns; turns++) {
    taken = false;
    await nextTurn();
  }
  server.off('connection', onConnection);
}

/** Whether a client is connected: its request may be on its way. */
function isConnected(server: Server): Promise<boolean> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error !== null || count > 0));
  });
}

/**
 * Watches which requests wait for their answers. What it returns resolves when every answer is sent, or has begun as those
 * that never end, or after so many milliseconds.
 */
function unanswered(server: Server): (longest: number) => Promise<void> {
  const answers = new Set<ServerResponse>();
  let changed = () => {};
  server.prependListener('request', (_, outgoing: ServerResponse) => {
    answers.add(outgoing);
    outgoing.once('close', () => {
      answers.delete(outgoing);
      changed();
    });
  });
  return async (longest) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    changed = () => {
      if ([...answers].every(({ headersSent }) => headersSent)) resolve();
    };
    changed();
    await inTime(systemClock, longest, promise, undefined);
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

function toListenError(error: NodeJS.ErrnoException, port: number, host: string): ListenError {
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
      return new ListenError(
        `HOST: the bot can’t listen at ${host} (${error.code}); use an address of this machine`,
      );
  }
}

/** A readiness check: resolves to the reason the bot is not ready, or undefined. */
export type ReadinessCheck = () => Promise<string | undefined>;

/** Who may see metrics and the reasons of `/readyz`. */
export interface DetailAccess {
  /** The bearer token, `METRICS_TOKEN`. */
  readonly token?: string | undefined;
  /** Whether a proxy on this machine may forward requests from elsewhere, so loopback proves nothing. */
  readonly isPublic: boolean;
}

/**
 * `/healthz` while the process lives, `/readyz` when everything is connected, `/metrics` for Prometheus.
 * Metrics and reasons need the token, or a request from this machine if the server isn't public; everyone else
 * gets the bare status.
 */
export function healthRoutes(
  checks: Readonly<Record<string, ReadinessCheck>>,
  metrics: Pick<Metrics, 'exposition'>,
  { token, isPublic }: DetailAccess,
): Hono {
  const mayLook = (context: Context) => hasToken(context, token) || (!isPublic && isLocalRequest(context));
  return new Hono()
    .get('/healthz', (context) => context.text('ok\n'))
    .get('/readyz', async (context) => {
      const reasons = await notReady(checks);
      if (reasons.length === 0) return context.text('ready\n');
      return context.text(`${mayLook(context) ? reasons.join('\n') : 'not ready'}\n`, 503);
    })
    .get('/metrics', async (context) => {
      if (!mayLook(context)) {
        return context.text('METRICS_TOKEN is needed here\n', 401, { 'www-authenticate': 'Bearer' });
      }
      const { text, contentType } = await metrics.exposition();
      return context.body(text, 200, { 'content-type': contentType });
    });
}

function hasToken(context: Context, token: string | undefined): boolean {
  const given = /^bearer +(.*)$/i.exec(context.req.header('authorization') ?? '')?.[1];
  return token !== undefined && given !== undefined && sameSecret(given, token);
}

async function notReady(checks: Readonly<Record<string, ReadinessCheck>>): Promise<string[]> {
  const reasons = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const reason = await check().catch((error: unknown) =>
        error instanceof Error ? error.message : 'fault',
      );
      return reason === undefined ? undefined : `${name}: ${reason}`;
    }),
  );
  return reasons.filter((reason) => reason !== undefined);
}
