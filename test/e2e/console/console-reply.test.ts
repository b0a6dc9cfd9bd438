import { describe, expect, it } from 'vitest';
import { Writer } from '../../platforms/console/support/commands.ts';
import { startStage } from '../../platforms/console/support/stage.ts';
import { chromiumNote, chromiumPath, openPage, send } from '../support/browser.ts';

describe.skipIf(!chromiumPath)(`replying on the console page${chromiumNote}`, () => {
  it('shows what’s replied to above the input and in the message, and can be taken back', async () => {
    const writer = new Writer();
    const stage = await startStage({ commands: [writer.command as never] });
    const { page } = await openPage(stage.url);
    const say = async (words: string, answered: string) => {
      const next = writer.next();
      await send(page, words);
      const { live, done } = await next;
      live.append(answered);
      await live.finish({ kind: 'done' });
      done();
      await page.getByText(answered).first().waitFor();
    };
    await say('What is tea?', 'Tea is a drink.');
    const answer = page.locator('.by-bot').first();
    await answer.hover();
    await answer.getByRole('button', { name: 'Reply' }).click();
    await page.getByText('Replying to: Tea is a drink.').waitFor();
    await page.getByRole('button', { name: 'Don’t reply to it' }).click();
    expect(await page.locator('.reply-chip').isVisible()).toBe(false);
    await answer.getByRole('button', { name: 'Reply' }).click();
    await say('Hot?', 'Mostly.');
    expect(await page.locator('.replies-to').textContent()).toBe('Tea is a drink.');
    expect(await page.locator('.reply-chip').isVisible()).toBe(false);
    await expect.poll(() => page.locator('.line').inputValue()).toBe('');
  });
});
