import { describe, expect, it } from 'vitest';
import { post } from '../../platforms/console/support/commands.ts';
import { startStage } from '../../platforms/console/support/stage.ts';
import { chromiumNote, chromiumPath, openPage, send } from '../support/browser.ts';

describe.skipIf(!chromiumPath)(`media on the console page${chromiumNote}`, () => {
  async function shown() {
    const stage = await startStage({ commands: [post] as never[] });
    const { page, complaints } = await openPage(stage.url);
    await send(page, '/post --media true');
    await page.locator('.by-bot').waitFor();
    return { page, complaints };
  }

  it('has images that open large and close again, by keys too', async () => {
    const { page, complaints } = await shown();
    const image = page.getByRole('button', { name: 'Enlarge: a slope from dark to light' });
    await page.locator('.picture-loaded').waitFor();
    await image.press('Enter');
    const large = page.getByRole('dialog', { name: 'a slope from dark to light' });
    await large.getByRole('img').waitFor();
    await page.keyboard.press('Escape');
    await large.waitFor({ state: 'detached' });
    expect(await image.evaluate((node) => node === node.ownerDocument.activeElement)).toBe(true);
    await image.click();
    await large.getByRole('button', { name: 'Close' }).click();
    await large.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('has two images next to each other in half the width each, and fills the window', async () => {
    const { page } = await shown();
    await page.locator('.picture-loaded').waitFor();
    const sizes = await page.locator('.by-bot .files').evaluate((files) => {
      const { ownerDocument } = files;
      const picture = files.querySelector('.picture');
      picture?.after(picture.cloneNode(true));
      const widths = [...files.querySelectorAll('.picture')].map(
        (one) => one.clientWidth / files.clientWidth,
      );
      const heights = ['html', '.sidebar', 'main'].map(
        (part) => ownerDocument.querySelector(part)?.clientHeight,
      );
      return { widths, heights };
    });
    expect(sizes.widths).toHaveLength(2);
    for (const width of sizes.widths) expect(width).toBeGreaterThan(0.45);
    expect(new Set(sizes.heights).size).toBe(1);
  });

  it('has code that is copied as it is', async () => {
    const stage = await startStage({ commands: [post] as never[] });
    const { page } = await openPage(stage.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await send(page, '/post -- ```ts\n  if (a < b) {\n\tc();\n  }\n```');
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.locator('.language').textContent()).toBe('ts');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('  if (a < b) {\n\tc();\n  }');
  });

  it('draws the waveform of a clip from its sound, and tells its length', async () => {
    const { page } = await shown();
    await page.locator('.clip-read').waitFor();
    expect(await page.locator('.clip-time').textContent()).toBe('0:00 / 0:02');
    const outline = (await page.locator('.wave-all path').getAttribute('d')) ?? '';
    const heights = [...outline.matchAll(/v([\d.]+)/g)].map(([, height]) => Number(height));
    expect(heights.length).toBe(64);
    // It swells to the middle and fades.
    expect(heights[32]).toBeGreaterThan(3 * heights[0]!);
    expect(heights[32]).toBeGreaterThan(3 * heights[63]!);
  });

  it('plays a clip, and moves in it by keys', async () => {
    const { page } = await shown();
    await page.locator('.clip-read').waitFor();
    const position = page.getByRole('slider', { name: 'Position in the clip' });
    await position.press('End');
    expect(await position.getAttribute('aria-valuetext')).toBe('0:02 / 0:02');
    await position.press('Home');
    expect(await position.getAttribute('aria-valuenow')).toBe('0.0');
    await page.getByRole('button', { name: 'Play' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await expect.poll(async () => Number(await position.getAttribute('aria-valuenow'))).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await expect.poll(() => position.getAttribute('aria-valuenow')).toBe('0.0');
  });
});
