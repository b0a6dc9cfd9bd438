import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BotProcess } from '../../crash/bot-process.ts';
import type { Message } from '../../fakes/discord/index.ts';
import { shardOf } from '../../fakes/discord/snowflakes.ts';
import { Bots } from './support/bots.ts';
import { answering, Scene } from './support/scene.ts';

const slices = ['0-1/4', '2-3/4'] as const;

let bots: Bots;
const sliceOf = new Map<BotProcess, string>();

beforeAll(async () => {
  bots = await Bots.start({ count: 0, platforms: ['discord'], noticeSoon: true, pace: 6 });
  const { gateway } = bots.discord;
  Object.assign(gateway, { shards: 4, maxConcurrency: 4, identifyWindow: 5_000 });
  for (const slice of slices) sliceOf.set(await bots.add(undefined, { DISCORD_SHARDS: slice }), slice);
});
afterAll(() => bots?.close());

/** The server, a channel there, and somebody in it. */
function place() {
  const { world } = bots.discord;
  const [guild] = world.guilds.values();
  const [channel] = world.channels.values();
  const user = [...world.users.values()].find(({ name }) => name === 'bob');
  if (!guild || !channel || !user) throw new Error('nobody is there to mention the bot');
  return { guild, channel, bob: bots.discord.person(user) };
}

function mentions(text: string): Message {
  const { channel, bob } = place();
  return bob.mentions(channel, text);
}

it('what a dead slice owed is delivered by the living one, and the slice comes back and answers what it missed', async () => {
  const { discord } = bots;
  const { gateway } = discord;
  expect([...gateway.sessions.values()].map(({ shard }) => shard?.[0]).toSorted()).toEqual([0, 1, 2, 3]);
  const onRecord = () =>
    bots
      .query(`select key from keyv where key like 'discord::gateway session %'`)
      .then((rows) => rows.length);
  await bots.until('the sessions are on record', async () => (await onRecord()) === 4);
  const scene = new Scene(bots);
  const given = await scene.everything();
  const dead = await bots.holder(answering);
  await bots.kill(dead);
  await bots.until('everything is over', () => scene.isOver(given));
  scene.judge(given);
  // Back again: its shards answer what was written meanwhile, without logging in anew.
  gateway.sessionLife = Number.POSITIVE_INFINITY;
  const logIns = gateway.identifyCount;
  const answers = () =>
    bots.query<{ n: number }>(`select count(*)::int as n from jobs where command = 'ask'`);
  const [before] = await answers();
  mentions('what did I miss?');
  await bots.add(undefined, { DISCORD_SHARDS: sliceOf.get(dead) ?? '' });
  await bots.until('the mention is on record', async () => (await answers())[0]?.n === (before?.n ?? 0) + 1);
  expect(gateway.identifyCount).toBe(logIns);
  const again = await scene.everything();
  await bots.until('everything is over', () => scene.isOver(again));
  scene.judgeUninterrupted(again);
  expect(gateway.identifiesTooSoon).toBe(0);
  expect(gateway.closeCodes).toEqual([]);
  expect(discord.journal.violations).toEqual([]);
});

it('a video whose question is deleted while its slice restarts comes to its requester alone', async () => {
  const { world } = bots.discord;
  const { guild, bob } = place();
  const made = Promise.withResolvers<void>();
  bots.service.making = made.promise;
  const question = mentions('video: a boat');
  const isIn =
    (...states: readonly string[]) =>
    async () =>
      (await bots.query(`select 1 from renders where request like '%a boat%' and state = any($1)`, states))
        .length > 0;
  await bots.until('it is bought', isIn('waiting'));
  const shard = shardOf(guild.id, 4);
  const dead = await bots.holder(
    `select value::jsonb -> 'value' ->> 'holder' as process from keyv
     where key = 'discord::gateway session ${shard}/4'`,
  );
  await bots.kill(dead);
  bob.deletes(question);
  made.resolve();
  await bots.until('the other one has fetched it', isIn('ready', 'delivered'));
  await bots.add(undefined, { DISCORD_SHARDS: slices[shard < 2 ? 0 : 1] });
  await bots.until('everything is over', () => bots.isQuiet());
  const videos = [...world.messages.values()].filter(
    ({ deleted, files }) => !deleted && files.some(({ name }) => name.endsWith('.mp4')),
  );
  expect(
    videos.filter(({ content }) => content.includes('a boat')).map(({ channelId }) => channelId),
  ).toEqual([bob.direct().id]);
});
