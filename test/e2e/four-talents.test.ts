import { describe, expect, it } from 'vitest';
import { startBot } from './support/bot.ts';
import { chromiumNote, chromiumPath, openPage, send, sent } from './support/browser.ts';

describe.skipIf(!chromiumPath)(`all four talents on the console page${chromiumNote}`, () => {
  it('answer, speak, draw and film, and are all there after a restart', async () => {
    const bot = await startBot();
    const { page, requested, complaints } = await openPage(bot.url, {
      viewport: { width: 1400, height: 900 },
    });

    await sent(page, 'A table and some code about tides, please');
    await page.getByRole('button', { name: 'Regenerate' }).waitFor();
    expect(await page.locator('.by-bot .code code').count()).toBeGreaterThan(0);

    await sent(page, '/speak Good morning, everyone! --voice en_male_tim_uranus_bigtts --format mp3');
    await page.locator('.clip-read').waitFor();
    expect(await page.locator('.clip-time').textContent()).toMatch(/^0:00 \/ 0:0[1-4]$/);

    await sent(page, '/imagine a lighthouse in a storm --size 512x512');
    await page.locator('.picture-loaded').waitFor();
    const size = await page
      .locator('.picture img')
      .evaluate((image) => [image.naturalWidth, image.naturalHeight]);
    expect(size).toEqual([512, 512]);

    await sent(page, '/video a cat surfing --duration 4 --resolution 480p --generate_audio true');
    const film = page.locator('.in-thread video');
    await film.waitFor();
    await expect.poll(() => film.evaluate((video) => Math.round(video.duration))).toBe(4);
    expect(await film.evaluate((video) => video.videoWidth)).toBeGreaterThan(0);
    await film.evaluate((video) => {
      video.currentTime = 3;
    });
    await expect.poll(() => film.evaluate((video) => video.seeking === false && video.currentTime)).toBe(3);
    await page.locator('.thread-card', { hasText: '2 messages' }).waitFor();
    await page.locator('.in-channel .by-bot', { hasText: 'Ready, in the thread below.' }).waitFor();
    // Nobody else would see them, or be told.
    expect(await page.getByRole('button', { name: 'Report', exact: true }).count()).toBe(0);

    expect(complaints).toEqual([]);

    await bot.restart();
    await page.reload();
    await page.locator('.in-thread video').waitFor();
    expect(await page.locator('.in-channel .message').count()).toBe(8);
    await page.locator('.clip').scrollIntoViewIfNeeded();
    await page.locator('.clip-read').waitFor();
    await page.locator('.picture').scrollIntoViewIfNeeded();
    await page.locator('.picture-loaded').waitFor();

    await sent(page, 'And what was that about?');
    await expect.poll(() => page.getByRole('button', { name: 'Regenerate' }).count()).toBe(2);
    const own = `${bot.url}/`;
    expect(requested.filter((address) => !address.startsWith(own))).toEqual([]);
    // The browser notes that the stream broke off with the restart; nothing else is wrong.
    expect(complaints.filter((complaint) => !complaint.includes('net::ERR_'))).toEqual([]);
  });

  it('write an answer anew in its message, with pages', async () => {
    const bot = await startBot();
    const { page } = await openPage(bot.url);
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const shown = (name: string) => page.getByRole('button', { name, exact: true }).waitFor();
    await sent(page, 'Tell me a short story about tides');
    await press('Regenerate');
    await shown('2/2');
    expect(await page.locator('.by-bot').count()).toBe(1);
    await press('‹');
    await shown('1/2');
    await bot.restart();
    await page.reload();
    await press('›');
    await shown('2/2');
    expect(await page.locator('.by-bot').count()).toBe(1);
  });

  it('offer what goes on from there: stop, again, edit, delete', async () => {
    const bot = await startBot();
    const { page } = await openPage(bot.url);
    await sent(page, '/imagine a red kite --size 256x256');
    await page.locator('.picture-loaded').waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Edit' });
    expect(await form.getByLabel('prompt').inputValue()).toBe('a red kite');
    await form.getByLabel('prompt').fill('a blue kite');
    await form.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => page.locator('.picture-loaded').count()).toBe(2);
    await page.getByText('a blue kite').first().waitFor();
    const remove = page.getByRole('button', { name: 'Delete', exact: true });
    const asked = page.getByRole('dialog', { name: 'Delete' });
    await remove.last().click();
    await asked.getByText('You can’t undo this.').waitFor();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await asked.waitFor({ state: 'detached' });
    expect(await page.locator('.picture-loaded').count()).toBe(2);
    await remove.last().click();
    await asked.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => page.locator('.picture-loaded').count()).toBe(1);
    await page.getByRole('button', { name: 'Again', exact: true }).click();
    await page.getByRole('button', { name: '2/2', exact: true }).waitFor();
    expect(await page.locator('.picture').count()).toBe(1);
    await page.getByRole('button', { name: '‹', exact: true }).click();
    await page.getByRole('button', { name: '1/2', exact: true }).waitFor();
    expect(await page.locator('.picture').count()).toBe(1);
  });

  it('draw several images at once, hidden until they are clicked, and use one of them', async () => {
    const bot = await startBot();
    const { page } = await openPage(bot.url);
    await sent(page, '/imagine a red kite --size 256x256 --count 3 --spoiler true');
    await page.locator('.hidden-files .reveal').click();
    expect(await page.locator('.hidden-files').count()).toBe(0);
    expect(await page.locator('.picture').count()).toBe(3);
    await page.getByRole('button', { name: 'Use 3', exact: true }).click();
    await page.getByText('Image 3: what should I do with it?').first().waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Edit' });
    await form.getByLabel('prompt').fill('a blue kite');
    await form.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => page.locator('.picture').count()).toBe(4);
  });

  it('say what is allowed before anything is sent', async () => {
    const bot = await startBot();
    const { page } = await openPage(bot.url);
    await send(page, '/video a cat --duration 99 --ratio 2:1');
    const refusal = page.locator('.composer .refusal');
    await refusal.getByText('4–15').waitFor();
    expect(await refusal.textContent()).toContain('16:9, 9:16, 1:1, 4:3, 3:4, 21:9');
    expect(await page.locator('.message').count()).toBe(0);
  });
});
