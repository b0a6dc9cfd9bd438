import { describe, expect, it } from 'vitest';
import { echo, look } from '../../platforms/console/support/commands.ts';
import { startStage } from '../../platforms/console/support/stage.ts';
import { chromiumNote, chromiumPath, openPage, send } from '../support/browser.ts';

describe.skipIf(!chromiumPath)(`the forms of the console page${chromiumNote}`, () => {
  // Under the talents' names, which the page has buttons for.
  const commands = [{ ...echo, name: 'ask' }, echo, { ...look, name: 'imagine' }] as never[];

  async function opened() {
    const stage = await startStage({ commands });
    const { page } = await openPage(stage.url);
    await page.locator('.line').waitFor();
    return { stage, page };
  }

  it('have a field for every option, and send what was entered', async () => {
    const { page } = await opened();
    await page.getByTitle('/ask as a form').click();
    const form = page.getByRole('dialog', { name: '/ask' });
    await form.getByLabel('words').fill('from a form');
    await form.getByRole('radiogroup', { name: 'size' }).getByText('large').click();
    await form.getByLabel('times').fill('2');
    await form.getByLabel('voice').fill('ada_voice');
    await form.getByRole('button', { name: 'Send' }).click();
    await page.locator('.by-bot', { hasText: 'from a form' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.locator('.given-option').allTextContents()).toEqual([
      'size large',
      'times 2',
      'voice ada_voice',
    ]);
    await page.locator('.line').press('ArrowUp');
    expect(await page.locator('.line').inputValue()).toBe(
      '/ask from a form --size large --times 2 --voice ada_voice',
    );
  });

  it('open for every command, from below the input', async () => {
    const { page } = await opened();
    await page.locator('.line').fill('/echo hello ');
    await page.getByRole('button', { name: 'Open as form', exact: true }).click();
    const form = page.getByRole('dialog', { name: '/echo' });
    expect(await form.getByLabel('words').inputValue()).toBe('hello');
    await form.getByRole('button', { name: 'Send' }).click();
    await page.locator('.by-bot', { hasText: 'hello' }).waitFor();
  });

  it('open where a command is sent without what it requires, with what was typed; the line stays', async () => {
    const { page } = await opened();
    await page.setViewportSize({ width: 360, height: 640 });
    const line = page.locator('.line');
    await line.fill('/echo --size large ');
    await line.press('Enter');
    const form = page.getByRole('dialog', { name: '/echo' });
    expect(await form.getByRole('radio', { name: 'large' }).isChecked()).toBe(true);
    expect(await page.locator('.composer .refusal').textContent()).toBe('');
    expect(await line.inputValue()).toBe('/echo --size large ');
    await form.getByLabel('words').fill('now said');
    await form.getByRole('button', { name: 'Send' }).click();
    await page.locator('.by-bot', { hasText: 'now said' }).waitFor();
    expect(await line.inputValue()).toBe('');
  });

  it('start with the values of the input', async () => {
    const { page } = await opened();
    await page.locator('.line').fill('/ask half a thought --size small');
    await page.getByTitle('/ask as a form').click();
    const form = page.getByRole('dialog', { name: '/ask' });
    expect(await form.getByLabel('words').inputValue()).toBe('half a thought');
    expect(await form.getByRole('radio', { name: 'small' }).isChecked()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.locator('.line').inputValue()).toBe('/ask half a thought --size small');
  });

  it('say what a field takes across the form, and its limits in one piece', async () => {
    const speed = {
      type: 'number',
      min: 0.5,
      max: 2,
      description: { en: 'How fast it is said; 1 is normal speed', 'zh-CN': '语速' },
    };
    const stage = await startStage({
      commands: [{ ...echo, options: { ...echo.options, speed } }] as never[],
    });
    const { page } = await openPage(stage.url);
    await page.locator('.line').fill('/echo ');
    await page.getByRole('button', { name: 'Open as form', exact: true }).click();
    const field = page.locator('.form-field', { hasText: 'How fast it is said; 1 is normal speed' });
    const width = (of: typeof field) => of.evaluate((node) => node.getBoundingClientRect().width);
    expect(await width(field)).toBe(await width(page.locator('.form-field', { hasText: 'words' }).first()));
    const inPieces: string[] = [];
    for (let across = 320; across <= 420; across += 10) {
      await page.setViewportSize({ width: across, height: 640 });
      for (const limit of await page.locator('.field-rules').all())
        if ((await limit.evaluate((node) => node.getClientRects().length)) > 1)
          inPieces.push(`${await limit.textContent()} at ${across}`);
    }
    expect(inPieces).toEqual([]);
  });

  it('take files, or links if the service fetches the files itself', async () => {
    const { page } = await opened();
    await page.getByTitle('/imagine as a form').click();
    const form = page.getByRole('dialog', { name: '/imagine' });
    expect(await form.getByText('Use film_urls with public https links').count()).toBe(1);
    expect(await form.locator('input[type=file]').count()).toBe(1);
    const file = (name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from([1]) });
    await form.locator('input[type=file]').setInputFiles([file('a.png'), file('b.png'), file('c.png')]);
    await form.getByText('You can add at most 2 files.').waitFor();
    await form.getByRole('button', { name: 'Send' }).click();
    await page.locator('.by-bot', { hasText: '2: a.png, b.png' }).waitFor();
  });

  it('stay open with everything in them until the bot takes it', async () => {
    const { page } = await opened();
    await send(page, '/echo first');
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Once more' });
    expect(await form.getByLabel('words').inputValue()).toBe('first');
    expect(await form.locator('.form-field').count()).toBe(2);
    await form.getByLabel('words').fill('x'.repeat(201));
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('at most 200 are allowed').waitFor();
    await form.getByLabel('words').fill('second');
    await page.keyboard.press('Control+Enter');
    await page.locator('.by-bot', { hasText: 'second' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
