import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { limitBody, remoteAddress } from '../../../http/index.ts';
import { type Session, type Sessions, sessionCookie, sessionLifetime } from '../connection/session.ts';
import { errorResponse, tooLarge } from './requests.ts';

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
    if (session === undefined) return errorResponse(context, 'log-in', 401);
    context.set('session', session.id);
    await next();
    return;
  };
}

/** Refuses requests of a session that don't come from its page, which has a key besides the cookie. */
export function requirePage(sessions: Sessions): MiddlewareHandler<SessionVariables> {
  return async (context, next) => {
    // Event streams can't have headers of their own.
    const key = context.req.header(pageKeyHeader) ?? context.req.query('key');
    if (!sessions.isPageOf(context.var.session, key)) return errorResponse(context, 'log-in', 401);
    await next();
    return;
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
      const form = await context.req.parseBody().catch(() => undefined);
      if (!form) return errorResponse(context, 'bad-request', 400);
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
