import { describe, expect, it } from 'vitest';
import { echo, post, secret, Writer } from '../../platforms/console/support/commands.ts';
import { startStage } from '../../platforms/console/support/stage.ts';
import { chromiumNote, chromiumPath, openPage, overflow, phone, send } from '../support/browser.ts';

describe.skipIf(!chromiumPath)(`the console page${chromiumNote}`, () => {
  it('streams an answer without touching what is already shown', async () => {
    const writer = new Writer();
    const stage = await startStage({ commands: [writer.command as never] });
    const { page } = await openPage(stage.url);
    const next = writer.next();
    await send(page, 'go on');
    const { live, done } = await next;
    await page.getByText('troupe is working').waitFor();
    live.append('The *first* paragraph.\n\n```ts\nconst a = 1;\n');
    const answer = page.locator('.by-bot');
    await answer.getByText('const a = 1;').waitFor();
    expect(await page.getByText('troupe is working').count()).toBe(0);
    expect(await answer.getAttribute('aria-busy')).toBe('true');
    await answer.getByRole('button', { name: 'Stop' }).waitFor();
    await page.evaluate(
      `document.querySelectorAll('.by-bot .body > *').forEach((node, index) => { node.mark = index; })`,
    );
    live.append('const b = 2;\n```\n\nThe last words.');
    await live.finish({ kind: 'done' });
    done();
    await answer.getByRole('button', { name: 'Ended done' }).waitFor();
    expect(await answer.getAttribute('aria-busy')).toBe('false');
    const marks = await page.evaluate(
      `[...document.querySelectorAll('.by-bot .body > *')].map((node) => node.mark ?? null)`,
    );
    expect(marks).toEqual([0, 1, null]);
    expect(await answer.locator('code').textContent()).toBe('const a = 1;\nconst b = 2;');
    await page.getByRole('status').getByText('troupe: The first paragraph.').waitFor({ state: 'attached' });
  });

  it('sticks to the end when scrolled there, else keeps its position', async () => {
    const writer = new Writer();
    const stage = await startStage({ commands: [writer.command as never] });
    const { page } = await openPage(stage.url);
    const distance = () =>
      page.evaluate<number>(
        `(({ scrollHeight, scrollTop, clientHeight }) => Math.round(scrollHeight - scrollTop - clientHeight))(document.querySelector('.messages'))`,
      );
    const next = writer.next();
    await send(page, 'go on');
    const { live, done } = await next;
    live.append('a line of the answer\n\n'.repeat(60));
    await page.locator('.by-bot p').nth(50).waitFor();
    await expect.poll(distance).toBeLessThanOrEqual(1);
    await page.locator('.messages').evaluate((node) => {
      node.scrollTop = 100;
    });
    const jump = page.getByRole('button', { name: 'Newest messages' });
    await jump.waitFor();
    live.append('the very end');
    await page.getByText('the very end').waitFor();
    expect(await page.locator('.messages').evaluate((node) => node.scrollTop)).toBe(100);
    await jump.click();
    await expect.poll(distance).toBeLessThanOrEqual(1);
    await live.finish({ kind: 'done' });
    done();
  });

  it('is the same in all tabs, except for what is private to another browser', async () => {
    const stage = await startStage({ commands: [echo, secret] as never[] });
    const { page: one } = await openPage(stage.url);
    const tab = await one.context().newPage();
    await tab.goto(stage.url);
    const { page: other } = await openPage(stage.url);
    await other.locator('.line').waitFor();
    await send(one, '/secret');
    await one.locator('.by-bot', { hasText: 'only for you' }).waitFor();
    await tab.locator('.by-bot', { hasText: 'only for you' }).waitFor();
    await send(one, '/echo for everybody');
    await other.locator('.by-bot', { hasText: 'for everybody' }).waitFor();
    expect(await other.getByText('only for you').count()).toBe(0);
    expect(await one.locator('.private').count()).toBe(2);
  });

  it('has channels that can be made, named and deleted, and shows what is new in another', async () => {
    const stage = await startStage({ commands: [echo] as never[] });
    const { page } = await openPage(stage.url);
    await page.getByRole('button', { name: 'New channel' }).click();
    await page.getByLabel('Channel name').fill('pictures');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'pictures' }).waitFor();
    await stage.platform.adapter.post(await stage.address(), { text: 'new' }, 'k');
    await page.getByRole('link', { name: /general.*1 unread/ }).click();
    await page.locator('.by-bot', { hasText: 'new' }).waitFor();
    await page.locator('.unread').first().waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('heading', { name: 'pictures' }).waitFor();
    await page.getByRole('button', { name: 'More options for #pictures' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).press('Enter');
    await page.getByLabel('Channel name').fill('films');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'films' }).waitFor();
    await page.getByRole('button', { name: 'More options for #films' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete #films?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByRole('heading', { name: 'general', exact: true }).waitFor();
    expect(await page.getByRole('navigation').getByRole('link').count()).toBe(1);
  });

  it('opens a thread next to its channel, or instead of it on narrow screens', async () => {
    const stage = await startStage({ commands: [echo] as never[] });
    const { adapter } = stage.platform;
    const root = await adapter.post(await stage.address(), { text: 'a film' }, 'k');
    const thread = await adapter.openThread(root, 'a cat surfing');
    await adapter.post(thread, { text: 'rendering' }, 'p');
    const { page } = await openPage(stage.url);
    await page.getByRole('button', { name: /a cat surfing 1 message rendering/ }).click();
    await page.getByRole('heading', { name: /a cat surfing/ }).waitFor();
    await page.getByRole('heading', { name: 'general', exact: true }).waitFor();
    const line = page.locator('.in-thread .line');
    await line.fill('/echo in here');
    await line.press('Enter');
    await page.locator('.in-thread .by-bot', { hasText: 'in here' }).waitFor();
    await page.locator('.thread-card', { hasText: '3 messages' }).waitFor();
    await page.setViewportSize({ width: 800, height: 700 });
    expect(await page.getByRole('heading', { name: 'general', exact: true }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Close thread' }).click();
    await page.getByRole('heading', { name: 'general', exact: true }).waitFor();
  });

  it('says when the connection is lost and back again, and misses nothing', async () => {
    const stage = await startStage({ commands: [echo] as never[] });
    const { page } = await openPage(stage.url);
    await send(page, '/echo before');
    await page.locator('.by-bot', { hasText: 'before' }).waitFor();
    await stage.stop();
    await send(page, '/echo meanwhile');
    await page.getByText('Connection lost').waitFor();
    await page.getByText('Your message couldn’t be sent.').waitFor();
    expect(await page.locator('.line').inputValue()).toBe('/echo meanwhile');
    // It is shown for a moment only.
    const restored = page.getByText('Connected again.').waitFor();
    await stage.restart();
    await stage.platform.adapter.post(await stage.address(), { text: 'said meanwhile' }, 'k');
    await restored;
    await page.locator('.by-bot', { hasText: 'said meanwhile' }).waitFor();
    await page.locator('.line').press('Enter');
    // After what was said before, and what was said meanwhile.
    await page.locator('.by-bot', { hasText: 'meanwhile' }).nth(1).waitFor();
    expect(await page.locator('.by-you').count()).toBe(2);
  });

  it('loads older messages when scrolling up, and keeps its position', async () => {
    const stage = await startStage({ commands: [] });
    const address = await stage.address();
    for (let count = 1; count <= 120; count++) {
      await stage.platform.adapter.post(address, { text: `number ${count}.` }, `${count}`);
    }
    const { page } = await openPage(stage.url);
    await page.getByText('number 120.').waitFor();
    expect(await page.locator('.message').count()).toBe(50);
    expect(await page.getByText('number 120.').isVisible()).toBe(true);
    const topOf71 = () =>
      page.getByText('number 71.').evaluate((node) => Math.round(node.getBoundingClientRect().top));
    await page.locator('.messages').evaluate((node) => {
      node.scrollTop = 0;
    });
    const before = await topOf71();
    await page.getByText('number 21.').waitFor({ state: 'attached' });
    // Heights are whole pixels to a script, and fractions of them to the screen.
    await expect.poll(async () => Math.abs((await topOf71()) - before)).toBeLessThanOrEqual(1);
    await page.locator('.messages').evaluate((node) => {
      node.scrollTop = 0;
    });
    await page.getByText('This is the beginning of the conversation.').waitFor();
    expect(await page.locator('.message').count()).toBe(120);
  });

  it('is in Chinese for Chinese browsers, and has a language switch', async () => {
    const stage = await startStage({ commands: [echo] as never[] });
    const { page } = await openPage(stage.url, { locale: 'zh-CN' });
    await page.getByRole('heading', { name: '四种才艺，一个输入框' }).waitFor();
    await send(page, '/echo x --times 9');
    await page.locator('.composer .refusal', { hasText: '不能是 9' }).waitFor();
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Four talents, one message box' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Four talents, one message box' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
  });

  it('is bright by day and dark in the dark', async () => {
    const stage = await startStage();
    const brightness = async (colorScheme: 'light' | 'dark') => {
      const { page } = await openPage(stage.url, { colorScheme });
      const color = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      return Number(/\d+/.exec(color)?.[0]);
    };
    expect(await brightness('light')).toBeGreaterThan(200);
    expect(await brightness('dark')).toBeLessThan(60);
  });

  it('asks for its token, without any script, and again where its key is gone', async () => {
    const stage = await startStage({ token: 'the right token of this console' });
    const { page } = await openPage(stage.url, { javaScriptEnabled: false });
    await page.getByLabel('Console token').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').getByText('That isn’t the token.').waitFor();
    const { page: second } = await openPage(stage.url);
    await second.getByLabel('Console token').fill('the right token of this console');
    await second.keyboard.press('Enter');
    await second.locator('.line').waitFor();
    expect(second.url()).not.toContain('key');
    // Whoever follows a link with some other key stays logged in.
    const third = await second.context().newPage();
    await third.goto(`${stage.url}/#key=junk`);
    await third.locator('.line').waitFor();
    expect(third.url()).not.toContain('key');
    await second.reload();
    await second.locator('.line').waitFor();
    await second.evaluate(() => localStorage.clear());
    await second.reload();
    await second.getByLabel('Console token').fill('the right token of this console');
    await second.keyboard.press('Enter');
    await second.locator('.line').waitFor();
    await second.getByRole('button', { name: 'Log out' }).click();
    await second.getByLabel('Console token').waitFor();
  });

  it('fits a phone with any content', async () => {
    const stage = await startStage({ commands: [echo, post] as never[] });
    const { page } = await openPage(stage.url, phone);
    await page.locator('.welcome').waitFor();
    expect(await overflow(page)).toBe(0);
    const wide = `\`\`\`ts\n${'const a = 1; '.repeat(30)}\n\`\`\`\n\n|${' a long heading |'.repeat(12)}\n|${'-|'.repeat(12)}\n\n${'w'.repeat(400)}\n\nhttps://example.org/${'x'.repeat(300)}`;
    await page.locator('.line').fill(`/post -- ${wide}`);
    await page.locator('.send').tap();
    await page.locator('.by-bot .code').waitFor();
    expect(await overflow(page)).toBe(0);
    const scrolls = (part: string) =>
      page.locator(part).evaluate((node) => node.scrollWidth > node.clientWidth);
    expect(await scrolls('.by-bot .code pre')).toBe(true);
    expect(await scrolls('.by-bot .table')).toBe(true);
    const menu = page.getByRole('navigation', { name: 'Channels' });
    expect(await menu.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Show channels' }).tap();
    await menu.getByRole('link', { name: 'general' }).waitFor();
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });
    expect(await overflow(page)).toBe(0);
  });

  it('has a name for everything that can be pressed', async () => {
    const stage = await startStage({ commands: [{ ...echo, name: 'ask' }, post] as never[] });
    const { page } = await openPage(stage.url);
    await send(page, '/post some `words` --media true');
    await page.locator('.by-bot .clip-read').waitFor();
    const nameless = await page.evaluate(
      `[...document.querySelectorAll('button, a, input:not([type=file]), textarea, [role=slider], [tabindex="0"]')]
        .filter((node) => !(node.textContent.trim() || node.getAttribute('aria-label')))
        .map((node) => node.outerHTML)`,
    );
    expect(nameless).toEqual([]);
    // Who speaks to the page says what it shows (WCAG 2.2, label in name).
    const misnamed = await page.evaluate(
      `[...document.querySelectorAll('button[aria-label], a[aria-label]')]
        .filter((node) => !node.getAttribute('aria-label').includes(node.innerText.trim()))
        .map((node) => node.outerHTML)`,
    );
    expect(misnamed).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'shows the commands that were given in colors that stand out (%s)',
    async (colorScheme) => {
      const paid = ['speak', 'imagine', 'video'].map((name) => ({ ...echo, name }));
      const stage = await startStage({ commands: paid as never[] });
      const { page } = await openPage(stage.url, { colorScheme });
      for (const { name } of paid) await send(page, `/${name} hello`);
      await page.locator('.given-name').nth(2).waitFor();
      const seen = await page.evaluate<number[]>(contrasts);
      expect(seen).toHaveLength(6);
      // WCAG 2.2, contrast (minimum).
      expect(Math.min(...seen)).toBeGreaterThan(4.5);
    },
  );
});

/** The contrasts of what shows a sent command's name and its ground, on each color it may stand on (WCAG 2.2, contrast ratio). */
const contrasts = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const luminance = (...layers) => {
    for (const color of layers) {
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
    }
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const colorOf = (name) => {
    const probe = document.body.appendChild(document.createElement('span'));
    probe.style.color = 'var(' + name + ')';
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  return [...document.querySelectorAll('.given-name')].flatMap((node) => {
    const { color, backgroundColor } = getComputedStyle(node);
    return ['--paper', '--panel'].map((name) => {
      const both = [luminance(color), luminance(colorOf(name), backgroundColor)];
      return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    });
  });
})()`;
