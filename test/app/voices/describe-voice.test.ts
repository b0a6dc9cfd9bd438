import { describe, expect, it } from 'vitest';
import { suggest } from '../../../src/app/suggestions.ts';
import { describeVoice } from '../../../src/app/voices.ts';
import { knownVoices } from '../../../src/service-rules/voices.ts';

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
