import type { Locale } from '../../../src/port/index.ts';
import { type Html, html } from './html.ts';
import { styles } from './styles.ts';

/** One step of a scene: what somebody does, and what they see then. */
export interface Panel {
  readonly caption: string;
  readonly drawn: Html;
}

const languages: Readonly<Record<Locale, string>> = { en: 'English', 'zh-CN': '中文' };

/** A page with a scene in both languages side by side, step below step. */
export function drawPage(panels: Readonly<Record<Locale, readonly Panel[]>>): string {
  const columns = (Object.keys(languages) as Locale[]).map(
    (locale) =>
      html`<section lang="${locale}"><h1>${languages[locale]}</h1>${panels[locale].map(
        ({ caption, drawn }, index) =>
          html`<figure><figcaption><span>${index + 1}</span>${caption}</figcaption>${drawn}</figure>`,
      )}</section>`,
  );
  return `<!doctype html><meta charset="utf-8"><style>${styles}</style><main>${html`${columns}`.source}</main>`;
}
