import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Locale } from '../../src/port/index.ts';
import { wordsOf } from './draw/html.ts';
import type { Panel } from './draw/page.ts';
import { type Bot, startBot } from './stage/bot.ts';
import { playables } from './stage/play.ts';

const locales: readonly Locale[] = ['en', 'zh-CN'];
const bots: Bot[] = [];
/** What each scene showed, by its name and language. */
const played = new Map<string, Promise<readonly Panel[]>>();

// One bot for each platform and language plays its scenes one after another: much of their time is Slack's own.
beforeAll(async () => {
  for (const platform of ['Discord', 'Slack']) {
    for (const locale of locales) {
      const bot = await startBot();
      bots.push(bot);
      let before: Promise<unknown> = Promise.resolve();
      for (const scene of playables.filter((one) => one.platform === platform)) {
        const panels = before.then(() => scene.play(bot, locale));
        before = panels.catch(() => {});
        played.set(`${scene.name} ${locale}`, panels);
      }
    }
  }
});

afterAll(async () => {
  for (const bot of bots) await bot.close();
});

describe.each(playables)('$name', ({ name, shows }) => {
  it.each(locales)('shows what it is about, in %s', async (locale) => {
    const panels = (await played.get(`${name} ${locale}`)) ?? [];
    const seen = panels.map(({ drawn }) => wordsOf(drawn)).join('\n');
    for (const words of shows[locale]) expect(seen).toContain(words);
    expect(seen).not.toMatch(/undefined|\[object|\bNaN\b/);
    expect(panels.flatMap(({ drawn }) => drawn.source.match(/class="unknown"><b>[^<]*/g) ?? [])).toEqual([]);
    if (locale === 'zh-CN')
      expect(buttonsIn(panels).filter((label) => !/\p{Script=Han}/u.test(label))).toEqual([]);
  });
});

it('asks nothing that the test servers refuse, and logs no error', () => {
  for (const { discord, errors } of bots) {
    expect(discord.journal.violations).toEqual([]);
    expect(errors).toEqual([]);
  }
});

/** What stands on buttons; not signs such as ‹ and 👍, which need no words. */
function buttonsIn(panels: readonly Panel[]): string[] {
  return panels
    .flatMap(({ drawn }) => [...drawn.source.matchAll(/<span class="button[^>]*>([^<]*)<\/span>/g)])
    .map(([, label = '']) => label)
    .filter((label) => /\p{L}/u.test(label));
}
