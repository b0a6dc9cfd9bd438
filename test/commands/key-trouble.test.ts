import { afterEach, describe, expect, it } from 'vitest';
import { admin, ann, here, personCalled, Stage, type StageOptions } from './stage.ts';

let stage: Stage;
const open = async (options?: StageOptions) => {
  stage = await Stage.open(options);
};
afterEach(() => stage.close());

const refuseAll = (times = 1_000) =>
  stage.control({
    faults: ['chat', 'speech', 'voices'].map((operation) => ({ operation, do: 'error', status: 401, times })),
  });
const told = () => stage.standing.filter(({ message }) => message.mentions?.length);

describe('a key that is not accepted', () => {
  it('is said once in a place, then to who asks alone, and not at all where no answer is owed', async () => {
    await open();
    await refuseAll();
    await stage.give('ask', { prompt: 'one' });
    expect(stage.text).toContain('does not accept my key');
    const second = await stage.give('ask', { prompt: 'two' });
    expect(second).toEqual({ kind: 'refused', text: expect.stringContaining('does not accept my key') });
    expect(await stage.give('speak', { text: 'three' })).toMatchObject({ kind: 'refused', repeated: true });
    const there = { ...here, channel: 'other' };
    const elsewhere = await stage.give('ask', { prompt: 'four' }, ann, there);
    expect(elsewhere).not.toHaveProperty('repeated');
    await stage.clock.advance(5 * 60_000);
    expect(await stage.give('ask', { prompt: 'five' }, ann, there)).not.toHaveProperty('repeated');
    expect(stage.standing).toHaveLength(1);
    expect(await stage.give('help')).toMatchObject({ kind: 'accepted' });
  });

  it('is told to administrators where they were seen, and is on /readyz', async () => {
    await open();
    await stage.give('help', {}, admin);
    const boss = personCalled('boss', { administrator: true, locale: 'zh-CN' });
    await stage.give('help', {}, boss, {
      ...here,
      workspace: 'v',
      thread: 't',
      ticket: { token: 'short-lived' },
    });
    await refuseAll();
    await stage.give('ask', { prompt: 'one' });
    await stage.until(() => told().length === 2);
    expect(
      told().map(({ message, address }) => [message.mentions, address.workspace, address.ticket]),
    ).toEqual([
      [['admin'], 'w', undefined],
      [['boss'], 'v', undefined],
    ]);
    expect(told()[0]?.message.text).toContain('`SERVICE_API_KEY`');
    expect(told()[1]?.message.text).toContain('服务拒绝了我的密钥');
    expect(stage.bot.keyWatch.notReady()).toMatch(/^the key is not accepted, since 2026-11-20T/);
  });

  it('is tried again by itself, and everybody goes on when it is accepted', async () => {
    await open();
    await stage.give('help', {}, admin);
    await refuseAll(3);
    await stage.give('ask', { prompt: 'one' });
    expect(await stage.give('ask', { prompt: 'two' })).toMatchObject({ kind: 'refused' });
    await stage.until(() => stage.bot.keyWatch.notReady() === undefined);
    expect(told().map(({ message }) => message.text)).toEqual([
      expect.stringContaining('refuses my key'),
      '⚠️ I can work again.',
    ]);
    await stage.control({ faults: [] });
    await stage.database.deleteFrom('ledger').execute();
    await stage.service.voices.list();
    expect((await stage.give('speak', { text: 'hi' })).kind).toBe('accepted');
  });
});

describe('an account without credits', () => {
  it('blocks what could not be paid for a while, and nothing cheaper', async () => {
    await open({ sandbox: { credits: 50 } });
    await stage.give('video', { prompt: 'x', resolution: '480p' });
    await stage.rendersEnded();
    expect(stage.standing.some(({ message }) => message.text?.includes('out of credits'))).toBe(true);
    expect(await stage.give('video', { prompt: 'x' })).toMatchObject({
      kind: 'refused',
      text: expect.stringContaining('no credits left'),
    });
    expect(stage.bot.keyWatch.notReady()).toMatch(/^the account has no credits left, since/);
    await stage.give('speak', { text: 'cheap' });
    expect(stage.bot.keyWatch.notReady()).toBeUndefined();
    await stage.control({ credits: 'unlimited' });
    expect(await stage.give('video', { prompt: 'x' })).toMatchObject({ kind: 'accepted' });
    await stage.rendersEnded();
    expect((await stage.ledger()).map(({ state }) => state)).toEqual(['failed', 'spent', 'spent']);
  });

  it('is tried again by people after a while', async () => {
    await open({ sandbox: { credits: 0 } });
    await stage.give('speak', { text: 'x' });
    expect(await stage.give('speak', { text: 'x' })).toMatchObject({ kind: 'refused' });
    await stage.control({ credits: 10 });
    await stage.clock.advance(120_000);
    expect(await stage.give('speak', { text: 'x' })).toMatchObject({ kind: 'accepted' });
    expect(stage.latest.message.files).toHaveLength(1);
  });
});
