import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { discordWords } from '../../../../src/platforms/discord/words.ts';
import { type Database, isSilent } from '../../../../src/store/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { defineCommand } from '../../../fakes/commands.ts';
import { freshPostgres, swallow } from '../../../fakes/postgres/index.ts';
import { echo } from '../support/commands.ts';
import { startStage } from '../support/stage.ts';

/** A command that takes whatever somebody writes. */
const asking = () =>
  defineCommand({
    name: 'ask',
    ...{ description: echo.description, help: echo.help, seenBy: 'channel' as const },
    options: { prompt: echo.options.text },
    textOption: 'prompt',
    run: async ({ options, reply }) => void (await reply.say({ text: options.prompt })),
  });

const states = async (database: Database) =>
  (await database.selectFrom('jobs').select('state').execute()).map(({ state }) => state);

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
  const stage = await startStage({
    ...{ commands: [echo], databaseUrl: await freshPostgres() },
    // Discord waits as long as it takes here.
    clock: new FakeClock(Date.now() + 60_000),
    botClock: systemClock,
  });
  const { release } = swallow(/"jobs"/);
  stage.ada.types(stage.channel, { name: 'echo', options: { text: 'hello' } });
  const told = await stage.discord.until('the sentence', () =>
    stage.discord
      .messagesIn(stage.channel, { ephemeral: true })
      .find(({ content }) => content === discordWords('en').noDatabase),
  );
  expect(told.onlyFor).toBe(stage.ada.user.id);
  release();
  await expect.poll(() => states(stage.database)).toEqual(['failed']);
  expect(stage.discord.messagesIn(stage.channel).filter(({ content }) => content === 'hello')).toEqual([]);
});

it('who mentions the bot or writes to it directly while the database swallows everything is told so in time', async () => {
  const clock = new FakeClock();
  const ask = asking();
  const stage = await startStage({ commands: [ask], databaseUrl: await freshPostgres(), clock });
  const { ada, bob, channel, database, discord } = stage;
  const { release } = swallow(/\b(?:jobs|keyv)\b/);
  const direct = discord.world.directChannel(bob.user);
  ada.mentions(channel, 'hello');
  bob.writes(direct, 'hello');
  await expect.poll(() => isSilent(database)).toBe(true);
  const told = () =>
    [channel, direct].map((where) =>
      discord.messagesIn(where).filter(({ authorId }) => authorId === discord.world.bot.id),
    );
  expect(told()).toEqual([[], []]);
  await clock.advance(2_500);
  await discord.until('the sentences', () => told().every(({ length }) => length > 0) || undefined);
  release();
  await expect.poll(() => isSilent(database)).toBe(false);
  await expect.poll(async () => (await states(database)).includes('running')).toBe(false);
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
  const ask = asking();
  const stage = await startStage({ commands: [ask] });
  await sql.raw('pragma query_only = on').execute(stage.database);
  stage.ada.mentions(stage.channel, `${text}`);
  await stage.discord.until('the sentence', () =>
    stage.discord
      .messagesIn(stage.channel)
      .find(({ content }) => content === discordWords(locale).noDatabase),
  );
  await sql.raw('pragma query_only = off').execute(stage.database);
});
