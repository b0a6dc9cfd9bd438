import type { Locale, Localized } from '../../../port/index.ts';

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
export function logInPage(locale: Locale, base: string, fault: string | undefined): string {
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
