import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Locale } from '../../src/port/index.ts';
import { wordsOf } from './draw/html.ts';
import { type Bot, startBot } from './stage/bot.ts';
import { playables } from './stage/play.ts';

const locales: readonly Locale[] = ['en', 'zh-CN'];
const bots: Partial<Record<Locale, Bot>> = {};

beforeAll(async () => {
  for (const locale of locales) bots[locale] = await startBot();
});

afterAll(async () => {
  for (const bot of Object.values(bots)) await bot.close();
});

describe.each(playables)('$name', ({ play, shows }) => {
  it.concurrent.each(locales)('shows what it is about, in %s', async (locale) => {
    const bot = bots[locale]!;
    const panels = await play(bot, locale);
    const seen = panels.map(({ drawn }) => wordsOf(drawn)).join('\n');
    for (const words of shows[locale]) expect(seen).toContain(words);
    expect(seen).not.toMatch(/undefined|\[object|\bNaN\b/);
    expect(panels.flatMap(({ drawn }) => drawn.source.match(/class="unknown"><b>[^<]*/g) ?? [])).toEqual([]);
    expect(bot.discord.journal.violations).toEqual([]);
    expect(bot.warnings).toEqual([]);
  });
});
