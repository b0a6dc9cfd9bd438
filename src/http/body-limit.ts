import type { IncomingMessage } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import { BodyMemory, type Reader } from './body-memory.ts';

/** Shared by the whole process: 64 MiB, enough for many ordinary requests or a few of the largest. */
const room = new BodyMemory(64 * 1024 ** 2);

/**
 * Refuses (413) requests whose body is larger than `maxBytes`: at once if `Content-Length` says so, else as
 * soon as the limit is passed. All bodies together are limited too (503). The server closes the connection of a
 * request that is refused early.
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

/** Reads from Node's request directly when there is one: web streams over it are slow. */
function readerOf({ env, req }: Context): Reader | undefined {
  const { incoming } = (env ?? {}) as { readonly incoming?: IncomingMessage };
  if (!incoming) return req.raw.body?.getReader();
  if (req.method === 'GET' || req.method === 'HEAD') return undefined;
  const chunks = incoming[Symbol.asyncIterator]();
  return { read: () => chunks.next() };
}
