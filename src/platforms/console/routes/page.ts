import { type Context, Hono } from 'hono';
import { localeOf } from '../../../port/index.ts';
import { logInPage } from '../connection/log-in-page.ts';
import { type PageFiles, type PageState, pageFolder } from '../connection/page-files.ts';
import type { Sessions } from '../connection/session.ts';
import { errorResponse } from './requests.ts';
import { sessionOf, setSessionCookie } from './session.ts';

const immutable = 'private, max-age=31536000, immutable';

/** Route `/`: the page, or the log-in page, also for a page without its key (`?log-in`). */
export function indexRoute(page: PageFiles, sessions: Sessions): Hono {
  return new Hono().get('/', async (context) => {
    const state = await page.current();
    const session = await sessionOf(context, sessions);
    const mustLogIn = !session || context.req.query('log-in') !== undefined;
    if (mustLogIn && sessions.needsToken) return askForToken(context, state);
    if (!session || session.isStale) setSessionCookie(context, sessions.open(session?.id));
    return context.html(indexOf(state));
  });
}

/** Routes for the page's style sheets and modules, by version. */
export function pageFileRoutes(page: PageFiles): Hono {
  return new Hono().get('/page/:version/*', async (context) => {
    const version = context.req.param('version');
    const state = await page.served();
    const path = context.req.path.split(`/page/${version}/`)[1] ?? '';
    const file = state.files.get(path);
    if (!file || version !== state.version) return errorResponse(context, 'not-found', 404);
    const gzip = /\bgzip\b/.test(context.req.header('accept-encoding') ?? '');
    return context.body(gzip ? file.gzip : file.plain, 200, {
      'content-type': file.contentType,
      'cache-control': immutable,
      vary: 'accept-encoding',
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    });
  });
}

function askForToken(context: Context, state: PageState) {
  const locale = localeOf(context.req.header('accept-language'));
  return context.html(logInPage(locale, baseOf(state), context.req.query('fault')), 401);
}

/** `index.html` with this version's paths, and a preload for every module. */
function indexOf(state: PageState): string {
  const base = rootOf(state);
  const modules = [...state.files.keys()].filter((path) => path.endsWith('.ts'));
  const preloads = modules.map((path) => `<link rel="modulepreload" href="${base}${path}">`).join('\n');
  const source = Buffer.from(state.files.get(`${pageFolder}/index.html`)?.plain ?? []).toString();
  return source
    .replaceAll('PAGE/', baseOf(state))
    .replace('VERSION', state.version)
    .replace('<!-- modules -->', preloads);
}

/** Base path of the page's own files. */
function baseOf(state: PageState): string {
  return `${rootOf(state)}${pageFolder}/`;
}

function rootOf({ version }: PageState): string {
  return `console/page/${version}/`;
}
