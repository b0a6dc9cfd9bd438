import { expect, test } from 'vitest';
import { words } from '../../../../src/words/index.ts';
import { allowing, type CommandRules } from '../../../fakes/commands.ts';
import { takeAway } from '../../../fakes/database.ts';
import { type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;

const sentence = words('en').errors.database;
const away = () => takeAway(stage.database, 'keyv', 'jobs');
const told = () => stage.workspace.ephemerals.filter(({ text }) => text === sentence).length;
const isMention = (body: string) => body.includes('"type":"app_mention"');

/** Two processes that know the people already. */
async function start(options: StageOptions = {}): Promise<void> {
  stage = await startStage({ twice: true, ...options });
  for (const process of [0, 1] as const) {
    stage.to = process;
    await stage.done(stage.ada.types('/ask warm', stage.outside));
  }
}

test('a direct message that one process told about isn’t answered where Slack repeats it to the other', async () => {
  await start();
  stage.to = 0;
  const back = await away();
  const { deliveries } = stage.ada.says('hello', stage.ada.directMessages);
  await stage.until(() => stage.texts(stage.ada.directMessages).length === 1);
  await back();
  await stage.pass(2_000);
  stage.to = 1;
  const again = stage.slack.deliverer.deliver('events_api', deliveries[0]!.payload);
  expect(await stage.done(again.done)).toMatchObject({ ok: true });
  await stage.pass(20_000);
  expect(stage.texts(stage.ada.directMessages)).toEqual([sentence]);
});

test('a message acknowledged late, and so repeated to the other process, is answered once', async () => {
  let admitted = 0;
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const slow: CommandRules = async (...asked) => {
    admitted += 1;
    if (admitted > 2) await gate;
    return allowing(...asked);
  };
  await start({ rules: slow });
  let copies = 0;
  stage.to = () => (copies++ === 0 ? 0 : 1);
  const { deliveries } = stage.ada.says('hello', stage.ada.directMessages);
  await stage.pass(4_000);
  expect(deliveries[0]?.attempts.map(({ result }) => result?.ok)).toEqual([false, undefined]);
  open();
  await stage.until(() => stage.posts(stage.ada.directMessages).length > 0);
  await stage.pass(400_000);
  expect(copies).toBe(2);
  expect(stage.posts(stage.ada.directMessages)).toHaveLength(1);
});

test('a mention that comes as a message alone is answered', async () => {
  await start({ withoutEvents: ['app_mention'] });
  stage.to = 1;
  stage.ada.says(`${stage.ada.bot} hello`, stage.general);
  await stage.until(() => stage.posts(stage.general).length === 1);
});

test.each(['told', 'absent'] as const)(
  'a mention is told about once while the database is away, though it comes to both processes, its kind of channel %s',
  async (optionalFields) => {
    await start();
    stage.slack.world.optionalFields = optionalFields;
    stage.to = (body) => (isMention(body) ? 0 : 1);
    const back = await away();
    const { deliveries } = stage.ada.says(`${stage.ada.bot} hello`, stage.general);
    await stage.pass(5_000);
    for (const { done } of deliveries) expect(await done).toMatchObject({ ok: true });
    expect(told()).toBe(1);
    await back();
    await stage.pass(20_000);
    expect(stage.posts(stage.general)).toEqual([]);
    expect(told()).toBe(1);
  },
);

test.each(['works', 'refused'] as const)(
  'a mention with files is told about while the database is away, where an app_mention of it %s',
  async (mentionWithFiles) => {
    await start();
    stage.to = 0;
    stage.slack.world.readings.mentionWithFiles = mentionWithFiles;
    const back = await away();
    const files = [stage.ada.file('a.txt', Buffer.from('Tea'))];
    const { deliveries } = stage.ada.says(`${stage.ada.bot} what is it?`, stage.general, { files });
    await stage.pass(3_000);
    for (const { done } of deliveries) expect(await done).toMatchObject({ ok: true });
    expect(told()).toBe(1);
    await back();
    await stage.pass(20_000);
    expect(stage.posts(stage.general)).toEqual([]);
  },
);
