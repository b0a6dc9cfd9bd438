import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Locale } from '../../src/port/index.ts';
import { scaledClock } from '../chaos/scaled-clock.ts';
import { sampleStudio } from '../e2e/support/sample-studio.ts';
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
const bots: Bot[] = [];
/** What each scene showed, by its name and language. */
const played = new Map<string, Promise<readonly Panel[]>>();

// One bot for each platform plays its scenes one after another: much of their time is Slack's own.
beforeAll(async () => {
  for (const platform of ['Discord', 'Slack']) {
    const bot = await startBot({ media: sampleStudio, clock: scaledClock(4) });
    bots.push(bot);
    let before: Promise<unknown> = Promise.resolve();
    for (const { title, locale, play } of plays.filter((one) => one.platform === platform)) {
      const panels = before.then(() => play(bot, locale));
      before = panels.catch(() => {});
      played.set(title, panels);
    }
  }
});

afterAll(async () => {
  for (const bot of bots) await bot.close();
});

it.each(plays)('$title, shows what it is about', async ({ title, locale, shows }) => {
  const panels = (await played.get(title)) ?? [];
  const seen = panels.map(({ drawn }) => wordsOf(drawn)).join('\n');
  for (const words of shows[locale]) expect(seen).toContain(words);
  expect(seen).not.toMatch(/undefined|\[object|\bNaN\b/);
  expect(panels.flatMap(({ drawn }) => drawn.source.match(/class="unknown"><b>[^<]*/g) ?? [])).toEqual([]);
  if (locale === 'zh-CN')
    expect(buttonsIn(panels).filter((label) => !/\p{Script=Han}/u.test(label))).toEqual([]);
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
