import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Locale } from '../../src/port/index.ts';
import { sampleStudio } from '../e2e/support/sample-studio.ts';
import { FakeClock } from '../fakes/clock.ts';
import { isLong } from '../long-form.ts';
import { wordsOf } from './draw/html.ts';
import type { Panel } from './draw/page.ts';
import { type Bot, startBot } from './stage/bot.ts';
import { playables } from './stage/play.ts';

const locales: readonly Locale[] = ['en', 'zh-CN'];
/** A scene in each language; in short, every second one in Chinese. */
const plays = playables.flatMap((scene, index) =>
  locales
    .filter((_, language) => isLong || index % 2 === language)
    .map((locale) => ({ ...scene, locale, title: `${scene.name}, in ${locale}` })),
);
let bot: Bot;
// One bot plays them one after another.
beforeAll(async () => {
  bot = await startBot({ media: sampleStudio, jumping: new FakeClock(Date.now()) });
});

afterAll(() => bot.close());

it.each(plays)('$title, shows what it is about', async ({ locale, shows, play }) => {
  const panels = await play(bot, locale);
  const seen = panels.map(({ drawn }) => wordsOf(drawn)).join('\n');
  for (const words of shows[locale]) expect(seen).toContain(words);
  expect(seen).not.toMatch(/undefined|\[object|\bNaN\b/);
  expect(panels.flatMap(({ drawn }) => drawn.source.match(/class="unknown"><b>[^<]*/g) ?? [])).toEqual([]);
  if (locale === 'zh-CN')
    expect(buttonsIn(panels).filter((label) => !/\p{Script=Han}/u.test(label))).toEqual([]);
});

it('asks nothing that the test servers refuse, and logs no error', () => {
  expect(bot.discord.journal.violations).toEqual([]);
  expect(bot.errors).toEqual([]);
});

/** What stands on buttons; not signs such as ‹ and 👍, which need no words. */
function buttonsIn(panels: readonly Panel[]): string[] {
  return panels
    .flatMap(({ drawn }) => [...drawn.source.matchAll(/<span class="button[^>]*>([^<]*)<\/span>/g)])
    .map(([, label = '']) => label)
    .filter((label) => /\p{L}/u.test(label));
}
