import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { type Locale, localeOf, type Localized } from '../../../port/index.ts';
import { type PageFiles, pageFolder, type PageState } from '../connection/page-files.ts';
import type { Sessions } from '../connection/session.ts';
import { sessionOf, setSessionCookie } from './requests.ts';

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
    const file = version === state.version ? (await state.files()).get(path) : undefined;
    if (!file) throw new HTTPException(404);
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
  const modules = [...state.sources.keys()].filter((path) => path.endsWith('.ts'));
  const preloads = modules.map((path) => `<link rel="modulepreload" href="${base}${path}">`).join('\n');
  const source = state.sources.get(`${pageFolder}/index.html`) ?? '';
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

const sentences = {
  title: { en: 'Log in · troupe', 'zh-CN': '登录 · troupe' },
  ask: {
    en: 'You need a token to open this console.',
    'zh-CN': '打开这个控制台需要令牌。',
  },
  token: { en: 'Console token', 'zh-CN': '控制台令牌' },
  where: {
    en: 'It’s the value of CONSOLE_TOKEN in the bot’s environment.',
    'zh-CN': '它是机器人环境变量 CONSOLE_TOKEN 的值。',
  },
  enter: { en: 'Log in', 'zh-CN': '登录' },
} satisfies Record<string, Localized>;

const faults: Readonly<Record<string, Localized>> = {
  'wrong-token': { en: 'That isn’t the token.', 'zh-CN': '令牌不对。' },
  'too-many-attempts': {
    en: 'Too many wrong tokens. Try again in a minute.',
    'zh-CN': '错误次数太多，请一分钟后再试。',
  },
};

/** The log-in page; it works without JavaScript. */
function logInPage(locale: Locale, base: string, fault: string | undefined): string {
  const say = (name: keyof typeof sentences) => sentences[name][locale];
  const wrong = fault === undefined ? undefined : faults[fault]?.[locale];
  return `<!doctype html>
<html lang="${locale}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${say('title')}</title>
<link rel="icon" href="${base}mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="${base}styles/base.css">
<link rel="stylesheet" href="${base}styles/dialogs.css">
<body class="log-in">
<main>
<form method="post" action="console/session">
<h1><span class="mark" aria-hidden="true"></span>troupe</h1>
<p>${say('ask')}</p>
<label for="token">${say('token')}</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus aria-describedby="where">
<p id="where">${say('where')}</p>
${wrong === undefined ? '' : `<p role="alert">${wrong}</p>\n`}<button>${say('enter')}</button>
</form>
</main>
</body>
</html>
`;
}
