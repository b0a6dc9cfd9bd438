import { describe, expect, it } from 'vitest';
import {
  admin,
  ann,
  directWith,
  here,
  personCalled,
  Stage,
  type StageOptions,
} from '../../commands/support/stage.ts';

/** What administrators hold people to besides budgets, and whoever tries to get round it. */

let stage: Stage;
const open = async (options: StageOptions = {}) => {
  stage = await Stage.open(options);
};

const set = (options: Record<string, string>) => stage.give('settings', options, admin);
const draw = (requester = ann, address = here) => stage.give('imagine', { prompt: 'x' }, requester, address);
const ask = (requester = ann, more = {}) => stage.give('ask', { prompt: 'Hi', ...more }, requester);
const ofCommand = (command: string) =>
  stage.ledger().then((rows) => rows.filter(({ kind }) => kind === command));
const refused = (text: string) => ({ kind: 'refused', text: expect.stringContaining(text) });
const bob = personCalled('bob');

describe('the cooldown', () => {
  it('holds a person, not others, for one command, and says for how long', async () => {
    await open();
    await set({ cooldown: '60' });
    await draw();
    await stage.clock.advance(18_500);
    const passed = stage.clock.now();
    expect(await draw()).toMatchObject(refused('You can use `/imagine` again in'));
    expect(await draw(bob)).toMatchObject({ kind: 'accepted' });
    expect(await stage.give('speak', { text: 'x' })).toMatchObject({ kind: 'accepted' });
    expect(stage.clock.now() - passed).toBeLessThan(30_000);
    await stage.clock.advance(60_000);
    expect(await draw()).toMatchObject({ kind: 'accepted' });
    expect(await ofCommand('image')).toHaveLength(3);
  });

  it('holds with buttons, in threads, and where several commands come at once', async () => {
    await open();
    await set({ cooldown: '3600' });
    const all = await Promise.all(
      [here, here, { ...here, thread: 't' }, { ...here, thread: 'u' }].map((address) => draw(ann, address)),
    );
    expect(all).toHaveLength(4);
    await stage.rendersEnded();
    expect(await ofCommand('image')).toHaveLength(1);
    expect(await stage.press('Again')).toMatchObject(refused('again in 59 min'));
    expect(await stage.press('Again', bob)).toMatchObject({ kind: 'accepted' });
  });

  it('of a workspace holds in all its channels, that of a channel only there', async () => {
    await open();
    await set({ scope: 'workspace', cooldown: '60' });
    await draw();
    expect(await draw(ann, { ...here, channel: 'another' })).toMatchObject(refused('again in'));
    await set({ scope: 'workspace', cooldown: 'inherit' });
    await set({ cooldown: '3600' });
    await stage.clock.advance(120_000);
    expect(await draw()).toMatchObject(refused('again in'));
    expect(await draw(ann, { ...here, channel: 'another' })).toMatchObject({ kind: 'accepted' });
  });

  it.each(['86401', '-1', '1.5', 'long'])('can’t be %s', async (given) => {
    await open();
    await set({ cooldown: given });
    expect(stage.standing.filter(({ message }) => message.text?.includes('✅ Changed'))).toEqual([]);
    expect(await draw()).toMatchObject({ kind: 'accepted' });
    expect(await draw()).toMatchObject({ kind: 'accepted' });
  });

  it('lasts no longer where the machine’s clock was ahead for a while', async () => {
    await open();
    await set({ cooldown: '60' });
    await draw();
    stage.clock.step(-30_000);
    expect(await draw()).toMatchObject(refused('again in 1 min'));
    stage.clock.step(-10_800_000);
    expect(await draw()).toMatchObject({ kind: 'accepted' });
  });

  it('isn’t begun by what cost nothing', async () => {
    await open();
    await set({ cooldown: '3600' });
    await stage.make('imagine', { prompt: 'No [[filter]]' });
    expect(await draw()).toMatchObject({ kind: 'accepted' });
  });

  it('of the environment holds everywhere, administrators too, and can only be lengthened', async () => {
    await open({ settings: { cooldown: 30 } });
    await set({ cooldown: '10' });
    expect(stage.text).toContain('`cooldown` can’t be less than 30');
    await set({ exempt_administrators: 'on' });
    await draw(admin);
    expect(await draw(admin, { ...here, workspace: 'of her own' })).toMatchObject(refused('again in'));
    expect(await draw(admin, directWith('admin'))).toMatchObject(refused('again in'));
    await set({ cooldown: '300' });
    await stage.clock.advance(60_000);
    // One that’s chosen here is for whoever isn’t exempt.
    expect(await draw(admin)).toMatchObject({ kind: 'accepted' });
  });
});

