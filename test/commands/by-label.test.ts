import { beforeEach, describe, expect, it, vi } from 'vitest';
import { admin, ann, here, personCalled, Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

const vivi = 'zh_female_vv_uranus_bigtts';
const wang = personCalled('wang', { locale: 'zh-CN' });
const optionsOfLatest = async () => {
  const { options } = await stage.database
    .selectFrom('jobs')
    .select('options')
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  return JSON.parse(options) as Record<string, unknown>;
};

// Discord's client sends what it shows where somebody came back to a channel, or pasted a command (discord-api-docs#7206, #7916).
describe('what a suggestion shows, instead of its value', () => {
  it.each([
    ['in English', 'Vivi · female · Chinese, English', ann],
    ['in Chinese', 'Vivi · 女声 · 中文、英文', wang],
    ['in the language of somebody else', 'Vivi · 女声 · 中文、英文', ann],
    ['only the name', ' vivi ', ann],
  ])('is its voice for /speak: %s', async (_, voice, person) => {
    expect(await stage.give('speak', { text: 'Hello', voice }, person)).toMatchObject({ kind: 'accepted' });
    expect(await optionsOfLatest()).toMatchObject({ voice: vivi });
  });

  it('is its voice in settings, defaults and personas', async () => {
    await stage.give('me', { voice: 'Vivi · female · Chinese, English' });
    expect(stage.text).toContain(vivi);
    await stage.give('settings', { voice: '可爱女生' }, admin);
    expect(stage.text).toContain('✅');
    await stage.give('settings', { page: 'personas' }, admin);
    await stage.press('Add a persona', admin, { name: 'Ada', voice: 'Tim · male · English' });
    expect(stage.text).toContain('- `Ada` · `en_male_tim_uranus_bigtts`');
  });

  it('is its voice where its name is its id, begun with a capital', async () => {
    const voices = [
      { id: 'alloy', name: 'Alloy', languages: [] },
      { id: 'nova', name: 'NOVA', languages: ['en'] },
      { id: 'Nova', name: 'Sun', languages: ['en'] },
    ];
    vi.spyOn(stage.service.voices, 'list').mockResolvedValue(voices);
    await stage.bot.voiceList.refresh();
    const [{ label = '' } = {}] = await stage.bot.dispatcher.suggest('speak', 'voice', 'all', 'en', here);
    expect(label).toBe('Alloy');
    for (const [voice, id] of [
      [label, 'alloy'],
      ['Nova', 'Nova'],
      ['nova', 'nova'],
    ] as const) {
      expect(await stage.give('speak', { text: 'Hello', voice })).toMatchObject({ kind: 'accepted' });
      expect(await optionsOfLatest()).toMatchObject({ voice: id });
    }
    // Either may be meant.
    expect(await stage.give('speak', { text: 'Hello', voice: 'NOVA' })).toMatchObject({ kind: 'refused' });
  });

  it('is nobody where no persona is chosen', async () => {
    await stage.give('settings', { page: 'personas' }, admin);
    await stage.press('Add a persona', admin, { name: 'Ada' });
    expect(await stage.give('ask', { prompt: 'Hello', as: '无' }, wang)).toMatchObject({ kind: 'accepted' });
    await stage.give('settings', { page: 'personas' }, admin);
    await stage.press('Add a persona', admin, { name: '无' });
    await stage.give('ask', { prompt: 'Hello', as: '无' }, wang);
    expect(await optionsOfLatest()).toMatchObject({ as: '无' });
  });

  it('is no voice where nothing is called so', async () => {
    const given = { text: 'Hello', voice: 'female' };
    expect(await stage.give('speak', given)).toMatchObject({ kind: 'refused', reason: 'options' });
  });
});
