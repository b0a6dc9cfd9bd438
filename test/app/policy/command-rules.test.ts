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
import { jobCalled } from '../../fakes/records.ts';

let stage: Stage;
const open = async (settings: StageOptions['settings'] = {}) => {
  stage = await Stage.open({ settings });
};

const none = { user: 0, channel: 0, workspace: 0, total: 0 };
const all30 = { user: 30, channel: 30, workspace: 30, total: 0 };
const draw = (requester = ann, address = here) => stage.give('imagine', { prompt: 'x' }, requester, address);
/** Credits that the service has charged, once everything has ended. */
const spent = async () => {
  await stage.rendersEnded();
  return (await stage.meter()).credits;
};
const lineOf = (name: string) => stage.text.split('\n').find((line) => line.startsWith(`- \`${name}\``));
/** What places have chosen, a row each. */
const chosen = () => stage.database.selectFrom('place_settings').selectAll().execute();
const accepted = { kind: 'accepted' };
const refused = { kind: 'refused' };
const eve = personCalled('eve', { direct: true });
const hers = directWith('eve');

describe('whoever is no full member of the workspace', () => {
  const guest = personCalled('gus', { outsider: true });

  it('spends nothing where the operator keeps them from it, by a button under another’s image either', async () => {
    await open({ outsiders: 'off' });
    await stage.give('settings', { outsiders: 'on' }, admin);
    const text = expect.stringContaining('Only full members of this workspace can use `/imagine` here');
    const kept = { kind: 'refused', text, reason: 'rules' };
    expect(await draw(guest)).toMatchObject(kept);
    expect(await spent()).toBe(0);
    await draw();
    expect(await spent()).toBe(22);
    expect(await stage.press('Again', guest)).toMatchObject(kept);
    expect(await spent()).toBe(22);
  });

  it('spends nothing of their host’s by default, until an administrator lets them in', async () => {
    await open();
    expect(await draw(guest)).toMatchObject({ kind: 'refused', reason: 'rules' });
    await stage.give('settings', { outsiders: 'on' }, admin);
    await draw(guest);
    expect(await spent()).toBe(22);
    // In another channel it’s as before.
    expect(await draw(guest, { ...here, channel: 'another' })).toMatchObject(refused);
  });

  it('has a budget of their own, wider or narrower than members’, whatever roles they have', async () => {
    await open({ outsiders: 'on' });
    await stage.give('settings', { outsider_credits: '30', role_credits: '7=0' }, admin);
    const another = personCalled('gil', { outsider: true, roles: ['7'] });
    for (const who of [guest, another]) {
      expect(await draw(who)).toMatchObject(accepted);
      expect(await draw(who)).toMatchObject({
        text: expect.stringContaining('Your daily budget of 30 credits'),
      });
    }
    for (let count = 0; count < 2; count++) expect(await draw(ann)).toMatchObject(accepted);
    expect(await spent()).toBe(88);
  });
});

