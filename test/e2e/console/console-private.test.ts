import { describe, expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import { startBot } from '../support/bot.ts';
import { chromiumNote, chromiumPath, openPage, send } from '../support/browser.ts';

/** Words that weren't in a person's language would be English. */
const locale = 'zh-CN';

/** What is in every prompt here, and in what comes of it. */
const secret = 'marmalade';

describe.skipIf(!chromiumPath)(`private answers on the console page${chromiumNote}`, () => {
  it('are seen by the session that asked until it shares them', async () => {
    const { sharing } = words(locale);
    const bot = await startBot();
    const { page, complaints } = await openPage(bot.url, { locale });
    const { page: other } = await openPage(bot.url, { locale });
    await other.locator('.line').waitFor();
    const share = () => page.getByRole('button', { name: sharing.share });

    await send(page, `/ask repeat: ${secret} one --private true`);
    await share().first().waitFor();
    await send(page, `/imagine a jar of ${secret} --size 512x512 --private true`);
    await page.locator('.picture-loaded').waitFor();
    await expect.poll(() => share().count()).toBe(2);
    await other.reload();
    await other.locator('.line').waitFor();
    expect(await other.locator('body').textContent()).not.toContain(secret);
    expect(await other.locator('.picture').count()).toBe(0);

    await share().last().click();
    await other.locator('.picture-loaded').waitFor();
    await other.locator('.by-bot', { hasText: `a jar of ${secret}` }).waitFor();
    await page.getByRole('button', { name: sharing.shared }).waitFor();
    await share().first().click();
    await other.locator('.by-bot', { hasText: `${secret} one` }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: sharing.shared }).count()).toBe(2);
    expect(await other.getByRole('button', { name: sharing.shared }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('can be a person’s default, by /me', async () => {
    const { sharing, me } = words(locale);
    const bot = await startBot();
    const { page } = await openPage(bot.url, { locale });
    const { page: other } = await openPage(bot.url, { locale });
    await other.locator('.line').waitFor();
    await send(page, '/me --private on');
    await page.locator('.by-bot', { hasText: me.title.replaceAll('*', '') }).waitFor();
    await send(page, `repeat: ${secret}`);
    await page.getByRole('button', { name: sharing.share }).waitFor();
    await send(page, '/ask repeat: for everybody --private false');
    await other.locator('.by-bot', { hasText: 'for everybody' }).waitFor();
    const seen = await other.locator('body').textContent();
    expect(seen).not.toContain(secret);
    expect(seen).not.toContain(me.title.replaceAll('*', ''));
  });
});