describe('the number of images and videos at once', () => {
  it('is a person’s own in each channel, whatever comes at once, and at most the environment’s', async () => {
    await open({ settings: { rendersPerPerson: 3 } });
    await set({ renders_at_once: '4' });
    expect(stage.text).toContain('`renders_at_once` can be at most 3');
    await set({ renders_at_once: '1' });
    await Promise.all([draw(), draw(), draw(), draw(bob)]);
    await stage.rendersEnded();
    expect(await ofCommand('image')).toHaveLength(2);
  });
});

describe('a person who has as many images and videos under way as they may', () => {
  const full = refused('You already have an image or video in progress here');

  it('is asked for no price, and keeps a yes for when they’re done', async () => {
    await open();
    await set({ renders_at_once: '1', confirm_over: '10' });
    await draw();
    await draw();
    const [first, second] = stage.standing.slice(-2);
    expect(await stage.pressOn(first, 'Yes, go ahead')).toMatchObject({ kind: 'accepted' });
    expect(await draw()).toMatchObject(full);
    expect(await stage.give('video', { prompt: 'x' })).toMatchObject(full);
    expect(await draw(ann, { ...here, channel: 'another' })).toMatchObject({ kind: 'accepted' });
    expect(await stage.pressOn(second, 'Yes, go ahead')).toMatchObject(full);
    await stage.rendersEnded();
    expect(await stage.pressOn(second, 'Yes, go ahead')).toMatchObject({ kind: 'accepted' });
    await stage.rendersEnded();
    expect(await ofCommand('image')).toHaveLength(3);
  });

  it('may still ask and have texts read', async () => {
    await open();
    await set({ renders_at_once: '1' });
    await draw();
    expect(await ask()).toMatchObject({ kind: 'accepted' });
    expect(await stage.give('speak', { text: 'x' })).toMatchObject({ kind: 'accepted' });
  });
});

describe('a budget by role or group', () => {
  const supporter = personCalled('sue', { roles: ['1', '2'] });

  it('takes the place of user_credits; the highest counts, and 0 is no limit', async () => {
    await open();
    await set({ user_credits: '22', role_credits: '<@&1>=10, <@&2>=44 <@&3>=0' });
    for (const who of [supporter, supporter, ann])
      expect(await draw(who)).toMatchObject({ kind: 'accepted' });
    expect(await draw(supporter)).toMatchObject(refused('Your daily budget of 44 credits'));
    expect(await draw()).toMatchObject(refused('Your daily budget of 22 credits'));
    const third = personCalled('tim', { roles: ['3'] });
    for (let count = 0; count < 3; count++) expect(await draw(third)).toMatchObject({ kind: 'accepted' });
  });

  it('lifts no limit of the environment', async () => {
    await open({ settings: { budgets: { user: 30, channel: 0, workspace: 0, total: 0 } } });
    await set({ role_credits: '1=0' });
    await draw(supporter);
    expect(await draw(supporter)).toMatchObject(refused('Your daily budget of 30 credits'));
  });

  it.each(['@everyone=5', '1', '1=', '1=2=3', '=5', '1=-5', '1=many'])('can’t be %s', async (given) => {
    await open();
    await set({ role_credits: given });
    expect(stage.text).toContain(`\`role_credits\` can’t be “${given}”`);
    expect(stage.text).toContain('@…=500, none');
  });
});

describe('who is blocked', () => {
  it.each([
    ['by name', 'ann', ann],
    ['by a role', '7', personCalled('ann', { roles: ['7'] })],
  ])(
    '%s uses nothing but /help and /privacy, by no button either; others and administrators do',
    async (_, given, who) => {
      await open();
      const id = given === 'ann' ? 'ann1' : given;
      const person = { ...who, id: 'ann1' };
      await draw(bob);
      await stage.rendersEnded();
      await set({ blocked: `<@${given === 'ann' ? '' : '&'}${id}>` });
      const no = refused('You can’t use me here. An administrator can change that.');
      expect(await draw(person)).toMatchObject(no);
      expect(await ask(person)).toMatchObject(no);
      expect(await stage.give('usage', {}, person)).toMatchObject(no);
      expect(await draw(person, { ...here, thread: 't' })).toMatchObject(no);
      for (const command of ['help', 'privacy'])
        expect(await stage.give(command, {}, person)).toMatchObject({ kind: 'accepted' });
      expect(await draw(bob)).toMatchObject({ kind: 'accepted' });
      expect(await draw({ ...person, administrator: true })).toMatchObject({ kind: 'accepted' });
    },
  );

  it('changes nothing of others’ by a button that costs nothing, and takes away their own', async () => {
    await open();
    await ask(bob);
    await set({ blocked: '<@bob>, <@ann>' });
    expect(await stage.press('👎', ann)).toMatchObject(refused('You can’t use me here.'));
    expect(await stage.press('👎', personCalled('eve'))).toMatchObject({ kind: 'accepted' });
    expect(await stage.press('Delete', bob)).toMatchObject({ kind: 'accepted' });
  });
});

