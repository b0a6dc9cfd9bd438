import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { limitBody, remoteAddress } from '../../../http/index.ts';
import { type Session, type Sessions, sessionCookie, sessionLifetime } from '../connection/session.ts';
import { fault, tooLarge } from './requests.ts';

/** A token and what a form puts around it, in bytes. */
const maxLogInBytes = 4_096;

/** What the routes know of a request's sender. */
export interface SessionVariables {
  Variables: { session: string };
}

/** The session of a request's cookie. */
export function sessionOf(context: Context, sessions: Sessions): Promise<Session | undefined> {
  return sessions.read(getCookie(context, sessionCookie));
}

/** Lets only requests with a session through. */
export function needSession(sessions: Sessions): MiddlewareHandler<SessionVariables> {
  return async (context, next) => {
    const session = await sessionOf(context, sessions);
    if (session === undefined) return fault(context, 'log-in', 401);
    context.set('session', session.id);
    await next();
    return;
  };
}

/** Gives the browser its session's cookie; no script can read it, and no other site's page sends it. */
export function giveCookie(context: Context, value: string): void {
  setCookie(context, sessionCookie, value, {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    maxAge: sessionLifetime / 1_000,
    secure: context.req.header('x-forwarded-proto') === 'https',
  });
}

/** Logging in, by a form that needs no script, and logging out, of which `left` is told. */
export function sessionRoutes(sessions: Sessions, left: (session: string) => void): Hono {
  return new Hono()
    .use('/session', limitBody(maxLogInBytes, tooLarge))
    .post('/session', async (context) => {
      const form = await context.req.parseBody().catch(() => undefined);
      if (!form) return fault(context, 'bad-request', 400);
      const { token } = form;
      const result = sessions.logIn(typeof token === 'string' ? token : '', remoteAddress(context) ?? '');
      if ('fault' in result) return context.redirect(`../?fault=${result.fault}`, 303);
      giveCookie(context, result.cookie);
      return context.redirect('../', 303);
    })
    .delete('/session', async (context) => {
      const session = await sessionOf(context, sessions);
      if (session) {
        await sessions.leave(session.id);
        left(session.id);
      }
      deleteCookie(context, sessionCookie, { path: '/' });
      return context.body(null, 204);
    });
}
