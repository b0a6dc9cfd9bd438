import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { endsWithTest } from '../../at-end.ts';
import { patience } from '../../patience.ts';
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
  const context = await contextFor(options);
  const page = await context.newPage();
  page.setDefaultTimeout(patience.timeout);
  const seen = { page, requested: [] as string[], complaints: [] as string[] };
  page.on('request', (request) => seen.requested.push(request.url()));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) seen.complaints.push(message.text());
  });
  page.on('pageerror', (error) => seen.complaints.push(error.message));
  await page.goto(url);
  return seen;
}

/**
 * The first window of each test that asks for nothing else is in this context: one with a renderer costs half the
 * processor of a new one. After a test its cookies are forgotten; what else a page keeps belongs to its port.
 */
let usual: Promise<BrowserContext> | undefined;
let isUsualTaken = false;

async function contextFor(options: BrowserContextOptions): Promise<BrowserContext> {
  if (isUsualTaken || Object.keys(options).length > 0) {
    const context = await newContext(options);
    endsWithTest(() => context.close());
    return context;
  }
  isUsualTaken = true;
  usual ??= newUsual();
  const context = await usual;
  endsWithTest(async () => {
    // The first stays, and the renderer with it.
    for (const page of context.pages().slice(1)) await page.close();
    await context.clearCookies();
    isUsualTaken = false;
  });
  return context;
}

async function newUsual(): Promise<BrowserContext> {
  const context = await newContext({});
  await context.newPage();
  return context;
}

async function newContext(options: BrowserContextOptions): Promise<BrowserContext> {
  browser ??= launchChromium(['--renderer-process-limit=1']);
  return (await browser).newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...options });
}

/** What a phone is: narrow, and touched. */
export const phone: BrowserContextOptions = {
  viewport: { width: 360, height: 720 },
  isMobile: true,
  hasTouch: true,
};

/** Types a line into the channel that the page shows, and sends it. */
export async function send(page: Page, line: string): Promise<void> {
  const input = page.locator('.in-channel .line');
  await input.fill(line);
  // What's suggested for it isn't chosen.
  await page.keyboard.press('Escape');
  await input.press('Enter');
}

/** Sends a line, and waits until it stands in the channel. */
export async function sent(page: Page, line: string): Promise<void> {
  const own = page.locator('.in-channel .by-you');
  const before = await own.count();
  await send(page, line);
  await own.nth(before).waitFor();
}

/** How much wider the page is than its window, in pixels: what one would have to scroll sideways. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
}
