import type { IncomingMessage } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import { BodyRoom, type Reader } from './body-room.ts';

/** Of the whole process: many usual requests, or some of the largest. */
const room = new BodyRoom(64 * 1024 ** 2);

/**
 * Refuses (413) a request with a larger body, in bytes: at once where its length is told, else as soon as more
 * has come. Never more than the limit is held, nor by all requests together more than there is room for (503); the
 * server ends the connection of a request refused early.
 */
export function limitBody(
  maxBytes: number,
  refuse: (context: Context) => Response = (context) => context.body(null, 413),
  bodies = room,
): MiddlewareHandler {
  return async (context, next) => {
    const { url, method, headers } = context.req.raw;
    const reader = readerOf(context);
    if (!reader) return next();
    const told = headers.has('transfer-encoding') ? 0 : Number(headers.get('content-length') ?? 0);
    if (told > maxBytes) return refuse(context);
    const read = await bodies.read(reader, maxBytes);
    if (read === 'too-large') return refuse(context);
    if (read === 'no-room') return context.body(null, 503);
    const { signal } = context.req.raw;
    context.req.raw = new Request(url, { method, headers, body: read, signal });
    return next();
  };
}

/** Straight from Node's server where that is what serves: web streams over its requests cost more than all the rest. */
function readerOf({ env, req }: Context): Reader | undefined {
  const { incoming } = (env ?? {}) as { readonly incoming?: IncomingMessage };
  if (!incoming) return req.raw.body?.getReader();
  if (req.method === 'GET' || req.method === 'HEAD') return undefined;
  const chunks = incoming[Symbol.asyncIterator]();
  return { read: () => chunks.next() };
}
