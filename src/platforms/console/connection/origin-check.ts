import type { MiddlewareHandler } from 'hono';
import { isLocalRequest } from '../../../http/index.ts';
import type { WireError } from '../api/wire.ts';

/** Shown to an operator who opens the page under another host name. */
const onlyLoopback =
  'Without CONSOLE_TOKEN the console only opens on this machine: at localhost, 127.0.0.1 or [::1], with no proxy in between. Open it there, or set CONSOLE_TOKEN.\n';

/**
 * Refuses requests from other sites' pages (CSRF), except when a person follows a link to the page. Without a
 * token it also refuses everything but direct requests to loopback names, against DNS rebinding and requests
 * forwarded by a proxy on this machine.
 */
export function originCheck(hasNoToken: boolean): MiddlewareHandler {
  return async (context, next) => {
    const host = context.req.header('host') ?? '';
    if (hasNoToken && !isLocalRequest(context)) return context.text(onlyLoopback, 403);
    const fault: WireError = { error: 'forbidden' };
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
