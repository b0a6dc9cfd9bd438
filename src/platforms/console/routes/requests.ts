import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import { isLocalRequest, limitBody, remoteAddress } from '../../../http/index.ts';
import { isTimeZone } from '../../../lib/clock.ts';
import { locales } from '../../../port/index.ts';
import type { WireError } from '../api/wire.ts';
import { type Session, sessionCookie, sessionLifetime, type Sessions } from '../connection/session.ts';
import { normalizeName } from '../store/channels.ts';

/** The largest request that is not an upload, in bytes; room for ten options of the longest text. */
export const maxJsonBytes = 2 * 1024 ** 2;

/** The longest text of a message or an option, in characters. */
const maxText = 200_000;

const locale = z.enum(locales);
const timeZone = z.string().max(64).refine(isTimeZone).optional().catch(undefined);
const eventId = z.string().regex(/^[\w-]{8,64}$/);
const value = z.union([
  z.string().max(maxText),
  z.number(),
  z.boolean(),
  z.strictObject({ file: z.string().max(64) }),
]);
const values = z.record(z.string().max(64), value);

const revision = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

const given = z.strictObject({
  eventId,
  place: z.string().max(64),
  options: values,
  replyTo: z.int().optional(),
  locale,
  timeZone,
});

/** Schemas of the page's requests. */
export const requests = {
  command: z.union([
    given.extend({ command: z.string().max(64) }),
    given.extend({ text: z.string().max(maxText) }),
  ]),
  press: z.strictObject({
    eventId,
    message: z.int(),
    action: z.string().max(200),
    values: values.optional(),
    locale,
    timeZone,
  }),
  channel: z.strictObject({ name: z.string().max(1_000).transform(normalizeName).pipe(z.string()) }),
  suggestions: z.object({ command: z.string(), option: z.string(), typed: z.string().max(1_000), locale }),
  state: z.object({ locale }),
  messages: z.object({ place: z.string(), before: z.coerce.number().int().optional() }),
  changes: z.object({ since: revision }),
  file: z.object({ name: z.string().min(1).max(255), type: z.string().max(200) }),
} as const;

/** Reads a request's JSON body. @throws {HTTPException} if it doesn't match. */
export async function bodyOf<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
): Promise<z.output<Schema>> {
  return matching(schema, await context.req.json().catch(() => undefined));
}

/** Reads a request's query. @throws {HTTPException} if it doesn't match. */
export function queryOf<Schema extends z.ZodType>(context: Context, schema: Schema): z.output<Schema> {
  return matching(schema, context.req.query());
}

/** What was given, as a schema reads it. @throws {HTTPException} if it doesn't match. */
export function matching<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const { success, data } = schema.safeParse(given);
  if (!success) throw new HTTPException(400);
  return data;
}

/** What the page is told of a request that failed, by the status. */
const errors: Readonly<Record<number, WireError['error']>> = {
  400: 'bad-request',
  401: 'log-in',
  403: 'forbidden',
  404: 'not-found',
  413: 'too-large',
};

/** The response to a request whose route threw: Hono's own exception has the status, anything else is a fault. */
export function errorResponse(error: Error, context: Context): Response {
  const status = error instanceof HTTPException ? error.status : 500;
  const body: WireError = { error: errors[status] ?? 'broken' };
  return context.json(body, status);
}

/** Refuses a body over its limit. */
export function tooLarge(): never {
  throw new HTTPException(413);
}

/** The largest log-in request, in bytes. */
const maxLogInBytes = 4_096;

/** Has the page's key, which comes with the log-in. */
const pageKeyHeader = 'x-console-key';

/** Hono variables of routes that need a session. */
export interface SessionVariables {
  Variables: { session: string };
}

/** The session of a request's cookie. */
export function sessionOf(context: Context, sessions: Sessions): Promise<Session | undefined> {
  return sessions.read(getCookie(context, sessionCookie));
}

/** Refuses requests without a session. */
export function requireSession(sessions: Sessions): MiddlewareHandler<SessionVariables> {
  return async (context, next) => {
    const session = await sessionOf(context, sessions);
    if (session === undefined) throw new HTTPException(401);
    context.set('session', session.id);
    await next();
  };
}

/** Refuses requests of a session that don't come from its page, which has a key besides the cookie. */
export function requirePage(sessions: Sessions): MiddlewareHandler<SessionVariables> {
  return async (context, next) => {
    // Event streams can't have headers of their own.
    const key = context.req.header(pageKeyHeader) ?? context.req.query('key');
    if (!sessions.isPageOf(context.var.session, key)) throw new HTTPException(401);
    await next();
  };
}

/** Sets the session cookie; scripts can't read it, and other sites' pages don't send it. */
export function setSessionCookie(context: Context, value: string): void {
  setCookie(context, sessionCookie, value, {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    maxAge: sessionLifetime / 1_000,
    secure: context.req.header('x-forwarded-proto') === 'https',
  });
}

/** Routes to log in, with a plain form, and to log out, which calls `onLogOut`. */
export function sessionRoutes(sessions: Sessions, onLogOut: (session: string) => void): Hono {
  return new Hono()
    .use('/session', limitBody(maxLogInBytes, tooLarge))
    .post('/session', async (context) => {
      const form = await context.req.parseBody().catch(() => {
        throw new HTTPException(400);
      });
      const { token } = form;
      const result = sessions.logIn(typeof token === 'string' ? token : '', remoteAddress(context) ?? '');
      if ('fault' in result) return context.redirect(`../?fault=${result.fault}`, 303);
      setSessionCookie(context, result.cookie);
      // The page keeps it; nothing behind # is sent to any server.
      return context.redirect(`../#key=${result.key}`, 303);
    })
    .delete('/session', async (context) => {
      const session = await sessionOf(context, sessions);
      if (session) {
        await sessions.end(session.id);
        onLogOut(session.id);
      }
      deleteCookie(context, sessionCookie, { path: '/' });
      return context.body(null, 204);
    });
}

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
    if (isForeign(context.req.method, (name) => context.req.header(name), host)) throw new HTTPException(403);
    return next();
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
