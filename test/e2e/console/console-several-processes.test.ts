import { describe, expect, it } from 'vitest';
import { freshPostgres } from '../../fakes/postgres/index.ts';
import { patience } from '../../patience.ts';
import { startTwoProcesses } from '../support/bot.ts';
import { chromiumNote, chromiumPath, openPage, sent } from '../support/browser.ts';

describe.skipIf(!chromiumPath)(`the page of one process, while another works${chromiumNote}`, () => {
  it('shows the same, stops it there, and nothing stays under way', async () => {
    const [one, other] = await startTwoProcesses(await freshPostgres());
    const { page: asks } = await openPage(one);
    const { page, complaints } = await openPage(other);
    const button = (name: string) => page.getByRole('button', { name, exact: true });

    await sent(asks, '/ask Write 20000 characters');
    await button('Stop').click(patience);
    await page.locator('.by-bot', { hasText: 'Stopped.' }).waitFor(patience);
    await button('Regenerate').click(patience);
    await button('Stop').click(patience);
    await button('Stop').waitFor({ state: 'detached', ...patience });

    // All at once: each takes a while until it's asked about.
    await sent(asks, '/imagine a lighthouse --size 512x512');
    await sent(asks, '/imagine a jar of marmalade --size 512x512 --private true');
    await sent(asks, '/video a cat surfing --duration 4 --resolution 480p');
    await page.locator('.picture-loaded').waitFor(patience);
    await page.locator('video').first().waitFor(patience);
    await expect.poll(() => asks.locator('.picture-loaded').count(), patience).toBe(2);

    const unfinished = /Drawing|Filming|Rendering|\d ?%|is working/;
    await expect
      .poll(() => page.locator('.in-channel .messages').textContent(), patience)
      .not.toMatch(unfinished);
    expect(await page.locator('body').textContent()).not.toContain('marmalade');
    const inPage = () => page.locator('.picture, video').count();
    expect(await inPage()).toBe(2);
    const length = async () => (await page.locator('.in-channel .messages').textContent())?.length;
    const told = await length();
    await page.reload();
    await page.locator('.picture-loaded').waitFor(patience);
    // The thread’s messages come by a request of their own.
    await expect.poll(inPage).toBe(2);
    await expect.poll(length).toBe(told);
    expect(complaints).toEqual([]);
  });
});
