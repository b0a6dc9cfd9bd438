import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { limitBody } from '../../../http/index.ts';
import { type Sessions, sessionCookie } from '../session.ts';
import { fault, tooLarge } from './requests.ts';

/** How long a browser keeps its session, in seconds: browsers cap it at 400 days. */
const cookieLifetime = 400 * 24 * 60 * 60;

/** A token and what a form puts around it, in bytes. */
const maxLogInBytes = 4_096;

/** What the routes know of a request's sender. */
export interface SessionVariables {
  Variables: { session: string };
}

/** The session of a request's cookie. */
export function sessionOf(context: Context, sessions: Sessions): string | undefined {
  return sessions.read(getCookie(context, sessionCookie));
}

/** Lets only requests with a session through. */
export function needSession(sessions: Sessions): MiddlewareHandler<SessionVariables> {
  return async (context, next) => {
    const session = sessionOf(context, sessions);
    if (session === undefined) return fault(context, 'log-in', 401);
    context.set('session', session);
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
    maxAge: cookieLifetime,
    secure: context.req.header('x-forwarded-proto') === 'https',
  });
}

/** Logging in, by a form that needs no script, and logging out. */
export function sessionRoutes(sessions: Sessions): Hono {
  return new Hono()
    .use('/session', limitBody(maxLogInBytes, tooLarge))
    .post('/session', async (context) => {
      const { token } = await context.req.parseBody();
      const result = sessions.logIn(typeof token === 'string' ? token : '');
      if ('fault' in result) return context.redirect(`../?fault=${result.fault}`, 303);
      giveCookie(context, result.cookie);
      return context.redirect('../', 303);
    })
    .delete('/session', (context) => {
      deleteCookie(context, sessionCookie, { path: '/' });
      return context.body(null, 204);
    });
}
