import { describe, expect, it } from 'vitest';
import { suggest } from '../../../src/app/suggestions.ts';
import { describeVoice } from '../../../src/app/voices.ts';
import { withSuggested } from '../../../src/engine/suggestions.ts';
import { autocompleteChoices } from '../../../src/platforms/discord/commands/command-definition.ts';
import type { Locale, SuggestionSource } from '../../../src/port/index.ts';
import { knownVoices } from '../../../src/service-rules/voices.ts';
import { words } from '../../../src/words/index.ts';
import { here } from '../../fakes/records.ts';

const vivi = { id: 'zh_female_vv_uranus_bigtts', languages: ['zh-CN', 'en'] };
const girl = { id: 'saturn_zh_female_keainvsheng_tob', languages: ['zh-CN'] };

describe('what people read of a voice', () => {
  it.each([
    ['a known one', vivi, 'Vivi · female · Chinese, English', 'Vivi · 女声 · 中文、英文'],
    ['one with a name in each language', girl, 'Cute Girl · female · Chinese', '可爱女生 · 女声 · 中文'],
    [
      'one that the service names',
      { ...vivi, name: 'Viv' },
      'Viv · female · Chinese, English',
      'Viv · 女声 · 中文、英文',
    ],
    [
      'one the service alone knows',
      { id: 'x', name: 'Ex', gender: 'male' as const, languages: ['fr'] },
      'Ex · male · fr',
      'Ex · 男声 · fr',
    ],
    ['one of which nothing is known but its id', { id: 'x', languages: [] }, '', ''],
    [
      'one whose name would begin a line',
      { id: 'x', name: 'Ex\n# Big', languages: [] },
      'Ex # Big',
      'Ex # Big',
    ],
    ['one whose name would format', { id: 'x', name: '**[Ex](y)**', languages: [] }, 'Exy', 'Exy'],
  ])('%s', (_, voice, en, zh) => {
    expect(describeVoice(voice, 'en')).toBe(en);
    expect(describeVoice(voice, 'zh-CN')).toBe(zh);
  });

  it('counts one voice as one', () => {
    const title = (count: number) => words('en').spending.voices.title(count);
    expect(title(1)).toBe('**1 voice.** Click its number to hear it.');
    expect(title(2)).toBe('**2 voices.** Click a number to hear it.');
  });

  it('is suggested in their language, and found by name, gender or language; its id is what is typed', () => {
    const voiceList = { voices: [vivi, girl, { id: 'x', languages: [] }] };
    expect(suggest('voices', '', 'en', voiceList)).toEqual([
      { value: vivi.id, label: 'Vivi · female · Chinese, English', name: 'Vivi' },
      { value: girl.id, label: 'Cute Girl · female · Chinese', name: 'Cute Girl' },
      { value: 'x', label: 'x' },
    ]);
    expect(suggest('voices', '可爱', 'zh-CN', voiceList)).toEqual([
      { value: girl.id, label: '可爱女生 · 女声 · 中文', name: '可爱女生' },
    ]);
    expect(suggest('voices', 'female english', 'en', voiceList).map(({ value }) => value)).toEqual([vivi.id]);
  });

  // Discord’s client chooses the first of those with the same label (discord-api-docs#8565).
  it.each(['en', 'zh-CN'] as const)(
    'is told from others with the same name, or none, by its id: %s',
    (locale) => {
      const another = { ...vivi, id: 'zh_female_vv_mars_bigtts', name: 'Vivi', gender: 'female' as const };
      const unnamed = ['new_a', 'new_b'].map((id) => ({ id, languages: ['en'] }));
      const voices = [vivi, girl, another, ...unnamed];
      const labels = suggest('voices', '', locale, { voices }).map(({ label }) => label);
      expect(new Set(labels).size).toBe(voices.length);
      for (const [index, { id }] of voices.entries())
        expect(labels[index]?.includes(id)).toBe(id !== girl.id);
    },
  );

  it('is told from others that speak as many languages by what Discord shows of it, and found by that', async () => {
    const languages = Array.from(
      { length: 40 },
      (_, index) => `x${String.fromCharCode(97 + (index % 26))}-${index + 10}`,
    );
    const named = ['new_c', 'new_d'].map((id) => ({ id, name: 'Ada', languages }));
    const unnamed = ['new_a', 'new_b'].map((id) => ({ id, languages }));
    const voices = [...named, ...unnamed, { id: 'new_e', name: 'Eve', languages }];
    const found = async (source: SuggestionSource, typed: string, locale: Locale) =>
      suggest(source, typed, locale, { voices });
    const typing = {
      data: { name: 'speak', options: [{ name: 'voice', type: 3, value: 'xa-10', focused: true }] },
      locale: 'en-US',
    } as unknown as Parameters<typeof autocompleteChoices>[0];
    const dispatcher = {
      suggest: async (_: string, __: string, ...typed: [string, Locale]) => found('voices', ...typed),
    };
    const choices = await autocompleteChoices(typing, here, dispatcher);
    expect(choices.map(({ value }) => value)).toEqual(voices.map(({ id }) => id));
    const { voice } = {
      voice: { type: 'text', suggest: 'voices', description: { en: '', 'zh-CN': '' } } as const,
    };
    for (const { name, value } of choices)
      expect(await withSuggested({ voice }, { voice: name }, here, found)).toEqual({ voice: value });
  });

  it('tells the known voices apart in both languages', () => {
    for (const locale of ['en', 'zh-CN'] as const) {
      const names = knownVoices.map(({ name }) => name[locale]);
      expect(new Set(names).size).toBe(knownVoices.length);
      expect(names.every((name) => name.trim() !== '')).toBe(true);
    }
  });

  it('says of each known voice what its id says', () => {
    for (const { id, gender } of knownVoices) expect(id).toContain(`_${gender}_`);
  });
});
