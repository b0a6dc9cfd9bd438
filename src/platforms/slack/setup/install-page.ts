import type { Locale } from '../../../port/index.ts';

/** The page that a browser ends on after an installation. */
export interface InstallPage {
  readonly locale: Locale;
  readonly title: string;
  readonly text: string;
  /** Where to go from here. */
  readonly link: { readonly label: string; readonly href: string };
}

const style =
  ':root{color-scheme:light dark}body{font:1.05rem/1.6 system-ui,sans-serif;max-width:32rem;margin:18vh auto 0;padding:0 1.5rem}h1{font-size:1.5rem;line-height:1.3}a{display:inline-block;margin-top:1rem;padding:.6rem 1.1rem;border-radius:.5rem;background:#4a154b;color:#fff;text-decoration:none}a:focus-visible{outline:3px solid #1d9bd1;outline-offset:2px}';

/** Headers that allow the page nothing but to be read. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

/** The page as HTML. */
export function installPage({ locale, title, text, link }: InstallPage): string {
  return [
    `<!doctype html><html lang="${locale}"><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)} · troupe</title><style>${style}</style>`,
    `<main><h1>${escaped(title)}</h1><p>${escaped(text)}</p>`,
    `<a href="${escaped(link.href)}">${escaped(link.label)}</a></main></html>`,
  ].join('');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
