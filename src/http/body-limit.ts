import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';

/**
 * Refuses (413) a request with a larger body, in bytes: at once where its length is told, else as soon as more
 * has come. Never more than the limit is held; the server ends the connection of a request refused early.
 */
export function limitBody(
  maxBytes: number,
  refuse: (context: Context) => Response = (context) => context.body(null, 413),
): MiddlewareHandler {
  return bodyLimit({ maxSize: maxBytes, onError: refuse });
}
