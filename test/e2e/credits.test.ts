import { describe, expect, it } from 'vitest';
import { groups, pages } from '../../src/app/presenters/settings-pages.ts';
import { startBot } from './support/bot.ts';
import { chromiumNote, chromiumPath, openPage, send } from './support/browser.ts';

describe.skipIf(!chromiumPath)(`credits on the console page${chromiumNote}`, () => {
  it('are asked about before they are spent, kept within budgets, and shown', async () => {
    const bot = await startBot();
    const { page, complaints } = await openPage(bot.url, { viewport: { width: 1200, height: 1000 } });
    const said = (text: string) => page.locator('.by-bot').getByText(text).last();
    const press = (name: string) => page.getByRole('button', { name, exact: true }).last().click();

    await page.locator('.in-channel .line').fill('/settings ');
    await page.getByRole('button', { name: 'Open as form' }).click();
    const whole = page.getByRole('dialog', { name: '/settings' });
    expect(await whole.getByRole('heading', { level: 3 }).allTextContents()).toEqual(
      [...Object.values(groups), pages.personas].map(({ title }) => title.en),
    );
    await whole.getByRole('button', { name: 'Cancel' }).click();
    await send(page, '/settings');
    await said('Settings of this channel').waitFor();
    await press('Budgets');
    const form = page.getByRole('dialog', { name: 'Budgets' });
    await form.getByLabel('user_credits', { exact: true }).fill('50');
    await form.getByRole('button', { name: 'Send' }).click();
    await said('Changed: user_credits').waitFor();
    await press('Limits');
    const limits = page.getByRole('dialog', { name: 'Limits' });
    await limits.getByLabel('confirm_over').fill('20');
    await limits.getByRole('button', { name: 'Send' }).click();
    await said('Changed: confirm_over').waitFor();

    await send(page, '/imagine a red kite --size 256x256');
    await said('will cost 22 credits').waitFor();
    await press('No');
    await said('Nothing was sent and nothing was spent.').waitFor();
    for (const [index, prompt] of ['a red kite', 'a blue kite'].entries()) {
      await send(page, `/imagine ${prompt} --size 256x256`);
      await said('will cost 22 credits').waitFor();
      await press('Yes, go ahead');
      await expect.poll(() => page.locator('.picture-loaded').count()).toBe(index + 1);
    }
    await send(page, '/imagine a green kite --size 256x256');
    const refusal = page.locator('.composer .refusal');
    await refusal.getByText('Your daily budget of 50 credits has 6 left').waitFor();

    await page.locator('.in-channel .line').fill('');
    await send(page, '/usage --by kind');
    await said('Total: 44 credits, 2 calls').waitFor();
    await page.getByRole('img', { name: 'Chart: Credits today, by kind' }).first().waitFor();
    expect(complaints).toEqual([]);
  });
});