describe('where a budget is used up', () => {
  const pro = { model: 'svc-llm-1.5-pro' };
  const toldOfCheaper = 'The daily budget is used up, so I’m answering with `svc-llm-1.5`.';

  it('chat goes on with the cheaper model if the administrator says so, and its requester is told', async () => {
    await open();
    await set({ user_credits: '22', over_budget: 'cheaper' });
    await draw();
    await ask(ann, pro);
    expect((await ofCommand('chat')).map(({ model }) => model)).toEqual(['svc-llm-1.5']);
    const told = stage.standing.find(({ message }) => message.text?.includes('budget is used up'));
    expect(told?.seenBy).toBe('requester');
    expect(told?.message.text).toBe(toldOfCheaper);
    expect(await draw()).toMatchObject(refused('daily budget'));
    await ask(ann, pro);
    expect((await ofCommand('chat')).map(({ model }) => model)).toEqual(['svc-llm-1.5', 'svc-llm-1.5']);
  });

  it('before a yes to the dearer model, chat goes on with the cheaper one, and its requester is told', async () => {
    await open();
    await set({ user_credits: '25', over_budget: 'cheaper', confirm_over: '1' });
    await ask(ann, pro);
    const question = stage.latest;
    await set({ confirm_over: '100' });
    await draw();
    await stage.pressOn(question, 'Yes, go ahead');
    expect(await ofCommand('chat')).toMatchObject([{ model: 'svc-llm-1.5', state: 'spent' }]);
    expect(stage.standing.map(({ message }) => message.text)).toContain(toldOfCheaper);
  });

  it('by somebody who asks at the same time, chat goes on with the cheaper model, and its requester is told', async () => {
    await open({ sandbox: { pace: 'human' } });
    await set({ channel_credits: '6', over_budget: 'cheaper' });
    await Promise.all([ask(ann, pro), ask(bob, pro)]);
    expect((await ofCommand('chat')).map(({ model, state }) => `${model} ${state}`)).toEqual([
      'svc-llm-1.5-pro spent',
      'svc-llm-1.5 spent',
    ]);
    const told = () => stage.standing.filter(({ message }) => message.text === toldOfCheaper);
    expect(told()).toHaveLength(1);
    // Who was told a moment ago isn't told again, whenever it's found out.
    await Promise.all([ask(ann, pro), ask(bob, pro)]);
    expect(told()).toHaveLength(2);
  });

  it('while it’s asked, the audit channel names the cheaper model', async () => {
    await open({ sandbox: { pace: 'human' } });
    await set({ scope: 'workspace', audit_channel: 'C123456789' });
    await set({ channel_credits: '6', over_budget: 'cheaper' });
    await Promise.all([ask(ann, pro), ask(bob, pro)]);
    await stage.clock.advance(60_000);
    const told = stage.standing.map(({ message }) => message.text ?? '').join('\n');
    expect(told.match(/`\/ask [^`]+`/g)?.toSorted()).toEqual([
      '`/ask svc-llm-1.5-pro`',
      '`/ask svc-llm-1.5`',
    ]);
  });

  it('a question about the price of the cheaper model says that it’s that', async () => {
    await open();
    await set({ user_credits: '25', over_budget: 'cheaper' });
    await draw();
    await set({ confirm_over: '1' });
    await ask(ann, pro);
    const [told, asked] = stage.text.split('\n');
    expect(told).toBe(toldOfCheaper);
    expect(asked).toMatch(/^`\/ask` will cost \*\*about [\d.]+–1\.\d+ credits/);
    await stage.press('Yes, go ahead');
    expect(await ofCommand('chat')).toMatchObject([{ model: 'svc-llm-1.5', state: 'spent' }]);
  });

  it('chat with the dearer model does as long as the budget lasts', async () => {
    await open();
    await set({ user_credits: '1000', over_budget: 'cheaper' });
    await ask(ann, pro);
    expect((await ofCommand('chat')).map(({ model }) => model)).toEqual(['svc-llm-1.5-pro']);
  });

  it('of the environment, chat stops all the same', async () => {
    await open({ settings: { budgets: { user: 22, channel: 0, workspace: 0, total: 0 } } });
    await set({ over_budget: 'cheaper' });
    await draw();
    expect(await ask(ann, pro)).toMatchObject(refused('daily budget'));
    expect(await ofCommand('chat')).toEqual([]);
  });
});

it('all commands are off at once, and on again', async () => {
  await open();
  await set({ off: 'all' });
  expect(await ask()).toMatchObject(refused('`/ask` is turned off here'));
  expect(await stage.give('me', {}, bob)).toMatchObject(refused('turned off'));
  await set({ off: 'none' });
  expect(await ask()).toMatchObject({ kind: 'accepted' });
});
