import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/port/index.ts';
import {
  admin,
  ann,
  directWith,
  here,
  personCalled,
  Stage,
  type StageOptions,
} from '../../commands/support/stage.ts';

let stage: Stage;
const open = async (options?: StageOptions) => {
  stage = await Stage.open(options);
};

const owner = (person: string) => ({ platform: 'console', workspace: '', person }) as const;
/** The service refuses the key so many times, first that of a question. */
const askInVain = async (times = 1_000) => {
  const refused = { do: 'error', status: 401, times };
  await stage.control({
    faults: ['chat', 'speech', 'voices'].map((operation) => ({ operation, ...refused })),
  });
  await stage.give('ask', { prompt: 'one' });
};
/** The platform takes no message with these words. */
const isAway = (words: string) => {
  const away = new PlatformError('unreachable');
  stage.refuses = ({ text }) => (text?.includes(words) ? away : undefined);
};
/** What stands in the direct messages of somebody. */
const told = (person: string) =>
  stage.standing
    .filter(({ address }) => address.channel === directWith(person).channel)
    .map(({ message }) => message.text);
const unavailable = 'The service isn’t available right now. The person who runs this bot has been notified.';

describe('a key that is not accepted', () => {
  const news = [
    expect.stringContaining('doesn’t accept my key'),
    expect.stringMatching(/^✅ The service works again\./),
  ];

  it('is said once in a place, then to who asks alone, and not at all where no answer is owed', async () => {
    await open();
    await askInVain();
    const [answer] = stage.standing.filter(({ address }) => address.workspace === 'w');
    expect(answer?.message.text).toContain(unavailable);
    const second = await stage.give('ask', { prompt: 'two' });
    expect(second).toEqual({ kind: 'refused', text: unavailable, reason: 'key' });
    expect(await stage.give('speak', { text: 'three' })).toMatchObject({ kind: 'refused', repeated: true });
    const there = { ...here, channel: 'other' };
    const elsewhere = await stage.give('ask', { prompt: 'four' }, ann, there);
    expect(elsewhere).not.toHaveProperty('repeated');
    await stage.clock.advance(5 * 60_000);
    expect(await stage.give('ask', { prompt: 'five' }, ann, there)).not.toHaveProperty('repeated');
    expect(stage.standing.filter(({ address }) => address.workspace === 'w')).toHaveLength(1);
    expect(await stage.give('help')).toMatchObject({ kind: 'accepted' });
  });

  it('is told to operators directly, in the language they were seen to speak, and is on /readyz', async () => {
    await open();
    stage.owners = [owner('owner'), owner('zhang')];
    await stage.bot.operators.on('console');
    await stage.give('help', {}, personCalled('zhang', { locale: 'zh-CN' }));
    await askInVain();
    await stage.until(() => told('owner').length + told('zhang').length === 2);
    expect(told('owner')).toEqual([expect.stringContaining('`SERVICE_API_KEY`')]);
    expect(told('zhang')).toEqual([expect.stringContaining('服务不接受我的密钥')]);
    expect(stage.bot.keyWatch.notReady()).toMatch(/^the key is not accepted, since 2026-11-20T/);
  });

  it('is told to nobody else: no administrator, nobody who wrote in a direct message, nothing in a channel', async () => {
    await open();
    await stage.give('help', {}, admin);
    const eve = personCalled('eve', { direct: true });
    await stage.give('help', {}, eve, directWith('eve'));
    await askInVain();
    await stage.give('ask', { prompt: 'one' }, eve, directWith('eve'));
    await stage.until(() => told('owner').length === 1);
    const others = stage.standing.filter(({ address }) => address.channel !== directWith('owner').channel);
    const said = others.map(({ message }) => message.text ?? '').join('\n');
    expect(said).toContain(unavailable);
    expect(said).not.toMatch(/key|account/i);
  });

  it('is told to those that OPERATORS names, whatever the platforms say', async () => {
    await open({ settings: { operators: [owner('ops')] } });
    await askInVain();
    await stage.until(() => told('ops').length === 1);
    expect(told('owner')).toEqual([]);
  });

  it('is told to an operator once, when their platform is back, however long that takes', async () => {
    await open();
    isAway('SERVICE_API_KEY');
    await askInVain();
    await stage.clock.advance(2 * 3_600_000);
    expect(told('owner')).toEqual([]);
    stage.refuses = () => undefined;
    await stage.clock.advance(600_000);
    expect(told('owner')).toEqual([expect.stringContaining('`SERVICE_API_KEY`')]);
    await stage.clock.advance(2 * 3_600_000);
    expect(told('owner')).toHaveLength(1);
  });

  it('is told to the operators of one platform while another cannot say who its own are, and to those later', async () => {
    await open();
    let isAway = true;
    stage.bot.addPlatform({
      adapter: stage.adapter('discord'),
      operators: async () => {
        if (isAway) throw new PlatformError('unreachable');
        return [{ platform: 'discord', workspace: '', person: 'ada' }];
      },
    });
    await askInVain();
    await stage.until(() => told('owner').length === 1);
    await stage.clock.advance(3_600_000);
    expect(told('ada')).toEqual([]);
    isAway = false;
    await stage.clock.advance(600_000);
    for (const person of ['owner', 'ada'])
      expect(told(person)).toEqual([expect.stringContaining('`SERVICE_API_KEY`')]);
  });

  it('is told once to somebody who takes no direct messages, and to the others', async () => {
    await open();
    stage.owners = [owner('deaf'), owner('owner')];
    let tries = 0;
    const directMessages = async (_: string, person: string) => {
      if (person !== 'deaf') return directWith(person);
      tries += 1;
      throw new PlatformError('no-permission');
    };
    stage.bot.addPlatform({
      adapter: { ...stage.adapter(), directMessages },
      operators: async () => stage.owners,
    });
    await askInVain();
    await stage.until(() => told('owner').length === 1);
    await stage.clock.advance(3 * 3_600_000);
    expect([tries, told('owner').length]).toEqual([1, 1]);
  });

  it('is over for those who know of it, who are told when their platform is back', async () => {
    await open();
    await askInVain(3);
    await stage.until(() => told('owner').length === 1);
    stage.owners = [...stage.owners, owner('newcomer')];
    isAway('works again');
    await stage.until(() => stage.bot.keyWatch.notReady() === undefined);
    await stage.clock.advance(3_600_000);
    expect(told('owner')).toHaveLength(1);
    stage.refuses = () => undefined;
    await stage.clock.advance(600_000);
    expect(told('owner')).toEqual(news);
    expect(told('newcomer')).toEqual([]);
  });

  it('is tried again by itself, and everybody goes on when it is accepted', async () => {
    await open();
    await askInVain(3);
    expect(await stage.give('ask', { prompt: 'two' })).toMatchObject({ kind: 'refused' });
    await stage.until(() => stage.bot.keyWatch.notReady() === undefined);
    await stage.until(() => told('owner').length === 2);
    expect(told('owner')).toEqual(news);
    await stage.control({ faults: [] });
    await stage.database.deleteFrom('ledger').execute();
    await stage.service.voices.list();
    expect((await stage.give('speak', { text: 'hi' })).kind).toBe('accepted');
  });
});

