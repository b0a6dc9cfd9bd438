import { describe, expect, it } from 'vitest';
import { asking, echo, look } from '../../platforms/console/support/commands.ts';
import { startStage } from '../../platforms/console/support/stage.ts';
import { chromiumNote, chromiumPath, openPage } from '../support/browser.ts';

describe.skipIf(!chromiumPath)(`the line of the console page${chromiumNote}`, () => {
  async function opened() {
    const stage = await startStage({
      commands: [asking as never, echo as never, look as never],
    });
    const { page, complaints } = await openPage(stage.url);
    const line = page.getByRole('combobox', { name: 'Message or command' });
    await line.waitFor();
    return { stage, page, line, complaints };
  }

  it('sends plain text as a question, and shows it and the answer after a reload too', async () => {
    const { page, line, complaints } = await opened();
    await line.fill('what is a tide?');
    await line.press('Enter');
    await page.locator('.by-you', { hasText: 'what is a tide?' }).waitFor();
    await page.locator('.by-bot', { hasText: 'what is a tide?' }).waitFor();
    expect(await line.inputValue()).toBe('');
    await page.reload();
    await page.locator('.by-bot', { hasText: 'what is a tide?' }).waitFor();
    expect(await page.locator('.message').count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  it('says on a phone what a command does without a word beyond the edge', async () => {
    const { page, line } = await opened();
    await page.setViewportSize({ width: 320, height: 640 });
    const hint = page.locator('.hint');
    for (const typed of ['/echo hello', '/echo hello --size ']) {
      await line.fill(typed);
      await hint.getByText('size').first().waitFor();
      expect(await hint.evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
    }
  });

  it('shows examples in an empty channel, which fill the input', async () => {
    const { page, line } = await opened();
    await page.getByRole('heading', { name: 'Four talents, one message box' }).waitFor();
    await page.getByRole('button', { name: 'Explain the tides to a child' }).click();
    expect(await line.inputValue()).toBe('Explain the tides to a child');
    expect(await line.evaluate((node) => node === node.ownerDocument.activeElement)).toBe(true);
    expect(await page.locator('.message').count()).toBe(0);
    await line.press('Enter');
    await page.locator('.by-bot').waitFor();
    await page.locator('.welcome').waitFor({ state: 'detached' });
  });

  it('completes commands, options, choices and suggestions by keyboard', async () => {
    const { page, line } = await opened();
    const list = page.getByRole('listbox', { name: 'Suggestions' });
    // Typed anywhere, it begins a command.
    await page.keyboard.press('/');
    await list.getByRole('option', { name: '/echo' }).waitFor();
    await page.keyboard.type('ec');
    await page.keyboard.press('Enter');
    expect(await line.inputValue()).toBe('/echo ');
    await page.keyboard.type('hello --si');
    await page.keyboard.press('Tab');
    expect(await line.inputValue()).toBe('/echo hello --size ');
    await list.getByRole('option', { name: 'large' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    // As a slow browser tells of the cursor that Tab moved.
    await line.evaluate((node) => node.ownerDocument.dispatchEvent(new Event('selectionchange')));
    const chosen = await line.getAttribute('aria-activedescendant');
    expect(await page.locator(`[id="${chosen}"]`).textContent()).toBe('large');
    await page.keyboard.press('Enter');
    await page.keyboard.type('--voice bo');
    await list.getByRole('option', { name: /Bo · 中文/ }).waitFor();
    await page.keyboard.press('Enter');
    expect(await line.inputValue()).toBe('/echo hello --size large --voice bo_voice ');
    await page.keyboard.press('Enter');
    await page.locator('.by-bot', { hasText: 'hello' }).waitFor();
    expect(await page.locator('.by-you .given-option').allTextContents()).toEqual([
      'size large',
      'voice bo_voice',
    ]);
  });

  it('recalls sent inputs, and keeps the unsent one', async () => {
    const { page, line } = await opened();
    for (const words of ['first', 'second']) {
      await line.fill(words);
      await line.press('Enter');
      await page.locator('.by-bot', { hasText: words }).waitFor();
    }
    await line.fill('half');
    await line.press('ArrowUp');
    await line.press('ArrowUp');
    expect(await line.inputValue()).toBe('first');
    await line.press('ArrowDown');
    await line.press('ArrowDown');
    expect(await line.inputValue()).toBe('half');
    await page.reload();
    expect(await line.inputValue()).toBe('half');
  });

  it('explains the option at the cursor, and faults of others', async () => {
    const { page, line } = await opened();
    const hint = page.locator('.hint');
    await line.pressSequentially('/echo hello --times ');
    expect(await hint.textContent()).toContain('How often');
    expect(await hint.textContent()).toContain('1 to 3');
    await line.pressSequentially('9 ');
    expect(await hint.textContent()).toContain('times can’t be “9”');
    await line.fill('/echo hello --tims 2 ');
    expect(await hint.textContent()).toContain('no option --tims');
  });

  it('refuses words that a command doesn’t take once they’re sent: they may become an option', async () => {
    const stage = await startStage({ commands: [{ ...look, textOption: undefined } as never] });
    const { page } = await openPage(stage.url);
    const line = page.locator('.in-channel .line');
    await line.pressSequentially('/look wor');
    expect(await page.locator('.hint').textContent()).toContain('Looks at files');
    await line.press('Enter');
    await page.locator('.composer .refusal', { hasText: 'no option “wor”' }).waitFor();
  });

  it('explains it in Chinese with Chinese marks', async () => {
    const stage = await startStage({ commands: [echo as never] });
    const { page } = await openPage(stage.url, { locale: 'zh-CN' });
    const line = page.locator('.in-channel .line');
    await line.pressSequentially('/echo hello --times ');
    expect(await page.locator('.hint').textContent()).toContain('整数，1 到 3');
  });

  it('keeps a refused input, and shows the bot’s reason', async () => {
    const { page, line } = await opened();
    const refused = '/echo hello --times 9';
    await line.fill(refused);
    await line.press('Enter');
    const refusal = page.locator('.composer .refusal');
    await refusal.getByText('Allowed: 1–3').waitFor();
    expect(await refusal.textContent()).not.toContain('spent');
    expect(await line.inputValue()).toBe(refused);
    await line.fill('/nothing at all');
    await line.press('Enter');
    await refusal.getByText('no command /nothing').waitFor();
    expect(await page.locator('.message').count()).toBe(0);
  });

  it('attaches files to commands that take them, and says what to do otherwise', async () => {
    const { page, line } = await opened();
    const picker = page.locator('.composer input[type=file]');
    const image = { name: 'cat.png', mimeType: 'image/png', buffer: Buffer.from([1]) };
    await picker.setInputFiles([image, { ...image, name: 'dog.png' }]);
    await page.locator('.upload:not(.uploading)').nth(1).waitFor();
    await line.fill('/look here');
    await line.press('Enter');
    await page.locator('.by-bot', { hasText: '2: cat.png, dog.png' }).waitFor();
    await page.locator('.upload').first().waitFor({ state: 'detached' });
    await picker.setInputFiles(image);
    await line.fill('plain words');
    await line.press('Enter');
    await page
      .locator('.composer .refusal', { hasText: 'Add files to a command that takes them: /look.' })
      .waitFor();
    await page.getByRole('button', { name: 'Remove cat.png' }).click();
    await page.locator('.upload').first().waitFor({ state: 'detached' });
  });

  it('accepts dropped and pasted files, up to the limit', async () => {
    const { page } = await opened();
    const transfer = await page.evaluateHandle(
      `(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['x'], 'dropped.png', { type: 'image/png' }));
        for (const name of ['huge.png', 'vast.png'])
          transfer.items.add(new File([new ArrayBuffer(26 * 1024 ** 2)], name, { type: 'image/png' }));
        return transfer;
      })()`,
    );
    await page.dispatchEvent('.place-view', 'drop', { dataTransfer: transfer });
    await page.locator('.upload', { hasText: 'dropped.png' }).waitFor();
    for (const name of ['huge.png', 'vast.png'])
      await page.locator('.refusal', { hasText: `${name} is too large. At most 25 MiB` }).waitFor();
    await page.evaluate(
      `(() => {
        const data = new DataTransfer();
        data.items.add(new File(['x'], 'pasted.png', { type: 'image/png' }));
        document.querySelector('.line').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      })()`,
    );
    await page.locator('.upload', { hasText: 'pasted.png' }).waitFor();
    expect(await page.locator('.upload').count()).toBe(2);
  });

  it('inserts a line break on Shift+Enter, and doesn’t send during IME composition', async () => {
    const { page, line } = await opened();
    await line.pressSequentially('one');
    await line.press('Shift+Enter');
    await line.pressSequentially('two');
    expect(await line.inputValue()).toBe('one\ntwo');
    await line.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect(await line.inputValue()).toBe('one\ntwo');
    await line.press('Enter');
    await page.locator('.by-bot').waitFor();
    expect(await page.locator('.by-you .given-text').textContent()).toBe('one\ntwo');
  });
});
