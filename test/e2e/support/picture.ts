import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { MediaStudio } from '../../../src/sandbox/media/studio.ts';
import { endTest } from '../../at-end.ts';
import { startBot } from './bot.ts';
import { chromiumPath, launchChromium } from './chromium.ts';

/** Makes the README's picture of the console page after all four commands: `node test/e2e/support/picture.ts`. */
const folder = fileURLToPath(new URL('../../../docs/', import.meta.url));

if (chromiumPath === undefined) throw new Error('no Chromium here; CHROMIUM=/path/to/it names one');
// Samples are made once for the tests, by what runs them.
const bot = await startBot({ media: new MediaStudio() });
const browser = await launchChromium();
try {
  const page = await browser.newPage({
    viewport: { width: 1440, height: 1560 },
    locale: 'en-GB',
    colorScheme: 'light',
  });
  await page.goto(bot.url);
  const send = async (line: string) => {
    await page.locator('.in-channel .line').fill(line);
    await page.keyboard.press('Escape');
    await page.locator('.in-channel .line').press('Enter');
  };
  await send('A table with 2 rows about tides, please');
  await page.getByRole('button', { name: 'Regenerate' }).waitFor();
  await send('/speak High water is at a quarter past six. --voice en_female_dacey_uranus_bigtts');
  await page.locator('.clip-read').waitFor();
  await send('/imagine a lighthouse in a storm --size 1600x560');
  await page.locator('.picture-loaded').waitFor();
  await send('/video a cat surfing at sunset --duration 4');
  const film = page.locator('.in-thread video');
  await film.waitFor();
  await film.evaluate(async (video) => {
    if (video.readyState < 4)
      await new Promise((resolve) => video.addEventListener('canplaythrough', resolve));
  });
  await page.getByText('Ready, in the thread below.').waitFor();
  await page.getByRole('button', { name: 'Newest messages' }).waitFor({ state: 'hidden' });
  // The browser's own sign that the film is loading fades away.
  await page.waitForTimeout(2_000);
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: `${folder}console.png` });
} finally {
  await browser.close();
  // Outside of tests nothing else ends it.
  await endTest();
}
