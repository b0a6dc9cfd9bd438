import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * Where distributions put Chromium; `CHROMIUM` names another place. The headless shell, which has no windows, takes half
 * the processor.
 */
const places = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The path of the installed Chromium; undefined without one. */
export const chromiumPath: string | undefined = places.find(
  (place) => place !== undefined && existsSync(place),
);

/** Starts it without a window, and without anything that it would fetch for itself; `more`: arguments. */
export function launchChromium(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    ...(chromiumPath && { executablePath: chromiumPath }),
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update'],
      '--autoplay-policy=no-user-gesture-required',
      ...more,
    ],
  });
}
