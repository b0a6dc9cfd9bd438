import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromiumPath, launchChromium } from '../e2e/support/chromium.ts';
import { drawPage } from './draw/page.ts';
import { asWebp, photograph } from './photograph.ts';
import { startBot } from './stage/bot.ts';
import { playables } from './stage/play.ts';

/** `npm run pictures -- [name …]` plays the scenes and photographs them for the documentation. */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    /** Where the pictures go. */
    folder: { type: 'string', default: resolve(import.meta.dirname, '../../docs/pictures') },
    /** `webp` is what the documentation has. */
    format: { type: 'string', default: 'webp' },
  },
});

if (chromiumPath === undefined) throw new Error('no Chromium here; CHROMIUM=/path/to/it names one');
const wanted = playables.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
await mkdir(values.folder, { recursive: true });
const bot = await startBot();
const browser = await launchChromium();
try {
  const page = await browser.newPage({ viewport: { width: 960, height: 800 }, deviceScaleFactor: 1.75 });
  for (const scene of wanted) {
    const panels = { en: await scene.play(bot, 'en'), 'zh-CN': await scene.play(bot, 'zh-CN') };
    const path = join(values.folder, `${scene.name}.${values.format}`);
    const png = await photograph(page, drawPage(panels));
    const bytes = values.format === 'webp' ? await asWebp(png) : png;
    await writeFile(path, bytes);
    console.log(`${path} ${Math.ceil(bytes.length / 1000)} kB`);
  }
} finally {
  await browser.close();
  await bot.close();
}
// Slack's test server counts a status's two minutes in real time, which is nothing to wait for here.
process.exit();