describe('a budget of the environment', () => {
  it.each([
    [{ user_credits: '0', channel_credits: '0', workspace_credits: '0' }],
    [{ user_credits: '999999999', channel_credits: '999999999', workspace_credits: '999999999' }],
    [{ exempt_administrators: 'on' }],
    [{ scope: 'workspace', user_credits: '0', time_zone: 'Pacific/Kiritimati' }],
  ])('is not lifted by a person in her direct message with %o', async (lifting) => {
    await open({ budgets: all30 });
    await stage.give('settings', lifting, eve, hers);
    for (let tries = 0; tries < 5; tries++) await draw(eve, hers);
    expect(await spent()).toBe(22);
  });

  it.each([
    [{ user_credits: '0', channel_credits: '0', workspace_credits: '0' }],
    [{ user_credits: '999999999' }],
    [{ exempt_administrators: 'on' }],
    [{ time_zone: 'Pacific/Kiritimati' }],
    [{ scope: 'workspace', user_credits: '0', workspace_credits: '0' }],
  ])('is not lifted by an administrator of a place with %o', async (lifting) => {
    await open({ budgets: all30 });
    await stage.give('settings', lifting, admin);
    for (let tries = 0; tries < 5; tries++) await draw(admin);
    expect(await spent()).toBe(22);
  });

  it('does not begin anew where a place changes its time zone around the world', async () => {
    await open({ budgets: all30 });
    await draw();
    const east = ['Pacific/Kiritimati', 'Asia/Shanghai', 'UTC'];
    for (const zone of [...east, 'America/New_York', 'Pacific/Pago_Pago']) {
      await stage.give('settings', { time_zone: zone }, admin);
      expect(await draw()).toMatchObject(refused);
      await stage.clock.advance(2 * 3_600_000);
    }
    expect(await spent()).toBe(22);
    await stage.clock.advance(2 * 3_600_000);
    expect(await draw()).toMatchObject(accepted);
  });

  it('holds in whatever channel, thread, server or direct message somebody turns to', async () => {
    await open({ budgets: { ...none, user: 30 } });
    await draw();
    const elsewhere = [
      { ...here, thread: 't' },
      { ...here, channel: 'another' },
      { ...here, workspace: 'a server of her own', channel: 'x' },
      { ...here, workspace: 'a group', channel: 'a group' },
      directWith('ann'),
    ];
    for (const address of elsewhere) {
      expect(await draw({ ...ann, administrator: true, name: 'renamed' }, address)).toMatchObject(refused);
    }
    expect(await spent()).toBe(22);
  });

  it('of a channel and of a workspace is no wider in threads, or for whoever has just come', async () => {
    await open({ budgets: { ...none, channel: 30, workspace: 50 } });
    await draw();
    expect(await draw(personCalled('bob'), { ...here, thread: 't' })).toMatchObject(refused);
    expect(await draw(personCalled('bob'), { ...here, channel: 'another' })).toMatchObject(accepted);
    expect(await draw(personCalled('cy'), { ...here, channel: 'a third' })).toMatchObject(refused);
    expect(await spent()).toBe(44);
  });

  it('is not lifted by the buttons and forms of settings', async () => {
    await open({ budgets: all30 });
    await stage.give('settings', {}, admin);
    const [, job] = stage.latest.message.buttons![0]!.id.split(':');
    const forged = { user_credits: '0', channel_credits: '0', workspace_credits: '0' };
    const all = { ...forged, exempt_administrators: 'on' };
    await stage.pressId(`settings.budgets:${job}`, stage.latest, admin, all);
    await stage.pressId(`settings.people:${job}`, stage.latest, admin, all);
    await stage.pressId(`settings.answers:${job}`, stage.latest, admin, { ...all, time_zone: 'Asia/Tokyo' });
    for (let tries = 0; tries < 3; tries++) await draw(admin);
    expect(await spent()).toBe(22);
  });

  it('is the most a place can choose, and the refusal names it', async () => {
    await open({ budgets: { ...none, user: 1_000 } });
    await stage.give('settings', { user_credits: '1000.5', model: 'svc-llm-1.5-pro' }, admin);
    expect(stage.text).toContain('`user_credits` can be at most 1,000: that’s the limit');
    await stage.give('settings', { user_credits: '2000' }, { ...admin, locale: 'zh-CN' });
    expect(stage.text).toContain('`user_credits` 最多 1,000');
    await stage.give('settings', {}, admin);
    expect(lineOf('model')).toContain('(default)');
    expect(lineOf('user_credits')).toBe(
      '- `user_credits`: `1000` (this bot’s limit; a channel or workspace can only set a lower one)',
    );
    await stage.give('settings', { user_credits: '1000' }, admin);
    expect(lineOf('user_credits')).toContain('(this bot’s limit');
    await stage.give('settings', { scope: 'workspace', user_credits: '40' }, admin);
    expect(lineOf('user_credits')).toBe('- `user_credits`: `40` (the workspace)');
    await stage.give('settings', { user_credits: '0' }, admin);
    expect(lineOf('user_credits')).toContain('`1000` (this bot’s limit');
  });

  it('holds where an older, higher choice of a place is on record', async () => {
    await open({ budgets: all30 });
    const { platform, workspace } = here;
    const rows = ['user_credits', 'channel_credits', 'workspace_credits'].map((name) => ({
      ...{ platform, workspace, channel: '', name, value: '5000' },
    }));
    await stage.database.insertInto('place_settings').values(rows).execute();
    for (let tries = 0; tries < 3; tries++) await draw();
    expect(await spent()).toBe(22);
    await stage.give('settings', { scope: 'workspace' }, admin);
    expect(lineOf('workspace_credits')).toContain('`30` (this bot’s limit');
  });

  it('holds though a place had left its administrators out, and chosen more, before there was one', async () => {
    await open({ budgets: all30 });
    const { platform, workspace, channel } = here;
    const choices = {
      exempt_administrators: true,
      user_credits: 0,
      channel_credits: 5_000,
      time_zone: 'Pacific/Kiritimati',
    };
    const rows = Object.entries(choices).flatMap(([name, value]) =>
      ['', channel].map((one) => ({ platform, workspace, channel: one, name, value: JSON.stringify(value) })),
    );
    await stage.database.insertInto('place_settings').values(rows).execute();
    for (let tries = 0; tries < 3; tries++) await draw(admin);
    expect(await spent()).toBe(22);
  });

  it('lets a place have a lower one', async () => {
    await open({ budgets: { ...none, user: 1_000 } });
    await stage.give('settings', { user_credits: '25' }, admin);
    await draw();
    expect(await draw()).toMatchObject({
      text: expect.stringContaining('daily budget of 25 credits has 3 left'),
    });
    await stage.give('usage');
    expect(stage.text).toContain('Your budget: 3 of 25 credits left.');
    expect(stage.text).not.toContain('1,000');
  });
});

