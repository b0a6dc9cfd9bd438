import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/port/index.ts';
import { admin, ann, here, personCalled, Stage, type StageOptions } from '../commands/support/stage.ts';

let stage: Stage;
const open = async (
  settings: StageOptions['settings'] = {},
  sandbox: StageOptions['sandbox'] = {},
  more: StageOptions = {},
) => {
  stage = await Stage.open({ settings, sandbox, ...more });
};

const none = { user: 0, channel: 0, workspace: 0, total: 0 };
const draw = async (requester = ann, address = here) => {
  await stage.make('imagine', { prompt: 'x' }, requester, address);
  await stage.clock.advance(1_000);
};
/** What was told about credits, and to whom. */
const told = () =>
  stage.standing
    .filter(({ message }) => message.text?.startsWith('⚠️'))
    .map(({ address, message }) => `${address.channel}: ${message.text}`);
const of = (whose: string, budget: string) => (percent: number) =>
  `⚠️ ${percent}% of today’s budget for ${whose} (${budget} credits) is used or reserved.`;

describe('whoever chose a budget', () => {
  it('is told at a half, 80 and 95 percent of it, once a day each', async () => {
    await open();
    await stage.give('settings', { scope: 'workspace', workspace_credits: '220' }, admin);
    await stage.give('settings', { buttons: 'few' }, personCalled('eve', { administrator: true }));
    const ofWorkspace = of('your workspace', '220');
    for (let count = 0; count < 4; count++) await draw();
    expect(told()).toEqual([]);
    await draw();
    expect(told()).toEqual([`direct admin: ${ofWorkspace(50)}`]);
    for (let count = 0; count < 5; count++) await draw(personCalled('bob'));
    expect(told()).toEqual([50, 80, 95].map((percent) => `direct admin: ${ofWorkspace(percent)}`));
    await draw();
    expect(told()).toHaveLength(3);
    await stage.clock.advance(24 * 3_600_000);
    for (let count = 0; count < 5; count++) await draw();
    expect(told()).toHaveLength(4);
  });

  it('is told of the highest share alone where a call passes several, and of each channel', async () => {
    await open();
    await stage.give('settings', { channel_credits: '22' }, admin);
    await stage.give('settings', { channel_credits: '44' }, admin, { ...here, channel: 'd' });
    await draw();
    await draw(ann, { ...here, channel: 'd' });
    expect(told()).toEqual([
      `direct admin: ${of('general', '22')(95)}`,
      `direct admin: ${of('d', '44')(50)}`,
    ]);
  });

  it('is told of what an answer reaches while it grows', async () => {
    await open({}, { pace: 20 });
    await stage.give('settings', { scope: 'workspace', workspace_credits: '3' }, admin);
    await stage.control({ answers: ['A very long answer. '.repeat(1_500)] });
    await stage.give('ask', { prompt: 'Go on and on' });
    await stage.clock.advance(1_000);
    expect(told()).toEqual([80, 95].map((percent) => `direct admin: ${of('your workspace', '3')(percent)}`));
  });

  it('is told of what an answer that comes at once turns out to cost', async () => {
    await open({}, { stream: ['plain_json'] });
    await stage.give('settings', { scope: 'workspace', workspace_credits: '12' }, admin);
    await stage.control({ answers: ['A very long answer. '.repeat(1_500)] });
    await stage.give('ask', { prompt: 'Go on and on' });
    await stage.clock.advance(1_000);
    expect(stage.text).not.toContain('used up');
    expect(told()).toEqual([`direct admin: ${of('your workspace', '12')(50)}`]);
  });

  it.each([
    ['administrators, who are exempt', { exempt_administrators: 'on' }, 'imagine', admin],
    ['chat that goes on with the cheaper model', { over_budget: 'cheaper' }, 'ask', ann],
  ] as const)('is told of what it doesn’t stop, too: %s', async (_, settings, command, requester) => {
    await open();
    const budget = command === 'ask' ? '2' : '44';
    await stage.give('settings', { scope: 'workspace', workspace_credits: budget, ...settings }, admin);
    await stage.make(command, { prompt: 'Short?' }, requester);
    await stage.clock.advance(1_000);
    expect(told()).toEqual([`direct admin: ${of('your workspace', budget)(50)}`]);
  });

  it('is told later where that’s not possible now, also by another process, and never twice', async () => {
    await open();
    await stage.give('settings', { channel_credits: '22' }, admin);
    stage.refuses = ({ text = '' }) => (text.startsWith('⚠️') ? new Error('away') : undefined);
    await draw();
    expect(told()).toEqual([]);
    stage.refuses = () => undefined;
    await Promise.all([stage.bot.lookAtSpending(), stage.bot.lookAtSpending()]);
    await stage.bot.lookAtSpending();
    expect(told()).toHaveLength(1);
  });

  it('is told by the next process, once, where this one dies before it knows whom to tell', async () => {
    await open({}, {}, { crashes: true });
    await stage.give('settings', { channel_credits: '22' }, admin);
    stage.knowsAdministrators = new Promise(() => {});
    await draw();
    await stage.crash();
    expect(told()).toEqual([]);
    stage.knowsAdministrators = Promise.resolve();
    for (let looks = 0; looks < 2; looks++) await stage.bot.lookAtSpending();
    expect(told()).toEqual([`direct admin: ${of('general', '22')(95)}`]);
  });

  it('is told by the next process, too, where that runs one platform less', async () => {
    await open({}, {}, { crashes: true });
    stage.bot.addPlatform({ adapter: stage.adapter('discord'), operators: async () => [] });
    const there = { ...here, platform: 'discord' } as const;
    await stage.give('settings', { channel_credits: '22' }, admin, there);
    await stage.give('settings', { scope: 'workspace', workspace_credits: '22' }, admin);
    stage.knowsAdministrators = new Promise(() => {});
    await draw(ann, there);
    await draw();
    await stage.crash();
    stage.knowsAdministrators = Promise.resolve();
    await stage.bot.lookAtSpending();
    expect(told()).toEqual([`direct admin: ${of('your workspace', '22')(95)}`]);
  });

  it('isn’t told any more once it has renewed: it isn’t today’s then', async () => {
    await open();
    await stage.give('settings', { channel_credits: '22' }, admin);
    stage.refuses = ({ text = '' }) => (text.startsWith('⚠️') ? new Error('away') : undefined);
    await draw();
    stage.refuses = () => undefined;
    await stage.clock.advance(24 * 3_600_000);
    await stage.bot.lookAtSpending();
    expect(told()).toEqual([]);
  });

  it('isn’t tried again where they take no direct messages', async () => {
    await open();
    await stage.give('settings', { channel_credits: '22' }, admin);
    stage.refuses = ({ text = '' }) =>
      text.startsWith('⚠️') ? new PlatformError('no-permission') : undefined;
    await draw();
    stage.refuses = () => undefined;
    await stage.bot.lookAtSpending();
    expect(told()).toEqual([]);
  });
});