describe('an account without credits', () => {
  const news = [expect.stringContaining('out of credits'), expect.stringContaining('works again')];
  const tooDear = () => stage.make('video', { prompt: 'x', resolution: '480p' });
  const cheap = () => stage.give('speak', { text: 'cheap' });

  it('blocks what could not be paid for a while, and nothing cheaper', async () => {
    await open({ sandbox: { credits: 50 } });
    await tooDear();
    expect(stage.standing.some(({ message }) => message.text?.includes(unavailable))).toBe(true);
    expect(await stage.give('video', { prompt: 'x' })).toMatchObject({ kind: 'refused', text: unavailable });
    expect(told('owner')).toEqual([news[0]]);
    expect(stage.bot.keyWatch.notReady()).toMatch(/^the account has no credits left, since/);
    await cheap();
    expect(stage.bot.keyWatch.notReady()).toBeUndefined();
    await stage.control({ credits: 'unlimited' });
    expect(await stage.give('video', { prompt: 'x' })).toMatchObject({ kind: 'accepted' });
    await stage.rendersEnded();
    expect(await stage.ledgerStates()).toEqual(['failed', 'spent', 'spent']);
  });

  it('is told to operators once an hour, however often something cheaper can still be paid', async () => {
    await open({ sandbox: { credits: 50 } });
    for (let turn = 0; turn < 10; turn++) {
      await tooDear();
      await cheap();
    }
    expect(told('owner')).toEqual(news);
    await tooDear();
    expect(told('owner')).toEqual(news);
    // Where it lasts, they hear of it after all, and then that it's over.
    await stage.clock.advance(3_600_000);
    expect(told('owner')).toEqual([...news, news[0]]);
    await cheap();
    await stage.until(() => told('owner').length === 4);
    expect(told('owner')).toEqual([...news, ...news]);
  });

  it('is told at once where nobody could be told of it a moment ago', async () => {
    await open({ sandbox: { credits: 50 } });
    isAway('out of credits');
    await tooDear();
    await cheap();
    stage.refuses = () => undefined;
    await tooDear();
    await stage.clock.advance(60_000);
    expect(told('owner')).toEqual([news[0]]);
  });

  it('is over for those who could not be told of it before it was back', async () => {
    await open({ sandbox: { credits: 50 } });
    isAway('works again');
    for (let turn = 0; turn < 2; turn++) {
      await tooDear();
      if (turn === 1) stage.refuses = () => undefined;
      await cheap();
    }
    await stage.clock.advance(60_000);
    expect(told('owner')).toEqual(news);
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
