import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { FakeClock, settle } from '../../../fakes/clock.ts';
import type { Channel, Message } from '../../../fakes/discord/index.ts';
import { patience } from '../../../patience.ts';
import { echo } from '../support/commands.ts';
import { streamingAsk } from '../support/live-command.ts';
import { type Stage, type StageOptions, startStage } from '../support/stage.ts';

const guildRoute = 'GET /guilds/{guild_id}';
/** Longer than a command waits for what's known of its server. */
const tooLong = 1_500;

/** A process after which another resumes the session: Discord tells that one nothing of the server. */
async function start(options: Partial<StageOptions> = {}) {
  const clock = new FakeClock();
  const stage = await startStage({ commands: [echo, streamingAsk], clock, rateClock: clock, ...options });
  const { ada, channel, database, discord } = stage;
  const sessions = database.selectFrom('keyv').select('key').where('key', 'like', '%gateway session%');
  await expect.poll(() => sessions.execute(), patience).toHaveLength(1);
  const thread = discord.threads.open(channel, ada.writes(channel, 'root').id, { name: 'a thread' });
  const asks = (place: Channel) => void ada.mentions(place, 'say hello');
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
  const release = discord.faults.hold(guildRoute);
  await stage.restart({ meanwhile: () => asks(thread) });
  await isAsked();
  await clock.advance(tooLong);
  const early = await addresses();
  release();
  expect(early).toEqual([]);
  expect(await address()).toMatchObject(inThread);
});

describe('what’s still waiting as its process leaves is the next one’s, and nobody is sent away', () => {
  /** What a process has heard while it waits for what Discord tells of its server, as it sends commands away. */
  async function leaving(says: (stage: Stage) => void, options: Partial<StageOptions> = {}) {
    const started = await start(options);
    const { stage, discord, clock, isAsked } = started;
    const held = Promise.withResolvers<void>();
    const own = () => stage.ofBot();
    const isLeft = () => stage.logged.some((line) => line.includes('is left to the process that takes over'));
    return {
      ...started,
      own,
      /** `closing` resolves once the process has closed its connection. */
      async leaves(closing: () => Promise<void>) {
        discord.faults.next(guildRoute, { kind: 'hold', until: held.promise });
        await stage.restart({ meanwhile: () => says(stage) });
        await isAsked();
        await stage.refuseCommands();
        const closed = closing();
        held.resolve();
        await expect.poll(isLeft, patience).toBe(true);
        await closed;
        await stage.restart({ meanwhile: () => clock.advance(10_000) });
      },
    };
  }
  const mentions = ({ ada, channel }: Stage) => void ada.mentions(channel, 'say hello');

  it('a mention', async () => {
    const { stage, discord, own, leaves } = await leaving(mentions);
    await leaves(async () => stage.platform.leaveToOthers?.());
    await discord.until('the answer', () => own().length === 1);
    expect(own()).toMatchObject([{ content: 'hello' }]);
  });

  it('a mention, where Discord takes a moment to close the connection', async () => {
    const { stage, discord, own, leaves } = await leaving(mentions);
    await leaves(async () => {
      const sockets = [...discord.gateway.sessions.values()].flatMap((session) => session.socket() ?? []);
      for (const socket of sockets) socket.pause();
      const closed = stage.platform.stopReceiving();
      const isLeft = () => stage.logged.some((line) => line.includes('is left to the process'));
      await expect.poll(isLeft, patience).toBe(true);
      await settle();
      for (const socket of sockets) socket.resume();
      await closed;
    });
    await discord.until('the answer', () => own().length === 1);
    expect(own()).toMatchObject([{ content: 'hello' }]);
  });

  it.each([true, false])('a yes in words (the bot may read what was said before: %s)', async (reads) => {
    let question: Message | undefined;
    const answers = ({ ada, channel }: Stage) =>
      void (question && ada.writes(channel, 'yes', { replyTo: question }));
    const dear = { question: 'This costs 300 credits. Go ahead?' };
    const { stage, discord, own, leaves } = await leaving(answers, dear);
    if (!reads) stage.forbid(PermissionFlagsBits.ReadMessageHistory);
    mentions(stage);
    question = await discord.until('the question', () => own().find(({ components }) => components.length));
    await leaves(async () => stage.platform.leaveToOthers?.());
    await discord.until('the answer', () => own().at(-1)?.content.endsWith('hello'));
    expect(own().filter(({ content }) => content.includes('nothing was spent'))).toEqual([]);
  });
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
  const release = discord.faults.hold(guildRoute);
  await stage.restart();
  ada.types(channel, { name: 'echo', options: { text: 'hello' } });
  await isAsked();
  await clock.advance(1_000);
  const command = await address();
  release();
  expect(command?.platformData).toBeUndefined();
});
