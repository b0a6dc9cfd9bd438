import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { endsWithTest } from '../../at-end.ts';
import { chromiumPath, launchChromium } from './chromium.ts';

export { chromiumPath };

/** Put behind a test's name where it cannot run. */
export const chromiumNote = chromiumPath
  ? ''
  : ' (skipped: no Chromium here; CHROMIUM=/path/to/it names one)';

/** One for all files that a process runs; it ends with the process. */
let browser: Promise<Browser> | undefined;

/** A page as a person sees it, and what the browser did for it. */
export interface Seen {
  readonly page: Page;
  /** Addresses of everything the page asked for. */
  readonly requested: string[];
  /** Errors and warnings of the page. */
  readonly complaints: string[];
}

/** Opens a new browser window, with nothing remembered from others, at an address. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<Seen> {
  browser ??= launchChromium();
  const context = await (await browser).newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    ...options,
  });
  endsWithTest(() => context.close());
  const seen = { page: await context.newPage(), requested: [] as string[], complaints: [] as string[] };
  context.on('request', (request) => seen.requested.push(request.url()));
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) seen.complaints.push(message.text());
  });
  context.on('weberror', (error) => seen.complaints.push(error.error().message));
  await seen.page.goto(url);
  return seen;
}

/** What a phone is: narrow, and touched. */
export const phone: BrowserContextOptions = {
  viewport: { width: 360, height: 720 },
  isMobile: true,
  hasTouch: true,
};

/** How much wider the page is than its window, in pixels: what one would have to scroll sideways. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
}
