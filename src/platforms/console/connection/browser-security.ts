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

const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Content security policy of a file opened by itself: it can be shown, and run nothing. */
export const filePolicy = "default-src 'none'; img-src 'self'; media-src 'self'; sandbox";

/** Security headers of every response; a header that is already set is kept. */
export const securityHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  const { headers } = context.res;
  const set = (name: string, value: string) => headers.has(name) || headers.set(name, value);
  set('content-security-policy', pagePolicy);
  set('x-content-type-options', 'nosniff');
  // Other sites get no referrer; the log-in form needs its origin.
  set('referrer-policy', 'same-origin');
  set('x-frame-options', 'DENY');
  set('cross-origin-resource-policy', 'same-origin');
  set('cross-origin-opener-policy', 'same-origin');
  set('permissions-policy', 'camera=(), microphone=(), geolocation=(), interest-cohort=()');
  // Links written by a model must not even cause DNS prefetches.
  set('x-dns-prefetch-control', 'off');
  set('cache-control', 'no-store');
};
