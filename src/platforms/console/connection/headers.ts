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

/** For a file that is opened by itself: it may show, and do nothing. */
export const filePolicy = "default-src 'none'; img-src 'self'; media-src 'self'; sandbox";

/** Headers of everything the console serves; a response that has set one of them keeps it. */
export const securityHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  const { headers } = context.res;
  const set = (name: string, value: string) => headers.has(name) || headers.set(name, value);
  set('content-security-policy', pagePolicy);
  set('x-content-type-options', 'nosniff');
  // Elsewhere nothing is told; here the log-in form needs its own origin to be known.
  set('referrer-policy', 'same-origin');
  set('x-frame-options', 'DENY');
  set('cross-origin-resource-policy', 'same-origin');
  set('cross-origin-opener-policy', 'same-origin');
  set('permissions-policy', 'camera=(), microphone=(), geolocation=(), interest-cohort=()');
  // A browser looks names up in advance for links it shows; a model's links must not cause even that.
  set('x-dns-prefetch-control', 'off');
  set('cache-control', 'no-store');
};
