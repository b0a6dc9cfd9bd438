import type { MiddlewareHandler } from 'hono';
import { isFromHere } from '../../../http/index.ts';
import type { WireFault } from '../api/wire.ts';

/** For the operator who opens the page under another name. */
const onlyLoopback =
  'Without CONSOLE_TOKEN the console only opens on this machine: at localhost, 127.0.0.1 or [::1], with no proxy in between. Open it there, or set CONSOLE_TOKEN.\n';

/**
 * Keeps other sites' pages out. Without a token the console is open to whoever reaches it, so it answers only
 * to loopback's own names, and to nobody for whom something in between asks: a foreign name that was made to
 * point here (DNS rebinding) and what a proxy on this machine hands on are refused. With or without: what another
 * site's page sends is refused, as is anything it tries to read, except that a person follows a link to the page.
 */
export function guard(openToAll: boolean): MiddlewareHandler {
  return async (context, next) => {
    const host = context.req.header('host') ?? '';
    if (openToAll && !isFromHere(context)) return context.text(onlyLoopback, 403);
    const fault: WireFault = { error: 'forbidden' };
    if (isForeign(context.req.method, (name) => context.req.header(name), host))
      return context.json(fault, 403);
    await next();
    return;
  };
}

function isForeign(method: string, header: (name: string) => string | undefined, host: string): boolean {
  const reading = method === 'GET' || method === 'HEAD';
  const site = header('sec-fetch-site');
  const ours = site === undefined || site === 'same-origin' || site === 'none';
  const followedLink =
    reading && header('sec-fetch-mode') === 'navigate' && header('sec-fetch-dest') === 'document';
  if (!ours && !followedLink) return true;
  const origin = header('origin');
  return origin !== undefined && hostOf(origin) !== host;
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
