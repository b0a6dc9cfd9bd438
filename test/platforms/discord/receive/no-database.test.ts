import { sql } from 'kysely';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { discordWords } from '../../../../src/platforms/discord/words.ts';
import { isSilent } from '../../../../src/store/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { freshPostgres } from '../../../fakes/postgres/index.ts';
import { echo } from '../support/commands.ts';
import { startStage } from '../support/stage.ts';

it('who types a command while nothing can be recorded is told so, and can do it again', async () => {
  const stage = await startStage({ commands: [echo] });
  const said = (content: string) => () =>
    stage.discord
      .messagesIn(stage.channel, { ephemeral: true })
      .find((message) => message.content === content);
  await sql.raw('pragma query_only = on').execute(stage.database);
  stage.ada.types(stage.channel, { name: 'echo', options: { text: 'hello' } });
  const told = await stage.discord.until('the sentence', said(discordWords('en').noDatabase));
  expect(told.onlyFor).toBe(stage.ada.user.id);
  await sql.raw('pragma query_only = off').execute(stage.database);
});

it('who types a command while the database doesn’t answer is told so in time, and nothing is left open', async () => {
  const url = await freshPostgres();
  const stage = await startStage({ commands: [echo], databaseUrl: url });
  const other = new Client({ connectionString: url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('begin');
  await other.query('lock table jobs in access exclusive mode');
  stage.ada.types(stage.channel, { name: 'echo', options: { text: 'hello' } });
  const told = await stage.discord.until('the sentence', () =>
    stage.discord
      .messagesIn(stage.channel, { ephemeral: true })
      .find(({ content }) => content === discordWords('en').noDatabase),
  );
  expect(told.onlyFor).toBe(stage.ada.user.id);
  await other.query('commit');
  const open = () => other.query(`select 1 from jobs where state = 'running'`);
  await expect.poll(async () => (await open()).rows).toEqual([]);
  expect(stage.discord.messagesIn(stage.channel).filter(({ content }) => content === 'hello')).toEqual([]);
});

it('who mentions the bot or writes to it directly while the database swallows everything is told so in time', async () => {
  const url = await freshPostgres();
  const clock = new FakeClock();
  const ask = { ...echo, name: 'ask', options: { prompt: echo.options.text! }, textOption: 'prompt' };
  const stage = await startStage({ commands: [ask], databaseUrl: url, clock });
  const { ada, bob, channel, database, discord } = stage;
  const other = new Client({ connectionString: url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('begin');
  await other.query('lock table jobs, keyv in access exclusive mode');
  const direct = discord.world.directChannel(bob.user);
  ada.writes(channel, `<@${discord.world.bot.id}> hello`);
  bob.writes(direct, 'hello');
  await expect.poll(() => isSilent(database)).toBe(true);
  const told = () =>
    [channel, direct].map((where) =>
      discord.messagesIn(where).filter(({ authorId }) => authorId === discord.world.bot.id),
    );
  expect(told()).toEqual([[], []]);
  await clock.advance(2_500);
  await discord.until('the sentences', () => told().every(({ length }) => length > 0) || undefined);
  await other.query('commit');
  await expect.poll(() => isSilent(database)).toBe(false);
  const open = () => other.query(`select 1 from jobs where state = 'running'`);
  await expect.poll(async () => (await open()).rows).toEqual([]);
  const { noDatabase } = discordWords('en');
  expect(told().map((messages) => messages.map(({ content }) => content))).toEqual([
    [noDatabase],
    [noDatabase],
  ]);
});

it.each([
  ['en', 'hello'],
  ['zh-CN', '你好'],
] as const)('who mentions the bot meanwhile is told so, too (%s)', async (locale, text) => {
  const ask = { ...echo, name: 'ask', options: { prompt: echo.options.text! }, textOption: 'prompt' };
  const stage = await startStage({ commands: [ask] });
  await sql.raw('pragma query_only = on').execute(stage.database);
  stage.ada.writes(stage.channel, `<@${stage.discord.world.bot.id}> ${text}`);
  await stage.discord.until('the sentence', () =>
    stage.discord
      .messagesIn(stage.channel)
      .find(({ content }) => content === discordWords(locale).noDatabase),
  );
  await sql.raw('pragma query_only = off').execute(stage.database);
});
