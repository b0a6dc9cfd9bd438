import { beforeEach, describe, expect, it, vi } from 'vitest';
import { settingNames } from '../../src/place-settings/index.ts';
import { wireCommandOf } from '../../src/platforms/console/feed/to-wire.ts';
import { refuse } from '../fakes/database.ts';
import { admin, ann, here, personCalled, Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

const elsewhere = { ...here, channel: 'other' };
const lineOf = (name: string) => stage.text.split('\n').find((line) => line.startsWith(`- \`${name}\``));
const set = (options: Record<string, string>, address = here) =>
  stage.give('settings', options, admin, address);

describe('/settings', () => {
  it('shows who changed something by a name that formats and links nothing', async () => {
    const eve = personCalled('eve', { administrator: true, name: '[*Eve*](https://e.example)' });
    await stage.give('settings', { confirm_over: '30' }, eve);
    await set({ page: 'history' });
    expect(stage.text).toContain(' Evehttps://e.example: `confirm_over`');
  });

  it('is for administrators', async () => {
    expect(await stage.give('settings')).toMatchObject({ kind: 'refused' });
    await set({});
    expect(stage.latest.seenBy).toBe('requester');
    const button = stage.latest.message.buttons![0]!.id;
    const demoted = { ...admin, administrator: false };
    expect(await stage.pressId(button, stage.latest, demoted)).toMatchObject({ kind: 'refused' });
  });

  it('shows every value and where it comes from, the channel before the workspace before the rest', async () => {
    await set({});
    expect(lineOf('model')).toBe('- `model`: `svc-llm-1.5` (default)');
    expect(lineOf('user_credits')).toBe('- `user_credits`: no limit (default)');
    expect(lineOf('workspace_credits')).toBeUndefined();
    await set({ scope: 'workspace', model: 'svc-llm-1.5-pro', user_credits: '250.5' });
    expect(stage.text).toContain('✅ Changed: `model`, `user_credits`');
    expect(lineOf('workspace_credits')).toBe('- `workspace_credits`: no limit (default)');
    await set({ model: 'svc-llm-1.5' });
    expect(lineOf('model')).toBe('- `model`: `svc-llm-1.5` (this channel)');
    expect(lineOf('user_credits')).toBe('- `user_credits`: `250.5` (the workspace)');
    await stage.give('settings', {}, admin, elsewhere);
    expect(lineOf('model')).toBe('- `model`: `svc-llm-1.5-pro` (the workspace)');
    await set({ model: 'inherit' });
    expect(lineOf('model')).toBe('- `model`: `svc-llm-1.5-pro` (the workspace)');
  });

  it('changes nothing where its audit channel can’t be told: a death in between loses no line', async () => {
    await set({ scope: 'workspace', audit_channel: 'C123456789' });
    const takesAgain = await refuse(stage.database, 'insert on keyv', "new.key like 'audit::note %'");
    await set({ model: 'svc-llm-1.5-pro' });
    await takesAgain();
    await set({});
    expect(lineOf('model')).toBe('- `model`: `svc-llm-1.5` (default)');
  });

  it('opens each group as a form with what is chosen here, and takes back what is left empty', async () => {
    await set({ voice: 'en_male_tim_uranus_bigtts', image_size: '3k' });
    const opened = await stage.press('Voice and image', admin);
    expect(opened).toMatchObject({
      kind: 'form',
      form: {
        title: 'Voice and image',
        command: 'settings',
        fields: ['voice', 'language', 'image_size'],
        values: { voice: 'en_male_tim_uranus_bigtts', language: undefined, image_size: '3k' },
      },
    });
    await stage.press('Voice and image', admin, { voice: 'en_male_tim_uranus_bigtts', language: 'en' });
    expect(lineOf('voice')).toContain('(this channel)');
    expect(lineOf('language')).toBe('- `language`: `en` (this channel)');
    expect(lineOf('image_size')).toBe('- `image_size`: `2k` (default)');
    const menus = await stage.press('Video', admin);
    expect(menus).toMatchObject({ form: { values: { video_ratio: undefined, video_audio: undefined } } });
    expect(stage.standing).toHaveLength(1);
  });

  it('shows one page alone, with a button to change it', async () => {
    // What’s changed is shown, also where another page was asked for.
    await set({ page: 'budgets', confirm_over: '20' });
    expect(stage.text).toContain('✅ Changed: `confirm_over`\n\n**Settings of this channel**\n**Limits**\n');
    expect(lineOf('confirm_over')).toBe('- `confirm_over`: `20` (this channel)');
    await set({ page: 'history', confirm_over: '21', buttons: 'few' });
    expect(lineOf('confirm_over')).toBe('- `confirm_over`: `21` (this channel)');
    expect(lineOf('buttons')).toBe('- `buttons`: `few` (this channel)');
    // What’s for the whole workspace is on no page of the channel.
    await set({ page: 'budgets', workspace_credits: '500' });
    expect(stage.text).toContain('✅ Changed: `workspace_credits`\n- `workspace_credits`: `500` (');
    await set({ workspace_credits: 'inherit', buttons: 'inherit' });
    await set({ page: 'limits', confirm_over: '30' });
    expect(stage.text.split('\n')).toEqual([
      '✅ Changed: `confirm_over`',
      '',
      '**Settings of this channel**',
      '**Limits**',
      '- `confirm_over`: `30` (this channel)',
      '- `cooldown`: off (default)',
      '- `renders_at_once`: `4` (this bot’s limit; a channel or workspace can only set a lower one)',
      '- `role_credits`: none (default)',
      '- `over_budget`: `stop` (default)',
    ]);
    expect(stage.buttons).toEqual(['Change', 'Back']);
    await stage.press('Change', admin, { confirm_over: '40' });
    expect(lineOf('confirm_over')).toBe('- `confirm_over`: `40` (this channel)');
    expect(stage.buttons).toContain('Voice and image');
    await set({ page: 'history' });
    expect(stage.text).toContain('`confirm_over` `30` → `40`');
    await set({ page: 'commands' });
    expect(stage.buttons).toContain('✓ /video');
    const alone = personCalled('cat', { direct: true });
    await stage.give('settings', { page: 'video' }, alone);
    expect(lineOf('video_audio')).toBeDefined();
    for (const page of ['budgets', 'commands', 'history']) {
      await stage.give('settings', { page }, alone);
      expect(stage.text).toContain('You can’t change that in a direct message.');
    }
  });

  it('has forms of at most five fields, the strictest platform’s limit, and settings in one each', async () => {
    const fields: string[] = ['off'];
    await set({ scope: 'workspace' });
    for (const group of stage.buttons.slice(0, stage.buttons.indexOf('Commands'))) {
      const opened = await stage.press(group, admin);
      if (opened.kind !== 'form') throw new Error('no form');
      expect(opened.form.fields.length).toBeLessThanOrEqual(5);
      fields.push(...opened.form.fields);
    }
    const command = stage.bot.dispatcher.commands.find(({ name }) => name === 'settings')!;
    // `name` and `prompt` are a persona's.
    const others = ['scope', 'page', 'name', 'prompt'];
    const names = Object.keys(command.options).filter((name) => !others.includes(name));
    // These are for Slack.
    const here = names.filter((name) => name !== 'connect' && !name.startsWith('outsider'));
    expect(fields.toSorted()).toEqual(here.toSorted());
    expect(names.toSorted()).toEqual(settingNames.toSorted());
    // The console's form of them all.
    const { options } = wireCommandOf(command, 'en');
    const titles = new Set(options.flatMap(({ group }) => group ?? []));
    expect([[...titles][0], [...titles].at(-1)]).toEqual(['Answers', 'Personas']);
  });

  it('keeps what concerns the whole workspace with the workspace', async () => {
    await set({ workspace_credits: '1000', time_zone: 'Asia/Shanghai' });
    await stage.give('settings', { scope: 'workspace' }, admin, elsewhere);
    expect(lineOf('workspace_credits')).toBe('- `workspace_credits`: `1000` (the workspace)');
    expect(lineOf('time_zone')).toBe('- `time_zone`: `Asia/Shanghai` (the workspace)');
  });

  it.each(['Asia/Kathmandu', 'Australia/Lord_Howe', '+0545', '-0330', '+14'])(
    'takes %s as a time zone',
    async (zone) => {
      await set({ time_zone: zone });
      await stage.give('settings', { scope: 'workspace' }, admin);
      expect(lineOf('time_zone')).toBe(`- \`time_zone\`: \`${zone}\` (the workspace)`);
    },
  );

  it('counts a stored time zone that is not allowed any more as not chosen', async () => {
    await set({ time_zone: '+0545' });
    await stage.database
      .updateTable('place_settings')
      .set({ value: JSON.stringify('+0507') })
      .where('name', '=', 'time_zone')
      .execute();
    await stage.give('settings', { scope: 'workspace' }, admin);
    expect(lineOf('time_zone')).toBe('- `time_zone`: `UTC` (default)');
    const opened = await stage.press('Budgets', admin);
    expect(opened).toMatchObject({ form: { values: { time_zone: undefined } } });
    await stage.press('Budgets', admin, { user_credits: '5' });
    expect(lineOf('user_credits')).toBe('- `user_credits`: `5` (the workspace)');
  });

  it.each([
    ['model', 'gpt', 'svc-llm-1.5, svc-llm-1.5-pro, inherit'],
    ['user_credits', '-5', '0–999999999, inherit'],
    ['image_size', 'huge', '2k, 3k, 4k, WIDTHxHEIGHT, inherit'],
    ['video_duration', '3', '4, 5, 6'],
  ])('refuses %s %s before anything is changed, and says what is allowed', async (name, value, allowed) => {
    expect(await set({ [name]: value })).toMatchObject({
      kind: 'refused',
      text: expect.stringContaining(allowed),
    });
    expect(stage.standing).toEqual([]);
  });

  it.each([
    ['time_zone', 'Mars/Olympus', 'UTC, Asia/Shanghai, …'],
    ['time_zone', '+0507', 'its offset from UTC isn’t a multiple of 15 minutes'],
    ['time_zone', '-0001', 'its offset from UTC isn’t a multiple of 15 minutes'],
    ['off', 'ask dance', 'ask, speak, imagine, video, voices, reset, usage, renders, me, all, none'],
    ['off', 'constructor', 'ask, speak, imagine, video, voices, reset, usage, renders, me, all, none'],
    ['off', '__proto__', 'ask, speak, imagine, video, voices, reset, usage, renders, me, all, none'],
    ['users_ask', 'everybody', '@…, none'],
    // A platform's mentions are ids, which say nothing to people.
    ['users_ask', '<@U0123456> @flims', '`users_ask` can’t be “@flims”.'],
    // What’s chosen is undone by that, which the page shows as “none”.
    ['audit_channel', 'none', '#…, ID, inherit'],
    [
      'voice',
      'nobody_at_all',
      'There’s no voice “nobody_at_all”. See `/voices` for the list. Nothing was changed.',
    ],
  ])('says why %s cannot be %s', async (name, value, why) => {
    await set({ [name]: value, model: 'svc-llm-1.5-pro' });
    expect(stage.text).toContain(why);
    await set({});
    expect(lineOf('model')).toContain('(default)');
  });

  it('takes commands, none and inherit in any case: a phone begins with a capital', async () => {
    await set({ blocked_words: 'secret', persona: 'A pirate', off: 'Video' });
    await set({});
    expect(lineOf('off')).toBe('- `off`: `video` (this channel)');
    await set({ blocked_words: 'None', persona: 'Inherit', off: 'None' });
    await set({});
    expect(lineOf('blocked_words')).toBe('- `blocked_words`: none (this channel)');
    expect(lineOf('persona')).toContain('(default)');
    expect(lineOf('off')).toBe('- `off`: all on (this channel)');
  });

  it('takes every voice that /speak takes: also one of the description that the list leaves out, and any while there’s no list', async () => {
    const list = vi.spyOn(stage.service.voices, 'list').mockRejectedValue(new Error('down'));
    const persona = { name: 'Ada', page: 'personas' };
    await set({ voice: 'new_voice' });
    expect(lineOf('voice')).toBe('- `voice`: `new_voice` (this channel)');
    await set({ ...persona, voice: 'new_voice' });
    expect(stage.text).toContain('**`Ada`** · `new_voice`');
    list.mockResolvedValue([{ id: 'another_voice', languages: [] }]);
    await stage.bot.voiceList.refresh();
    await set({ voice: 'en_male_tim_uranus_bigtts' });
    expect(lineOf('voice')).toContain('`en_male_tim_uranus_bigtts`');
    await set({ ...persona, voice: 'en_male_tim_uranus_bigtts' });
    expect(stage.text).toContain('**`Ada`** · `en_male_tim_uranus_bigtts`');
    await set({ voice: 'new_voice' });
    expect(stage.text).toContain('There’s no voice “new_voice”.');
  });

  it('calls the voice by its name beside its id, in both languages', async () => {
    await set({ voice: 'saturn_zh_female_keainvsheng_tob' });
    expect(lineOf('voice')).toBe(
      '- `voice`: `saturn_zh_female_keainvsheng_tob` Cute Girl · female · Chinese (this channel)',
    );
    const boss = personCalled('boss', { administrator: true, locale: 'zh-CN' });
    await stage.give('settings', {}, boss);
    expect(lineOf('voice')).toBe(
      '- `voice`：`saturn_zh_female_keainvsheng_tob` 可爱女生 · 女声 · 中文（这个频道）',
    );
  });

  it('keeps who changed what when', async () => {
    await set({ user_credits: '100' });
    await stage.clock.advance(60_000);
    const boss = personCalled('boss', { administrator: true, name: 'The Boss' });
    await stage.give('settings', { scope: 'workspace', persona: 'A pirate' }, boss);
    await stage.give('settings', { user_credits: 'inherit' }, boss);
    await stage.give('settings', { user_credits: 'inherit' }, boss);
    expect(stage.text).toContain('Nothing to change');
    await stage.press('History', boss);
    const at = (minutes: number) => `<t:${Date.UTC(2026, 10, 20, 12, minutes) / 1_000}:f>`;
    expect(stage.text.split('\n').slice(1)).toEqual([
      expect.stringContaining('The Boss: `user_credits` `100` → not set (this channel)'),
      expect.stringContaining('The Boss: `persona` not set → `A pirate` (the workspace)'),
      expect.stringContaining(`- ${at(0)} admin: \`user_credits\` not set → \`100\` (this channel)`),
    ]);
    await stage.press('Back', boss);
    expect(stage.text).toContain('**Settings of this');
  });

  it('shows the page beside the old one where private messages cannot be changed', async () => {
    stage.privateEdits = false;
    await set({});
    await stage.press('History', admin);
    expect(stage.standing).toHaveLength(2);
    expect(stage.latest).toMatchObject({ seenBy: 'requester' });
    expect(stage.text).toContain('Nothing has been changed here.');
  });

  it('speaks Chinese', async () => {
    await stage.give('settings', { user_credits: '5' }, { ...admin, locale: 'zh-CN' });
    expect(stage.text).toContain('**这个频道的设置**');
    expect(lineOf('user_credits')).toBe('- `user_credits`：`5`（这个频道）');
  });
});

describe('what is chosen', () => {
  it('is what commands do where nothing else is said', async () => {
    await set({
      model: 'svc-llm-1.5-pro',
      persona: 'You are a lighthouse keeper.',
      voice: 'en_male_tim_uranus_bigtts',
      image_size: '4k',
      video_duration: '4',
      video_resolution: '480p',
      video_audio: 'off',
    });
    await stage.give('ask', { prompt: 'Hello' });
    await stage.give('imagine', { prompt: 'x' });
    await stage.give('imagine', { prompt: 'x', size: '2k' });
    await stage.make('video', { prompt: 'x' });
    const rows = await stage.ledger();
    expect(rows.map(({ model }) => model)).toEqual([
      'svc-llm-1.5-pro',
      'image 4k',
      'image 2k',
      'video balanced 480p',
    ]);
    const [film] = await stage.database
      .selectFrom('renders')
      .select('request')
      .where('kind', '=', 'video')
      .execute();
    expect(JSON.parse(film!.request)).toMatchObject({
      duration: 4,
      resolution: '480p',
      generate_audio: false,
    });
    const [chat] = rows;
    const persona = Math.ceil('You are a lighthouse keeper.'.length / 4);
    expect(JSON.parse(chat!.quantity).cacheCreationTokens).toBe(persona + 4);
  });

  it.each([
    [
      'all',
      ['Reply', 'Regenerate', 'Listen', 'Draw it', 'Delete', '👍', '👎'],
      ['Again', 'Edit', 'Report', 'Delete'],
    ],
    ['few', ['Reply', 'Regenerate', 'Delete'], ['Again', 'Edit', 'Delete']],
    ['none', ['Delete'], ['Delete']],
  ])('says how many buttons stand under answers and images: %s', async (buttons, ofAnswer, ofImage) => {
    await set({ buttons });
    await stage.give('ask', { prompt: 'Hello' });
    expect(stage.buttons).toEqual(ofAnswer);
    await stage.make('imagine', { prompt: 'x' });
    expect(stage.buttons).toEqual(ofImage);
    await stage.give('ask', { prompt: '[[fail 503]]' });
    expect(stage.buttons).toEqual(['Try again', 'Delete']);
  });

  it('says how many buttons stand under videos: New seed, Edit and Delete are the few, Delete always stands there', async () => {
    await set({ buttons: 'few' });
    await stage.make('video', { prompt: 'x' });
    expect(stage.buttons).toEqual(['New seed', 'Edit', 'Delete']);
    await set({ buttons: 'none' });
    await stage.make('video', { prompt: 'x' });
    expect(stage.buttons).toEqual(['Delete']);
    await stage.give('speak', { text: 'Hello' });
    expect(stage.buttons).toEqual(['Delete']);
  });

  it('holds in its place alone', async () => {
    await set({ image_size: '4k' });
    await stage.give('imagine', { prompt: 'x' }, ann, elsewhere);
    expect((await stage.ledger())[0]?.model).toBe('image 2k');
  });

  it('switches commands off and on', async () => {
    await set({});
    await stage.press('Commands', admin);
    expect(stage.buttons).toEqual([
      ...['ask', 'speak', 'imagine', 'video', 'voices', 'reset', 'usage', 'renders', 'me'].map(
        (name) => `✓ /${name}`,
      ),
      'Back',
    ]);
    await stage.press('✓ /video', admin);
    await stage.press('✓ /ask', admin);
    expect(stage.buttons).toContain('✗ /video');
    expect(await stage.give('video', { prompt: 'x' })).toEqual({
      kind: 'refused',
      text: '`/video` is turned off here. An administrator can turn it on.',
      reason: 'rules',
    });
    expect(await stage.give('video', { prompt: 'x' }, ann, elsewhere)).toMatchObject({ kind: 'accepted' });
    await stage.press('✗ /video', admin);
    expect(await stage.give('video', { prompt: 'x' })).toMatchObject({ kind: 'accepted' });
    expect(await stage.give('ask', { prompt: 'x' })).toMatchObject({ kind: 'refused' });
    await stage.rendersEnded();
  });

  it('keeps a command to people and roles, administrators always among them', async () => {
    await set({ users_video: '<@!123456789012345678>, <@&99990000> <!subteam^S12345|@films> <@U777|bob>' });
    expect(lineOf('users_video')).toBe(
      '- `users_video`: `123456789012345678 99990000 S12345 U777` (this channel)',
    );
    const tries = [
      ann,
      personCalled('123456789012345678'),
      personCalled('x', { roles: ['5', '99990000'] }),
      personCalled('y', { roles: ['S12345'] }),
      personCalled('U777'),
      admin,
    ];
    const kinds: string[] = [];
    for (const person of tries) kinds.push((await stage.give('video', { prompt: 'x' }, person)).kind);
    expect(kinds).toEqual(['refused', 'accepted', 'accepted', 'accepted', 'accepted', 'accepted']);
    expect(await stage.give('imagine', { prompt: 'x' })).toMatchObject({ kind: 'accepted' });
    await set({ users_video: 'none' });
    expect(lineOf('users_video')).toBe('- `users_video`: everyone (this channel)');
    await stage.rendersEnded();
  });

  it('makes budgets that count where they were set', async () => {
    await set({ scope: 'workspace', user_credits: '30' });
    await stage.give('imagine', { prompt: 'x' });
    expect(await stage.give('imagine', { prompt: 'x' }, ann, elsewhere)).toMatchObject({ kind: 'refused' });
    await set({ user_credits: '30' }, elsewhere);
    expect(await stage.give('imagine', { prompt: 'x' }, ann, elsewhere)).toMatchObject({ kind: 'accepted' });
    await set({ scope: 'workspace', workspace_credits: '50' });
    const bob = personCalled('bob');
    expect(await stage.give('imagine', { prompt: 'x' }, bob)).toMatchObject({
      kind: 'refused',
      text: expect.stringContaining('This workspace’s daily budget of 50 credits has 6 left'),
    });
    await stage.rendersEnded();
  });
});