it('operators are told of the whole bot’s budget, and nobody of a person’s own', async () => {
  await open({ budgets: { ...none, user: 22, total: 44 } });
  await draw();
  expect(told()).toEqual([`direct owner: ${of('this whole bot', '44')(50)}`]);
});

it('a test is done once an operator has it: not while it’s on its way, nor where they take none', async () => {
  await open();
  const { controlRoom } = stage.bot;
  const twice = [controlRoom.sendTest('one'), controlRoom.sendTest('one')];
  expect(new Set(await Promise.all(twice))).toEqual(new Set(['done', 'unchanged']));
  stage.refuses = () => new PlatformError('no-permission');
  expect(await controlRoom.sendTest('two')).toBe('unknown');
  stage.refuses = () => new Error('away');
  expect(await controlRoom.sendTest('three')).toBe('failed');
});

describe('an hour that costs three times its usual', () => {
  it('is told to operators, and to an administrator of its workspace, once a day', async () => {
    await open({ rendersPerPerson: 100 });
    await stage.give('settings', { scope: 'workspace', buttons: 'few' }, admin);
    for (let hours = 0; hours < 3; hours++) {
      await draw();
      await draw();
      await stage.clock.advance(3_600_000);
    }
    await draw();
    await stage.bot.lookAtSpending();
    expect(told()).toEqual([]);
    for (let count = 0; count < 6; count++) await draw();
    for (let looks = 0; looks < 2; looks++) await stage.bot.lookAtSpending();
    expect(told()).toEqual([
      'direct owner: ⚠️ People have used 154 credits within the last hour. An hour usually takes 44. See `/usage`.',
      'direct admin: ⚠️ People in your workspace have used 154 credits within the last hour. An hour usually takes 44. See `/usage`.',
    ]);
  });
});
