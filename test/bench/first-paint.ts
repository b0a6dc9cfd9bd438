/**
 * How long the console page takes from the navigation to its first paint, in a Chromium that knows nothing of it.
 * Under 1 s is the aim on a machine of two processors that does nothing else.
 */
import type { Browser } from 'playwright-core';
import { chromiumPath, launchChromium } from '../e2e/support/chromium.ts';
import { startFreshBot } from './support/bot.ts';
import { describeRuns } from './support/median.ts';

interface Paints {
  readonly 'first-paint': number;
  readonly 'first-contentful-paint': number;
}

/** Runs in the page: resolves when both paints are there, in milliseconds since the navigation. */
const paintsOfPage = `new Promise((resolve) => {
  const paints = {};
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) paints[name] = startTime;
    if (Object.keys(paints).length === 2) resolve(paints);
  }).observe({ type: 'paint', buffered: true });
})`;

async function paints(browser: Browser, url: string): Promise<Paints> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    await page.goto(url);
    return await page.evaluate<Paints>(paintsOfPage);
  } finally {
    await context.close();
  }
}

async function measure(): Promise<void> {
  const bot = await startFreshBot();
  const browser = await launchChromium();
  try {
    const runs: Paints[] = [];
    for (let run = 0; run < 5; run++) runs.push(await paints(browser, bot.url));
    for (const name of ['first-paint', 'first-contentful-paint'] as const) {
      console.log(`${name.replaceAll('-', ' ')}: ${describeRuns(runs.map((run) => run[name]))}`);
    }
  } finally {
    await browser.close();
    await bot.stop();
  }
}

if (chromiumPath === undefined) console.log('no Chromium here; CHROMIUM=/path/to/it names one');
else await measure();
