import { beforeEach, describe, expect, it } from 'vitest';
import { PlaceSettings } from '../../src/place-settings/index.ts';
import type { Address } from '../../src/port/index.ts';
import { knownVoices } from '../../src/service-rules/voices.ts';
import { admin, ann, directWith, here, personCalled, Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

const lastOptions = async () => {
  const rows = await stage.database.selectFrom('jobs').select(['options', 'command']).execute();
  const row = rows.findLast(({ command }) => command !== 'me');
  return JSON.parse(row?.options ?? '{}');
};

describe('/me', () => {
  it('shows what is not chosen with what holds here, to its requester alone', async () => {
    await stage.give('settings', { model: 'svc-llm-1.5-pro' }, admin);
    await stage.give('me');
    expect(stage.latest.seenBy).toBe('requester');
    expect(stage.text).toContain('- Model: not set; `svc-llm-1.5-pro` here');
    expect(stage.text).toContain('- Only visible to you: not set; off here');
  });

  it('sets defaults that override the channel’s, and are overridden by what is typed', async () => {
    await stage.give('settings', { model: 'svc-llm-1.5', image_size: '4k' }, admin);
    await stage.give('me', { model: 'svc-llm-1.5-pro', image_size: '3k' });
    expect(stage.text).toContain('- Model: `svc-llm-1.5-pro`');
    await stage.give('ask', { prompt: 'hi' });
    expect(await lastOptions()).toMatchObject({ model: 'svc-llm-1.5-pro' });
    await stage.give('ask', { prompt: 'hi', model: 'svc-llm-1.5' });
    expect(await lastOptions()).toMatchObject({ model: 'svc-llm-1.5' });
    await stage.give('imagine', { prompt: 'x' });
    expect(await lastOptions()).toMatchObject({ size: '3k' });
    await stage.give('imagine', { prompt: 'x' }, personCalled('bob'));
    expect(await lastOptions()).toMatchObject({ size: '4k' });
    await stage.rendersEnded();
  });

  it('makes answers private by default, unless private:false is typed, or it is a direct message', async () => {
    await stage.give('me', { private: 'on' });
    expect(await stage.give('ask', { prompt: 'hi' })).toMatchObject({ seenBy: 'requester' });
    expect(await stage.give('ask', { prompt: 'hi', private: 'false' })).toMatchObject({ seenBy: 'channel' });
    expect(await stage.give('ask', { prompt: 'hi' }, personCalled('bob'))).toMatchObject({
      seenBy: 'channel',
    });
    const alone = { ...ann, direct: true } as const;
    expect(await stage.give('ask', { prompt: 'hi' }, alone, directWith('ann'))).toMatchObject({
      seenBy: 'channel',
    });
  });

  it('asks privately whether to go on, and goes on privately', async () => {
    await stage.give('settings', { confirm_over: '0' }, admin);
    await stage.give('me', { private: 'on' });
    await stage.give('imagine', { prompt: 'x' });
    expect(await stage.press('Yes, go ahead')).toMatchObject({ seenBy: 'requester' });
    await stage.rendersEnded();
    expect(stage.standing.filter(({ seenBy }) => seenBy === 'channel')).toEqual([]);
  });

  it('undoes a choice with inherit, and all that are left empty in its form', async () => {
    await stage.give('me', { model: 'svc-llm-1.5-pro', image_size: '3k' });
    await stage.give('me', { model: 'inherit' });
    expect(stage.text).toContain('- Model: not set');
    expect(stage.text).toContain('- Image size: `3k`');
    expect(await stage.press('Change')).toMatchObject({
      kind: 'form',
      form: { values: { image_size: '3k' }, fields: ['model', 'voice', 'language', 'image_size', 'private'] },
    });
    await stage.press('Change', ann, { private: 'on' });
    expect(stage.text).toContain('- Image size: not set');
    expect(stage.text).toContain('- Only visible to you: on');
  });

  it('takes inherit in any case: a phone begins with a capital', async () => {
    await stage.give('me', { voice: 'en_male_tim_uranus_bigtts' });
    await stage.give('me', { voice: 'Inherit' });
    expect(stage.text).toContain('- Voice: not set');
  });

  it.each([
    [{ image_size: 'huge' }, '`image_size` can’t be “huge”'],
    [{ voice: 'nobody' }, 'nobody'],
    [{ language: '???' }, '`language`'],
  ])('refuses what can’t be: %j', async (options, sentence) => {
    const prepared = await stage.give('me', options);
    expect(prepared.kind === 'refused' ? prepared.text : stage.text).toContain(sentence);
    await stage.give('me');
    expect(stage.text).not.toMatch(/: `(huge|nobody|\?\?\?)`/);
  });

  it('keeps a language to the voice it was chosen for', async () => {
    const voice = knownVoices[1]!.id;
    await stage.give('settings', { language: 'en' }, admin);
    await stage.give('speak', { text: 'hi' });
    expect(await lastOptions()).toMatchObject({ language: 'en' });
    await stage.give('me', { voice });
    await stage.give('speak', { text: 'hi' });
    expect(await lastOptions()).toMatchObject({ voice });
    expect(await lastOptions()).not.toHaveProperty('language');
  });

  it('ignores a voice and a model that aren’t there any more', async () => {
    const rows = [
      { name: 'voice', value: '"gone_voice"' },
      { name: 'model', value: '"gone-model"' },
      { name: 'colour', value: '"blue"' },
    ].map((row) => ({ platform: 'console', workspace: '', person: 'ann', ...row }));
    await stage.database.insertInto('personal_defaults').values(rows).execute();
    await stage.bot.voiceList.refresh();
    expect(await stage.give('speak', { text: 'hi' })).toMatchObject({ kind: 'accepted' });
    expect((await lastOptions()).voice).not.toBe('gone_voice');
    await stage.give('ask', { prompt: 'hi' });
    expect(await lastOptions()).toMatchObject({ model: 'svc-llm-1.5' });
  });

  it('is for a person on their platform: everywhere on Discord, in a workspace on Slack', async () => {
    const at = (platform: Address['platform'], workspace: string): Address => ({
      ...here,
      platform,
      workspace,
    });
    const placeSettings = new PlaceSettings(stage.database, {} as never, () => 0);
    await placeSettings.choosePersonally(at('discord', 'a'), 'ann', { model: 'svc-llm-1.5-pro' });
    await placeSettings.choosePersonally(at('slack', 'a'), 'ann', { private: true });
    const personal = async (place: Address) => (await placeSettings.forPerson(place, 'ann')).personal;
    expect(await personal(at('discord', 'b'))).toEqual({ model: 'svc-llm-1.5-pro' });
    expect(await personal(at('slack', 'a'))).toEqual({ private: true });
    expect(await personal(at('slack', 'b'))).toEqual({});
  });

  it('says in words what can’t be typed', async () => {
    await stage.give('me', { voice: knownVoices[1]!.id });
    expect(stage.text).toContain('- Language: not set; the voice’s default here');
  });

  it('speaks Chinese to who does, in which a voice isn’t any sound', async () => {
    const zhang = { ...ann, locale: 'zh-CN' } as const;
    await stage.give('me', { private: 'on', voice: knownVoices[1]!.id }, zhang);
    expect(stage.text).toContain('仅自己可见：开');
    expect(stage.text).toContain('音色：`');
    expect(stage.text).toContain('语言：未设置，这里是音色的默认语言');
    expect(stage.text).not.toContain('声音');
    await stage.give('voices', {}, zhang);
    expect(stage.text).toContain('12 个音色');
  });
});
