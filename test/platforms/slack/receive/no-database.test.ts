import { describe, expect, test } from 'vitest';
import { actionId } from '../../../../src/port/index.ts';
import { words } from '../../../../src/words/index.ts';
import { allowing, type CommandRules } from '../../../fakes/commands.ts';
import { takeAway } from '../../../fakes/database.ts';
import { freshPostgres, swallow } from '../../../fakes/postgres/index.ts';
import { blocksAsText, type Json, type View } from '../../../fakes/slack/index.ts';
import { saysWith, type Script, type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;

const [sentence, chinese] = [words('en').errors.database, words('zh-CN').errors.database];
const away = () => takeAway(stage.database, 'keyv', 'jobs');

const whispers = (text = sentence) => stage.workspace.ephemerals.filter((one) => one.text === text);

const homePage: StageOptions['homePage'] = async () => [
  {
    title: 'Your credits',
    text: 'None.',
    buttons: [{ id: 'usage', label: 'Details', call: { command: 'usage', options: { period: 'week' } } }],
  },
];

describe.each(['socket', 'http'] as const)('while the database is away, over %s,', (mode) => {
  test('every kind of request gets a sentence, is acknowledged, and works again afterwards', async () => {
    stage = await startStage({ mode, scripts: { ask: saysWith('again', 'Again') }, homePage });
    const { ada, ben, general } = stage;
    await ada.types('/ask hello', general);
    await stage.until(() => stage.posts(general).length === 1);
    const [answer] = stage.posts(general);
    if (!answer) throw new Error('nothing was posted');
    await ada.opensHome().done;
    await stage.quiet();
    await stage.openForm(ben, '/imagine');
    const back = await away();

    const typed = await ada.types('/ask one', general);
    expect(typed.acknowledged.ok).toBe(true);
    expect(whispers().map(({ user }) => user)).toEqual([ada.user.id]);

    const mention = ada.says(`${ada.bot} two`, general);
    const chineseMention = ben.says(`${ben.bot} 你好`, general, { thread: mention.message.ts });
    const direct = ada.says('three', ada.directMessages);
    await stage.quiet();
    for (const { deliveries } of [mention, chineseMention, direct]) {
      for (const delivery of deliveries) expect(await delivery.done).toMatchObject({ ok: true });
    }
    expect(whispers()).toHaveLength(2);
    expect(whispers(chinese)).toMatchObject([{ user: ben.user.id, threadTs: mention.message.ts }]);
    expect(stage.texts(ada.directMessages)).toEqual([sentence]);

    expect((await ada.presses(answer, 'Again')).acknowledged.ok).toBe(true);
    expect(whispers()).toHaveLength(3);
    expect((await ada.picks(answer, 'Ask about this')).acknowledged.ok).toBe(true);
    await stage.until(() => whispers().length === 4);
    await ada.pressesIn(ada.home as View, 'Details');
    expect(blocksAsText((ada.form as View).content.blocks as Json[])).toBe(sentence);

    await ben.sends({ prompt: '一只猫' });
    expect(Object.values(ben.form?.errors ?? {})).toEqual([chinese]);

    await back();
    await stage.pass(400_000);
    expect(stage.posts(general)).toEqual([answer]);
    expect(stage.texts(ada.directMessages)).toEqual([sentence]);
    await ada.types('/ask again', general);
    await stage.until(() => stage.posts(general).length === 2);
  });
});

test('what isn’t known to be for the bot is left to Slack, and nobody is bothered', async () => {
  stage = await startStage();
  const { ada, general } = stage;
  const { message } = ada.says(`${ada.bot} hello`, general);
  await stage.until(() => stage.posts(general, message.ts).length === 1);
  const back = await away();
  const { deliveries } = ada.says('and more?', general, { thread: message.ts });
  await stage.pass(3_500);
  expect(deliveries[0]?.attempts[0]?.result?.ok).toBe(false);
  expect(stage.workspace.ephemerals).toEqual([]);
  await back();
  await stage.pass(65_000);
  await stage.until(() => stage.posts(general, message.ts).length === 2);
});

test('a workflow waits for Slack’s next tries, and its step fails with the sentence after the last', async () => {
  stage = await startStage();
  const back = await away();
  const first = stage.ada.runs('ask', { prompt: 'hello' });
  await stage.pass(2_000);
  expect(first.execution.state).toBe('running');
  await back();
  await stage.until(() => first.execution.state === 'done', 120_000);
  const backAgain = await away();
  const second = stage.ada.runs('ask', { prompt: 'hello' });
  await stage.until(() => second.execution.state === 'failed', 600_000);
  expect(second.execution.error).toBe(sentence);
  expect(await second.delivery.done).toMatchObject({ ok: true });
  await backAgain();
});

test('where the token is in the database, it’s remembered for the sentence', async () => {
  stage = await startStage({ mode: 'oauth' });
  const { ada, chief, general } = stage;
  expect((await stage.install(chief)).status).toBe(200);
  await ada.types('/ask hello', general);
  await stage.until(() => stage.posts(general).length === 1);
  const back = await away();
  await ada.types('/ask one', general);
  const { deliveries } = ada.says(`${ada.bot} two`, general);
  await stage.quiet();
  expect(await deliveries[0]?.done).toMatchObject({ ok: true });
  expect(whispers()).toHaveLength(2);
  await back();
});

test('whoever mentions the bot of another workspace in a channel of both is told, too', async () => {
  stage = await startStage({ mode: 'oauth' });
  const { chief, slack, workspace } = stage;
  const sister = slack.addWorkspace('sister', 'E0ORG');
  const yan = slack.person(sister, { name: 'yan', admin: true });
  const shared = slack.channel(workspace, 'shared', [chief, yan], { sharedWith: [sister] });
  for (const person of [chief, yan]) expect((await stage.install(person)).status).toBe(200);
  await chief.types('/ask hello', shared);
  await stage.until(() => stage.posts(shared).length === 1);
  const back = await away();
  const { deliveries } = chief.says(`${yan.bot} two`, shared);
  await stage.quiet();
  expect(await deliveries[0]?.done).toMatchObject({ ok: true });
  expect(whispers()).toMatchObject([{ user: chief.user.id }]);
  await back();
});

test('where nothing is remembered, a command is told all the same, and a mention is left to Slack', async () => {
  stage = await startStage({ mode: 'oauth' });
  const { ada, chief, general } = stage;
  expect((await stage.install(chief)).status).toBe(200);
  await stage.restart();
  // What the start has read is remembered for a minute.
  await stage.pass(61_000);
  const back = await away();
  expect((await ada.types('/ask one', general)).acknowledged.ok).toBe(true);
  expect(whispers()).toHaveLength(1);
  const { deliveries, message } = ada.says(`${ada.bot} two`, general);
  await stage.pass(3_500);
  expect(deliveries[0]?.attempts[0]?.result?.ok).toBe(false);
  await back();
  await stage.pass(65_000);
  await stage.until(() => stage.posts(general, message.ts).length === 1);
});

test('where the database swallows everything, people are told in time, and nothing is begun late or left open', async () => {
  stage = await startStage({ databaseUrl: await freshPostgres() });
  const { ada, ben, general } = stage;
  const states = async () =>
    (await stage.database.selectFrom('jobs').select('state').execute()).map(({ state }) => state);
  await ada.types('/ask warm', general);
  await stage.until(() => stage.posts(general).length === 1);
  // Its end is on record a moment after people see it.
  await expect.poll(states).toEqual(['done']);
  const { asked, release } = swallow(/"jobs"/);
  const typed = ada.types('/ask one', general);
  const { deliveries } = ben.says('two', ben.directMessages);
  await expect.poll(() => asked).toHaveLength(2);
  await stage.pass(2_299);
  expect(whispers()).toEqual([]);
  expect(deliveries[0]?.attempts[0]?.result).toBeUndefined();
  await stage.pass(1);
  await expect.poll(() => whispers()).toMatchObject([{ user: ada.user.id }]);
  await expect.poll(() => stage.texts(ben.directMessages)).toEqual([chinese]);
  expect((await typed).acknowledged.ok).toBe(true);
  expect(await deliveries[0]?.done).toMatchObject({ ok: true });
  expect(deliveries[0]?.attempts).toHaveLength(1);
  release();
  await expect.poll(async () => (await states()).toSorted()).toEqual(['done', 'failed', 'failed']);
  // The same event again, in a process that knows of nothing: it's on record, and stays ended.
  await stage.restart();
  const [delivery] = deliveries;
  if (!delivery) throw new Error('nothing was delivered');
  const again = stage.slack.deliverer.deliver('events_api', delivery.payload);
  expect(await stage.done(again.done)).toMatchObject({ ok: true });
  await stage.pass(10_000);
  expect(stage.texts(ben.directMessages)).toEqual([chinese]);
  expect(stage.posts(general)).toHaveLength(1);
});

test.each([
  { label: 'Again', isForm: false },
  { label: 'Edit', isForm: true },
])(
  'where the database swallows what a press of $label gives, its person is told in time, and nothing is begun late',
  async ({ label, isForm }) => {
    const imagine: Script = async ({ job, reply }) => {
      const buttons = ['Again', 'Edit'].map((name) => ({
        id: actionId('imagine', name.toLowerCase(), job.id),
        label: name,
      }));
      await reply.say({ text: 'A picture', buttons });
    };
    stage = await startStage({ databaseUrl: await freshPostgres(), scripts: { imagine } });
    const { ada, general } = stage;
    await ada.types('/imagine a dog', general);
    await stage.until(() => stage.posts(general).length === 1);
    await stage.quiet();
    const [answer] = stage.posts(general);
    if (!answer) throw new Error('nothing was posted');
    if (isForm) {
      await ada.presses(answer, label);
      await stage.until(() => ada.form !== undefined);
    }
    const { asked, release } = swallow(/insert into "jobs"/);
    const sent = isForm ? ada.sends({ prompt: 'a cat' }) : ada.presses(answer, label);
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    await stage.pass(2_500);
    expect((await sent).acknowledged.ok).toBe(true);
    expect(isForm ? Object.values(ada.form?.errors ?? {}) : whispers().map(({ text }) => text)).toEqual([
      sentence,
    ]);
    release();
    await expect
      .poll(async () => {
        const rows = await stage.database.selectFrom('jobs').select('state').orderBy('created_at').execute();
        return rows.map(({ state }) => state);
      })
      .toEqual(['done', 'failed']);
    await stage.pass(20_000);
    expect(stage.posts(general)).toHaveLength(1);
    expect(whispers()).toHaveLength(isForm ? 0 : 1);
  },
);

test('a form whose person was told that the database is away, and whose record came late, works when it’s sent again', async () => {
  stage = await startStage({ databaseUrl: await freshPostgres() });
  const { ada, general } = stage;
  await stage.openForm(ada, '/ask');
  const { asked, release } = swallow(/insert into "jobs"/);
  const sent = ada.sends({ prompt: 'hello' });
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  await stage.pass(2_300);
  const { delivery } = await sent;
  expect(Object.values(ada.form?.errors ?? {})).toEqual([sentence]);
  release();
  const states = async () =>
    (await stage.database.selectFrom('jobs').select('state').orderBy('created_at').execute()).map(
      ({ state }) => state,
    );
  await expect.poll(states).toEqual(['failed']);
  // Slack repeats what was told.
  await stage.done(stage.slack.deliverer.deliver('interactive', delivery.payload).done);
  await stage.pass(10_000);
  expect(stage.posts(general)).toEqual([]);
  await stage.done(ada.sends({ prompt: 'hello' }));
  expect(ada.form).toBeUndefined();
  await stage.until(() => stage.posts(general).length === 1);
  await expect.poll(states).toEqual(['failed', 'done']);
});

test('a form that Slack shows again since it missed the acknowledgement has its effect once, though it’s sent again', async () => {
  const { promise: gate, resolve: goOn } = Promise.withResolvers<void>();
  stage = await startStage({ rules: (...asked) => gate.then(() => allowing(...asked)) });
  const { ada, general } = stage;
  await stage.openForm(ada, '/ask');
  const sent = ada.sends({ prompt: 'hello' });
  await stage.pass(3_500);
  expect((await sent).acknowledged.ok).toBe(false);
  const again = ada.sends({ prompt: 'hello' });
  await stage.quiet();
  goOn();
  expect((await stage.done(again)).acknowledged.ok).toBe(true);
  await stage.pass(10_000);
  expect(ada.form).toBeUndefined();
  expect(stage.posts(general)).toHaveLength(1);
});

test.each(['command', 'button'])(
  'a form of a %s whose acknowledgement Slack missed has its effect once, though another process gets it again',
  async (what) => {
    const { promise: gate, resolve: goOn } = Promise.withResolvers<void>();
    let waits = false;
    const rules: CommandRules = async (...asked) => {
      if (waits) await gate;
      return allowing(...asked);
    };
    stage = await startStage({ rules, scripts: { imagine: saysWith('edit', 'Edit') } });
    const { ada, general } = stage;
    await ada.types('/imagine a dog', general);
    await stage.until(() => stage.posts(general).length === 1);
    const [first] = stage.posts(general);
    if (!first) throw new Error('nothing was posted');
    await (what === 'button' ? ada.presses(first, 'Edit') : ada.types('/imagine', general));
    await stage.until(() => ada.form !== undefined);
    waits = true;
    const sent = ada.sends({ prompt: 'a cat' });
    await stage.pass(3_500);
    expect((await sent).acknowledged.ok).toBe(false);
    goOn();
    await stage.until(() => stage.posts(general).length === 2);
    await stage.restart();
    expect((await stage.done(ada.sends({ prompt: 'a cat' }))).acknowledged.ok).toBe(true);
    await stage.pass(10_000);
    expect(ada.form).toBeUndefined();
    expect(stage.posts(general)).toHaveLength(2);
    expect(await stage.database.selectFrom('jobs').select('state').execute()).toEqual([
      { state: 'done' },
      { state: 'done' },
    ]);
  },
);

test('what is only slow for another reason is waited for', async () => {
  const { promise: gate, resolve: goOn } = Promise.withResolvers<void>();
  stage = await startStage({ rules: (...asked) => gate.then(() => allowing(...asked)) });
  const { ada, general } = stage;
  void ada.types('/ask hello', general);
  await stage.pass(10_000);
  expect(whispers()).toEqual([]);
  goOn();
  await stage.until(() => stage.posts(general).length === 1);
});
