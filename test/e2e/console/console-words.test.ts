import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startBot } from '../support/bot.ts';
import { chromiumNote, chromiumPath, openPage, sent } from '../support/browser.ts';

const given = (page: Page) => page.locator('.in-channel .by-you').last();

const languages = [
  {
    locale: 'en-US',
    image: 'imagine a lighthouse --size 512x512',
    prompt: 'a lighthouse',
    about: 'Draw an image',
    helpAsked: 'What can you do?',
    help: 'What I can do',
    explained: 'speak help',
    question: 'ask me anything, please',
  },
  {
    locale: 'zh-CN',
    image: '画图 一座灯塔 --size 512x512',
    prompt: '一座灯塔',
    about: '画一张图',
    helpAsked: '你能做什么？',
    help: '我在这里能做什么',
    explained: '朗读 帮助',
    question: '画图是什么意思呀',
  },
] as const;

describe.skipIf(!chromiumPath)(`a line without a slash on the console page${chromiumNote}`, () => {
  it.each(languages)('is the command that it begins with, help or a question ($locale)', async (said) => {
    const bot = await startBot();
    const { page, complaints } = await openPage(bot.url, { locale: said.locale });
    const line = page.locator('.in-channel .line');
    const hint = page.locator('.in-channel .hint');

    // While it's typed: what will run is marked and explained, and its options are completed.
    await line.pressSequentially(said.image.slice(0, -'ze 512x512'.length));
    await expect.poll(() => hint.textContent()).toContain(said.about);
    expect(await page.locator('.in-channel .mark-command').textContent()).toBe(said.image.split(' ')[0]);
    await line.press('Tab');
    expect(await line.inputValue()).toBe(said.image.slice(0, -'512x512'.length));
    await expect.poll(() => hint.textContent()).toContain('1920x1080');
    await line.fill(said.question);
    expect(await hint.textContent()).toBe('');

    await sent(page, said.image);
    expect(await given(page).locator('.given').getAttribute('data-command')).toBe('imagine');
    expect(await given(page).locator('.given-text').textContent()).toBe(said.prompt);
    await page.locator('.in-channel .picture-loaded').waitFor();

    await sent(page, said.helpAsked);
    expect(await given(page).locator('.given-text').textContent()).toBe(said.helpAsked);
    await page.locator('.in-channel .by-bot', { hasText: said.help }).waitFor();

    await sent(page, said.explained);
    expect(await given(page).locator('.given').getAttribute('data-command')).toBe('help');
    await page.locator('.in-channel .by-bot').last().locator('strong', { hasText: '/speak' }).waitFor();

    await sent(page, said.question);
    expect(await given(page).locator('.given').getAttribute('data-command')).toBe('ask');
    expect(await given(page).locator('.given-text').textContent()).toBe(said.question);
    await page.locator('.in-channel .by-bot').last().getByRole('button').first().waitFor();
    expect(complaints).toEqual([]);
  });
});
