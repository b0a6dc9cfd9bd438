import { loadImage } from '@napi-rs/canvas';
import { beforeEach, describe, expect, it } from 'vitest';
import { admin, ann, directWith, here, personCalled, Stage } from './support/stage.ts';

let stage: Stage;
// The sixtieth character is half of the emoji.
const bobsName = `Bobxy ${'o'.repeat(53)}`;
const bob = personCalled('bob', { name: `B*o\`b|[x](y) ${'o'.repeat(53)}🙂` });
const wang = personCalled('wang', { name: '王小明', locale: 'zh-CN' });

beforeEach(async () => {
  stage = await Stage.open({ settings: { budgets: { user: 200, channel: 0, workspace: 0, total: 0 } } });
  await stage.give('imagine', { prompt: 'x' });
  await stage.give('speak', { text: 'eight ch' });
  await stage.make('imagine', { prompt: 'x' }, bob, { ...here, channel: 'other' });
});

const lines = () => stage.text.split('\n');

describe('/usage', () => {
  it('shows everybody their own, with what is left of their budget', async () => {
    await stage.give('usage');
    expect(stage.latest.seenBy).toBe('requester');
    expect(lines()).toEqual([
      '**Credits today, by kind (yours)**',
      '1. Images: **22** (1 call)',
      '2. Speech: **0.5** (1 call)',
      '',
      'Total: **22.5 credits**, 2 calls',
      expect.stringMatching(/^Your budget: 177\.5 of 200 credits left\. It renews in 1[12] h/),
    ]);
    expect(stage.buttons).toEqual(['Dark chart']);
    const image = await loadImage(Buffer.from(await stage.file()));
    expect(image.width).toBe(1_520);
    expect(stage.latest.message.files![0]).toMatchObject({
      kind: 'image',
      description: 'Chart: Credits today, by kind (yours)',
    });
  });

  it('shows administrators everybody’s, by name, and their own when asked', async () => {
    await stage.give('usage', { by: 'user' }, admin);
    expect(lines().slice(0, 4)).toEqual([
      '**Credits today, by person (everyone here)**',
      '1. ann: **22.5** (2 calls)',
      `2. ${bobsName}: **22** (1 call)`,
      '',
    ]);
    expect(stage.buttons).toEqual(['Only mine', 'As CSV', 'Dark chart']);
    await stage.press('Only mine', admin);
    expect(lines().slice(0, 2)).toEqual(['**Credits today, by person (yours)**', 'No credits used.']);
    await stage.press('Everyone', admin);
    expect(lines()[0]).toBe('**Credits today, by person (everyone here)**');
  });

  it.each([
    // It would turn all that follows in its line: 300 would read as 003.
    ['turns the direction of text', '\u202eevE\u2066', 'evE'],
    ['has nothing to be seen', '\u3164\u200b\ufe0f', 'eve'],
  ])('tells what was used by a person whose name %s', async (_, name, expected) => {
    await stage.give('speak', { text: 'eight ch' }, personCalled('eve', { name }));
    await stage.give('usage', { by: 'user' }, admin);
    expect(lines()).toContain(`3. ${expected}: **0.5** (1 call)`);
  });

  it('calls a person by their latest name', async () => {
    for (const name of ['zed', 'Adam']) {
      await stage.clock.advance(60_000);
      await stage.give('speak', { text: 'eight ch' }, personCalled('eve', { name }));
    }
    await stage.give('usage', { by: 'user' }, admin);
    expect(lines()).toContain('3. Adam: **1** (2 calls)');
  });

  it('names what people have spent who had their data deleted since', async () => {
    await stage.give('privacy', {}, bob);
    await stage.press('Delete my data', bob);
    await stage.press('Delete my data', bob);
    await stage.clock.advance(25 * 3_600_000);
    await stage.bot.erase();
    await stage.give('usage', { by: 'user', period: 'month' }, admin);
    expect(lines()).toContain('2. Deleted data: **22** (1 call)');
    await stage.give('usage', { by: 'user', period: 'month' }, { ...admin, locale: 'zh-CN' });
    expect(lines()).toContain('2. 已删除的数据：**22**（1 次）');
  });

  it('calls channels by their names where the platform tells them', async () => {
    await stage.give('usage', { by: 'channel' }, admin);
    expect(lines().slice(1, 3)).toEqual(['1. general: **22.5** (2 calls)', '2. other: **22** (1 call)']);
  });

  it('calls one’s own direct messages that, and nobody else’s', async () => {
    for (const person of [ann, bob])
      for (const whose of [ann, bob])
        await stage.make('imagine', { prompt: 'x' }, person, directWith(whose.id));
    await stage.give('usage', { by: 'channel' });
    expect(lines()).toContain('2. Our direct messages: **22** (1 call)');
    expect(lines()).toContain('3. direct bob: **22** (1 call)');
  });

  it('counts one call as one, in the sum and above the table', async () => {
    const elsewhere = { ...here, workspace: 'another' };
    await stage.make('imagine', { prompt: 'x' }, bob, elsewhere);
    await stage.give('usage', { by: 'user' }, admin, elsewhere);
    expect(lines()).toContain('Total: **22 credits**, 1 call');
    await stage.press('As CSV', admin);
    expect(stage.text).toBe('1 call, newest last.');
  });

  it('gives administrators every call as a table, and others not', async () => {
    await stage.give('usage', {}, admin);
    const shown = stage.latest;
    await stage.press('As CSV', admin);
    const text = Buffer.from(await stage.file()).toString();
    expect(text.trimEnd().split('\r\n')).toHaveLength(4);
    expect(stage.latest.seenBy).toBe('requester');
    expect(await stage.pressOn(shown, 'As CSV', ann)).toMatchObject({ kind: 'refused' });
    await stage.pressOn(shown, 'As CSV', { ...admin, administrator: false });
    expect(stage.latest.message.files).toBeUndefined();
  });

  it('remembers who likes a dark chart', async () => {
    await stage.give('usage');
    const light = await stage.file();
    await stage.press('Dark chart');
    const dark = await stage.file();
    expect(Buffer.compare(Buffer.from(light), Buffer.from(dark))).not.toBe(0);
    expect(stage.buttons).toEqual(['Light chart']);
    await stage.give('usage');
    expect(stage.buttons).toEqual(['Light chart']);
    expect(Buffer.compare(Buffer.from(await stage.file()), Buffer.from(dark))).toBe(0);
    await stage.press('Light chart');
    expect(Buffer.compare(Buffer.from(await stage.file()), Buffer.from(light))).toBe(0);
    await stage.give('usage', {}, bob);
    expect(stage.buttons).toEqual(['Dark chart']);
  });

  it('counts from the midnight of the place', async () => {
    // It is 20:00 in Shanghai now; four hours later it is tomorrow there.
    await stage.give('settings', { time_zone: 'Asia/Shanghai' }, admin);
    await stage.clock.advance(4 * 3_600_000);
    await stage.give('usage');
    // Its day isn't over: it's UTC's.
    expect(stage.text).toContain(
      'No credits used.\nYour budget: 177.5 of 200 credits left. It renews in 8 h',
    );
    await stage.give('usage', { period: 'week' });
    expect(stage.text).toContain('**22.5 credits**');
    await stage.give('usage', {}, personCalled('ann', { timeZone: 'America/New_York' }));
    expect(stage.text).toContain('**22.5 credits**');
  });

  it('says what is a range and what nobody knows', async () => {
    await stage.give('ask', { prompt: 'Tides?' });
    await stage.give('ask', { prompt: 'Half [[break off]]' });
    await stage.give('usage');
    expect(lines()[2]).toMatch(/^2\. Chat: \*\*0\.0\d+–\d\.\d+\*\* \(2 calls\)$/);
    expect(stage.text).toContain('Chat is priced as a range');
    expect(stage.text).toContain('1 call was cut off and may or may not have been charged');
  });

  it('has what’s under way, as the budgets have it', async () => {
    stage = await Stage.open({ settings: { budgets: { user: 1_000, channel: 0, workspace: 0, total: 0 } } });
    await stage.give('video', { prompt: 'a cat' });
    await stage.give('usage');
    expect(stage.text).toContain('Total: **400 credits**, 1 call\n-# 1 call is in progress. It’s included.');
    expect(stage.text).toContain('600 of 1,000 credits left. It renews');
    await stage.rendersEnded();
    await stage.give('usage');
    expect(stage.text).toContain('Total: **400 credits**, 1 call\nYour budget');
  });

  it('puts together what does not fit into a chart', async () => {
    for (let count = 0; count < 14; count++) {
      await stage.give('speak', { text: 'x' }, personCalled(`p${count}`));
    }
    await stage.give('usage', {}, admin);
    expect(lines()[12]).toBe('12. 5 others: **0.625** (5 calls)');
    expect(lines()[13]).toBe('');
  });

  it('speaks Chinese', async () => {
    await stage.make('imagine', { prompt: 'x' }, wang);
    await stage.give('usage', { by: 'user', period: 'month' }, { ...admin, locale: 'zh-CN' });
    expect(lines()[0]).toBe('**本月积分，按用户（这里所有人）**');
    expect(stage.text).toContain('王小明：**22**（1 次）');
  });
});
