import { describe, expect, it } from 'vitest';
import { echo } from '../../platforms/console/support/commands.ts';
import { startStage } from '../../platforms/console/support/stage.ts';
import { chromiumNote, chromiumPath, openPage, send } from '../support/browser.ts';

describe.skipIf(!chromiumPath)(`the menu of a message on the console page${chromiumNote}`, () => {
  const repeat = {
    ...echo,
    name: 'ask',
    fromMessage: {
      label: { en: 'Ask about this', 'zh-CN': '就此提问' },
      description: { en: 'x', 'zh-CN': '甲' },
      fields: [echo.textOption ?? ''],
      begin: ({ author, text }: { author: string; text: string }) => ({
        values: { [echo.textOption ?? '']: `${author} said ${text}` },
        added: { about: author },
      }),
    },
  };

  it('opens the form of a command, which is sent with what the message says', async () => {
    const stage = await startStage({ commands: [repeat] as never[] });
    const { page } = await openPage(stage.url);
    await send(page, '/ask hello');
    const answer = page.locator('.by-bot', { hasText: 'hello' }).first();
    await answer.hover();
    await answer.getByLabel('More about this message').click();
    await answer.getByRole('button', { name: 'Ask about this' }).click();
    const form = page.getByRole('dialog', { name: 'Ask about this' });
    expect(await form.getByLabel('words').inputValue()).toMatch(/^troupe said .*hello/);
    await form.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.by-bot', { hasText: 'troupe said' }).waitFor();
    await page.locator('.by-you .replies-to', { hasText: 'hello' }).waitFor();
  });
});
