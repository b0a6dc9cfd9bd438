import { describe, expect, it } from 'vitest';
import { knownVoices } from '../../src/service-rules/voices.ts';
import { refuse } from '../fakes/database.ts';
import { admin, ann, personCalled, Stage } from './support/stage.ts';

let stage: Stage;

const voiceLines = () => stage.text.split('\n').filter((line) => /^\d+\. /.test(line));

describe('/voices', () => {
  it('lists the known voices with their languages while the service tells none', async () => {
    stage = await Stage.open();
    await stage.give('voices');
    expect(stage.text).toContain('these are the ones I know');
    expect(voiceLines()).toHaveLength(knownVoices.length);
    expect(voiceLines()[0]).toBe('1. Vivi · female · Chinese, English · `zh_female_vv_uranus_bigtts`');
    expect(stage.buttons).toEqual(knownVoices.map((_, index) => `▶ ${index + 1}`));
  });

  it.each([
    ['中文', 'zh-CN'],
    ['普通话', 'zh-CN'],
    ['Chinese', 'zh-CN'],
    ['英语', 'en'],
    [' english ', 'en'],
  ])('knows a language by what people call it: %s', async (called, tag) => {
    stage = await Stage.open();
    const voices = knownVoices.filter(({ languages }) => languages.some((one) => one === tag));
    await stage.give('voices', { language: called });
    expect(voiceLines()).toHaveLength(voices.length);
    await stage.give('me', { language: called });
    expect(stage.text).toContain(`- Language: \`${tag}\``);
    expect(await stage.give('speak', { text: 'x', language: called })).toMatchObject({ kind: 'accepted' });
    expect(await stage.give('voices', { language: 'Klingon' })).toMatchObject({ kind: 'refused' });
  });

  it('lists what the service tells', async () => {
    stage = await Stage.open();
    await stage.bot.voiceList.refresh();
    await stage.give('voices', { language: 'en' }, personCalled('wang', { locale: 'zh-CN' }));
    expect(stage.text).not.toContain('以下是已知的音色');
    expect(voiceLines()).toHaveLength(4);
    expect(voiceLines()[0]).toBe('1. Vivi · 女声 · 中文、英文 · `zh_female_vv_uranus_bigtts`');
    await stage.give('voices', { language: 'fr' });
    expect(stage.text).toBe('No voice speaks `fr`.');
  });

  it('lets each be heard, and pays for a sample once, however many listen at once', async () => {
    stage = await Stage.open();
    await stage.give('voices');
    const list = stage.latest;
    await Promise.all([1, 2, 3].map(() => stage.pressOn(list, '▶ 2')));
    expect(stage.latest).toMatchObject({
      seenBy: 'requester',
      message: {
        text: '**Cancan · female · Chinese**\n`saturn_zh_female_cancan_tob`',
        files: [
          { kind: 'audio', contentType: 'audio/mpeg', description: '你好！很高兴认识你，我的声音就是这样。' },
        ],
      },
    });
    expect((await stage.file()).byteLength).toBeGreaterThan(1_000);
    await stage.give('voices', { language: 'zh-CN' }, personCalled('bob'));
    await stage.press('▶ 2', personCalled('bob'));
    expect(await stage.ledger()).toMatchObject([{ kind: 'speech', person: 'ann', state: 'spent' }]);
    expect((await stage.meter()).operations.speech.calls).toBe(1);
  });

  it('plays a sample that was paid for though it cannot be kept now, once paid for, and keeps it later', async () => {
    stage = await Stage.open();
    const takesAgain = await refuse(stage.database, 'insert on keyv', "new.key like 'voice-sample%'");
    await stage.give('voices');
    const list = stage.latest;
    for (const times of [1, 2]) {
      await stage.pressOn(list, '▶ 1');
      expect(stage.standing).toHaveLength(1 + times);
      expect((await stage.file()).byteLength).toBeGreaterThan(1_000);
    }
    const samples = stage.database.selectFrom('keyv').select('key').where('key', 'like', 'voice-sample%');
    const kept = async () => (await samples.execute()).length;
    await stage.clock.advance(3_600_000);
    expect(await kept()).toBe(0);
    await takesAgain();
    await stage.until(async () => (await kept()) === 1);
    await stage.pressOn(list, '▶ 1');
    expect(stage.latest.message.files).toHaveLength(1);
    expect(await stage.ledger()).toMatchObject([{ kind: 'speech', state: 'spent' }]);
    expect((await stage.meter()).operations.speech.calls).toBe(1);
  });

  it('pays again for what could not be made', async () => {
    stage = await Stage.open();
    await stage.control({ faults: [{ operation: 'speech', do: 'error', status: 400 }] });
    await stage.give('voices');
    const list = stage.latest;
    await stage.pressOn(list, '▶ 1');
    expect(stage.text).toContain('⚠️');
    await stage.pressOn(list, '▶ 1');
    expect(stage.latest.message.files).toHaveLength(1);
    expect(await stage.ledgerStates()).toEqual(['failed', 'spent']);
  });

  it('keeps within budgets', async () => {
    stage = await Stage.open({ settings: { budgets: { user: 0.5, channel: 0, workspace: 0, total: 0 } } });
    await stage.give('voices');
    expect(await stage.press('▶ 1', ann)).toMatchObject({
      text: expect.stringContaining('Your daily budget of 0.5 credits has 0.5 left'),
    });
    expect((await stage.meter()).calls).toBe(0);
  });

  it('keeps to the rules of /speak: off, for some people only, asked first', async () => {
    stage = await Stage.open();
    await stage.give('voices');
    const list = stage.latest;
    await stage.give('settings', { off: 'speak' }, admin);
    expect(await stage.pressOn(list, '▶ 1')).toEqual({
      kind: 'refused',
      text: '`/speak` is turned off here. An administrator can turn it on.',
      reason: 'rules',
    });
    await stage.give('settings', { off: 'none', users_speak: 'bob1' }, admin);
    expect(await stage.pressOn(list, '▶ 1')).toMatchObject({
      text: expect.stringContaining('Only certain people can use `/speak` here'),
    });
    await stage.give('settings', { users_speak: 'none', confirm_over: '0' }, admin);
    await stage.pressOn(list, '▶ 1');
    expect(stage.text).toContain('`/speak` will cost');
    expect((await stage.meter()).calls).toBe(0);
    await stage.press('Yes, go ahead');
    expect(stage.latest).toMatchObject({ seenBy: 'requester', message: { files: [{ kind: 'audio' }] } });
    await stage.give('settings', { confirm_over: 'inherit', user_credits: '0.7' }, admin);
    expect(await stage.pressOn(list, '▶ 2')).toMatchObject({
      text: expect.stringContaining('Your daily budget of 0.7 credits'),
    });
    await stage.pressOn(list, '▶ 1');
    expect(stage.latest.message.files).toHaveLength(1);
    expect((await stage.ledger()).map(({ kind, state }) => [kind, state])).toEqual([['speech', 'spent']]);
  });

  it('goes on where there are more than there can be buttons', async () => {
    stage = await Stage.open();
    const many = Array.from({ length: 45 }, (_, index) => ({ id: `voice_${index + 1}`, languages: ['en'] }));
    Object.defineProperty(stage.bot.voiceList, 'voices', { get: () => many });
    await stage.give('voices');
    expect(stage.buttons).toHaveLength(21);
    await stage.press('More voices');
    await stage.press('More voices');
    expect(voiceLines()).toHaveLength(5);
    expect(voiceLines()[0]).toBe('41. English · `voice_41`');
    expect(stage.buttons).toEqual(['▶ 41', '▶ 42', '▶ 43', '▶ 44', '▶ 45']);
  });
});