describe('the budget of the whole bot', () => {
  it('holds over all people, places and platforms at once', async () => {
    await open({ budgets: { ...none, total: 100 } });
    const places = (['console', 'discord', 'slack'] as const).flatMap((platform) =>
      Array.from({ length: 7 }, (_, index) => ({ platform, workspace: `w${index}`, channel: `c${index}` })),
    );
    const asked = { kind: 'image', model: 'image 2k', quantity: {}, conversationId: 'x' } as const;
    const budgets = [{ of: 'bot', within: 'everywhere', credits: 100, timeZone: 'UTC' }] as const;
    const outcomes = await Promise.allSettled(
      places.map((address, index) =>
        stage.bot.credits.reserve({
          ...asked,
          estimate: { low: 22, high: 22 },
          budgets,
          job: jobCalled(`job${index}`, { address, requester: personCalled(`p${index}`) }),
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    expect(await draw()).toMatchObject(refused);
  });

  it('is each day its own, however the clock is set around midnight', async () => {
    await open({ budgets: { ...none, total: 30 } });
    const { clock } = stage;
    await clock.advance(86_400_000 - (clock.now() % 86_400_000) - 10 * 60_000);
    const outcomes: string[] = [];
    const attempt = async () => outcomes.push((await draw(personCalled(`p${outcomes.length}`))).kind);
    await attempt();
    await attempt();
    for (const step of [1, -1, 1, -1]) {
      clock.step(step * 3_600_000);
      await attempt();
      await attempt();
    }
    // Of two days, one image each.
    expect(outcomes.filter((kind) => kind === 'accepted')).toHaveLength(2);
    expect(await spent()).toBe(44);
  });

  it('is told without a figure of what others have used', async () => {
    await open({ budgets: { ...none, total: 30 } });
    await draw();
    const told = await draw(personCalled('bob'));
    if (told.kind !== 'refused') throw new Error(told.kind);
    expect(told.text).toMatch(/^What’s left of this bot’s daily budget isn’t enough for this\. It renews in/);
    expect(told.text).not.toMatch(/30|22|\b8\b/);
    await stage.give('usage', {}, admin);
    expect(stage.text).not.toContain('udget');
    const wang = personCalled('wang', { locale: 'zh-CN' });
    expect(await draw(wang)).toMatchObject({ text: expect.stringMatching(/^机器人今天的总预算不够/) });
  });
});

describe('a direct message', () => {
  it('has settings that people may change for themselves there, and shows no others', async () => {
    await open();
    await stage.give('settings', {}, eve, hers);
    expect(stage.text).toContain('**Your settings in this direct message**');
    expect(stage.text.match(/^- `\w+`/gm)).toEqual(
      [
        ...['model', 'persona', 'buttons', 'voice', 'language', 'image_size'],
        ...['video_duration', 'video_resolution', 'video_quality', 'video_ratio', 'video_audio'],
      ].map((name) => `- \`${name}\``),
    );
    expect(stage.buttons).toEqual(['Answers', 'Voice and image', 'Video']);
    await stage.give('settings', { model: 'svc-llm-1.5-pro', image_size: '3k' }, eve, hers);
    expect(lineOf('model')).toContain('`svc-llm-1.5-pro`');
    expect(await stage.press('Answers', eve)).toMatchObject({
      form: { fields: ['model', 'persona', 'buttons'] },
    });
    await draw(eve, hers);
    await stage.rendersEnded();
    expect((await stage.ledger())[0]?.model).toBe('image 3k');
  });

  it.each([
    ['user_credits', '5'],
    ['confirm_over', '999999'],
    ['exempt_administrators', 'on'],
    ['off', 'ask'],
    ['users_ask', 'eve1'],
    ['time_zone', 'Asia/Shanghai'],
    ['workspace_credits', 'inherit'],
  ])('lets nobody change %s, and says who can', async (name, value) => {
    await open();
    await stage.give('settings', { [name]: value, model: 'svc-llm-1.5-pro' }, eve, hers);
    const said = 'You can’t change that in a direct message. An administrator can, in a channel.';
    expect(stage.text).toContain(said);
    expect(await chosen()).toEqual([]);
  });

  it('lets nobody switch commands or look at who changed what with a forged button', async () => {
    await open();
    await stage.give('settings', {}, eve, hers);
    const [, job] = stage.latest.message.buttons![0]!.id.split(':');
    for (const action of ['switch_video', 'history', 'commands', 'workspace', 'budgets', 'people']) {
      await stage.pressId(`settings.${action}:${job}`, stage.standing[0]!, eve, { user_credits: '7' });
    }
    expect(await chosen()).toEqual([]);
    expect(stage.standing[0]!.message.text).toContain('**Your settings in this direct message**');
  });

  it('changes nothing in a workspace for a former administrator who kept the button', async () => {
    await open();
    await stage.give('settings', { scope: 'workspace' }, admin);
    const [, job] = stage.latest.message.buttons![0]!.id.split(':');
    const former = personCalled('admin', { direct: true });
    await stage.give('settings', {}, former, directWith('admin'));
    expect(former.id).toBe(admin.id);
    const voice = 'en_male_tim_uranus_bigtts';
    const pressed = await stage.pressId(`settings.media:${job}`, stage.latest, former, { voice });
    expect(pressed).toEqual({ kind: 'refused', text: expect.stringContaining('button') });
    expect(await chosen()).toEqual([]);
  });

  it('can be begun anew by whoever it belongs to, a channel by its moderators alone', async () => {
    await open();
    expect(await stage.give('reset', {}, eve, hers)).toMatchObject(accepted);
    await stage.give('reset');
    expect(stage.latest).toMatchObject({ seenBy: 'requester' });
    expect(stage.text).toContain('only moderators can reset it. For one of your own, use `/ask thread:true`');
    const moderator = personCalled('mo', { moderator: true });
    expect(await stage.give('reset', {}, moderator)).toMatchObject(accepted);
    expect(await stage.give('reset', {}, admin)).toMatchObject(accepted);
    expect(await stage.give('settings', {}, moderator)).toMatchObject(refused);
  });
});
