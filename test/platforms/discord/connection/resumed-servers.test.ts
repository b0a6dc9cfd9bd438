import { expect, it } from 'vitest';
import { FakeClock } from '../../../fakes/clock.ts';
import type { Channel } from '../../../fakes/discord/index.ts';
import { patience } from '../../../patience.ts';
import { echo } from '../support/commands.ts';
import { streamingAsk } from '../support/live-command.ts';
import { startStage } from '../support/stage.ts';

const guildRoute = 'GET /guilds/{guild_id}';
/** Longer than a command waits for what's known of its server. */
const tooLong = 1_500;

/** A process after which another resumes the session: Discord tells that one nothing of the server. */
async function start() {
  const clock = new FakeClock();
  const stage = await startStage({ commands: [echo, streamingAsk], clock, rateClock: clock });
  const { ada, channel, database, discord } = stage;
  const sessions = database.selectFrom('keyv').select('key').where('key', 'like', '%gateway session%');
  await expect.poll(() => sessions.execute(), patience).toHaveLength(1);
  const thread = discord.threads.open(channel, ada.writes(channel, 'root').id, { name: 'a thread' });
  const asks = (place: Channel) => void ada.writes(place, `<@${discord.world.bot.id}> say hello`);
  const addresses = async () => {
    const jobs = await database.selectFrom('jobs').select('address').execute();
    return jobs.map(({ address }) => JSON.parse(String(address)) as Record<string, unknown>);
  };
  const address = async () => {
    await expect.poll(addresses, patience).toHaveLength(1);
    return (await addresses())[0];
  };
  const asked = (route = guildRoute) => discord.journal.to(route).length;
  /** Discord has been asked for the server, and fails or holds that up. */
  const isAsked = () => expect.poll(() => discord.faults.left(guildRoute), patience).toBe(0);
  const inThread = { channel: channel.id, thread: thread.id };
  return { ...stage, ...{ stage, clock, thread, asks, addresses, address, asked, isAsked, inThread } };
}

it('a mention in a thread waits until Discord has told of its server: it’s in that thread', async () => {
  const { stage, discord, clock, thread, asks, addresses, address, isAsked, inThread } = await start();
  const held = Promise.withResolvers<void>();
  discord.faults.next(guildRoute, { kind: 'hold', until: held.promise });
  await stage.restart({ meanwhile: () => asks(thread) });
  await isAsked();
  await clock.advance(tooLong);
  const early = await addresses();
  held.resolve();
  expect(early).toEqual([]);
  expect(await address()).toMatchObject(inThread);
  expect(discord.journal.violations).toEqual([]);
});

it('a mention that’s still waiting as its process leaves is answered by the next one, and not sent away', async () => {
  const { stage, discord, clock, channel, asks, isAsked } = await start();
  const held = Promise.withResolvers<void>();
  discord.faults.next(guildRoute, { kind: 'hold', until: held.promise });
  await stage.restart({ meanwhile: () => asks(channel) });
  await isAsked();
  stage.platform.leaveToOthers?.();
  await stage.refuseCommands();
  held.resolve();
  const answers = () =>
    discord.messagesIn(channel).filter(({ authorId }) => authorId === discord.world.bot.id);
  const isLeft = () => stage.logged.some((line) => line.includes('is left to the process that takes over'));
  await expect.poll(isLeft, patience).toBe(true);
  await stage.restart({ meanwhile: () => clock.advance(10_000) });
  await discord.until('the answer', () => answers().length === 1);
  expect(answers()).toMatchObject([{ content: 'hello' }]);
  expect(discord.journal.violations).toEqual([]);
});

it('also where Discord has failed to', async () => {
  const { stage, discord, clock, thread, asks, address, logged, inThread } = await start();
  // As often as the library repeats it.
  discord.faults.next(guildRoute, { kind: 'error', status: 500 }, 4);
  await stage.restart({ meanwhile: () => asks(thread) });
  const hasFailed = () => logged.some((line) => line.includes('could not ask Discord for a server'));
  await expect.poll(hasFailed, patience).toBe(true);
  await clock.advance(1_000);
  expect(await address()).toMatchObject(inThread);
});

it('a thread that was archived again meanwhile is asked for', async () => {
  const { stage, discord, thread, asks, address, asked, inThread } = await start();
  await stage.restart({
    meanwhile: () => {
      asks(thread);
      discord.threads.edit(thread, { archived: true });
    },
  });
  expect(await address()).toMatchObject(inThread);
  expect(asked('GET /channels/{channel_id}')).toBe(1);
});

it('nothing is begun in a server that the bot isn’t in any more', async () => {
  const { stage, discord, channel, thread, asks, addresses, asked } = await start();
  const fault = { kind: 'error', status: 403, code: 50_001 } as const;
  discord.faults.next(guildRoute, fault);
  await stage.restart({
    meanwhile: () => {
      asks(thread);
      asks(channel);
    },
  });
  await discord.until('the answer', () => asked() === 1);
  stage.ada.writes(stage.ada.direct(), 'say here');
  await discord.until('an answer elsewhere', () => discord.messagesIn(stage.ada.direct()).length > 1);
  expect(await addresses()).toHaveLength(1);
});

it('a command in a server that Discord hasn’t told of yet is answered by the bot as its member', async () => {
  const { stage, discord, clock, ada, channel, address, isAsked } = await start();
  const held = Promise.withResolvers<void>();
  discord.faults.next(guildRoute, { kind: 'hold', until: held.promise });
  await stage.restart();
  ada.types(channel, { name: 'echo', options: { text: 'hello' } });
  await isAsked();
  await clock.advance(1_000);
  const command = await address();
  held.resolve();
  expect(command?.platformData).toBeUndefined();
});
