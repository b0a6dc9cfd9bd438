import type { MiddlewareHandler } from 'hono';

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
