import { expect, it, onTestFinished } from 'vitest';
import { DiscordApi } from '../../../../src/platforms/discord/api/api.ts';
import { sharedRequests } from '../../../../src/platforms/discord/api/rate-limits.ts';
import { Gateway } from '../../../../src/platforms/discord/connection/gateway.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { processesSharing } from '../../../fakes/coordination.ts';
import { FakeDiscord } from '../../../fakes/discord/index.ts';
import { invited, shortBuckets } from '../support/invited.ts';
import { gatewayParts, recordsInMemory } from '../support/processes.ts';

const identifyWindow = 5_000;
/** The library waits for these by the machine’s clock. */
const buckets = { ...shortBuckets, gateway: { limit: 50, windowMilliseconds: 1_000 } };

/** Processes that each run two of four shards. */
async function startSlices(before: (discord: FakeDiscord) => void = () => {}) {
  const clock = new FakeClock();
  const discord = await FakeDiscord.start({ clock, rateClock: clock, buckets });
  onTestFinished(() => discord.close());
  discord.gateway.shards = 4;
  discord.gateway.identifyWindow = identifyWindow;
  before(discord);
  const next = processesSharing(clock);
  const records = recordsInMemory({ steady: () => clock.steady() });
  const connections = [[0, 1] as const, [2, 3] as const].map((ids) => {
    const coordination = next();
    const api = new DiscordApi({ token: discord.token, apiUrl: discord.apiUrl, clock });
    const connection = new Gateway({
      ...gatewayParts(discord),
      ...{ api, coordination, clock, records },
      shards: { ids, count: 4 },
    });
    onTestFinished(async () => {
      await connection.close();
      api.close();
    });
    connection.open();
    return connection;
  });
  const identified = async (wanted: number) => {
    while (discord.gateway.identifyCount < wanted) {
      await clock.advance(100);
      await discord.until('time to pass', () => true);
    }
  };
  return { clock, discord, connections, identified };
}

it('shards of two processes identify one after the other', async () => {
  const { discord, connections, identified } = await startSlices();
  await identified(4);
  await discord.until('all shards', () => connections.every((one) => one.notReady() === undefined));
  expect(discord.gateway.identifiesTooSoon).toBe(0);
  const shards = [...discord.gateway.sessions.values()].map(({ shard }) => shard?.[0]);
  expect(shards.toSorted()).toEqual([0, 1, 2, 3]);
});

it('processes keep the day’s log-ins together', async () => {
  const { clock, discord, connections, identified } = await startSlices((discord) => {
    discord.gateway.sessionsADay = 3;
  });
  await identified(3);
  await clock.advance(identifyWindow * 4);
  expect(discord.gateway.identifyCount).toBe(3);
  expect(discord.gateway.closeCodes).toEqual([]);
  const waiting = connections.filter((one) => one.notReady() !== undefined);
  expect(waiting).toHaveLength(1);
  expect(waiting[0]?.notReady()).toContain('no more log-ins');
});

it.each([1, 2, 3])(
  'no log-in too many is tried where four shards of two processes may log in at once and %d are left',
  async (left) => {
    const { clock, discord } = await startSlices((discord) => {
      discord.gateway.maxConcurrency = 4;
      discord.gateway.sessionsADay = left;
    });
    // Each is told how many are left before any of them has logged in.
    for (let time = 0; time < identifyWindow * 4; time += 500) {
      await clock.advance(500);
      await discord.until('time to pass', () => true);
    }
    expect(discord.gateway.closeCodes).toEqual([]);
    expect(discord.gateway.identifyCount).toBeLessThanOrEqual(left);
  },
);

it('processes keep Discord’s limit of requests together', async () => {
  const clock = new FakeClock();
  const discord = await FakeDiscord.start({ clock, rateClock: clock, buckets });
  const owner = discord.world.addUser('owner');
  const guild = discord.world.addGuild({ name: 'x', owner, permissions: invited });
  const channels = Array.from({ length: 35 }, (_, index) => discord.world.addChannel(guild, `${index}`));
  const next = processesSharing(clock);
  const { name, count, milliseconds } = sharedRequests;
  const apis = [next(), next()].map(
    ({ slots }) =>
      new DiscordApi({
        ...{ token: discord.token, apiUrl: discord.apiUrl, clock },
        requests: slots(name, count, milliseconds),
      }),
  );
  onTestFinished(async () => {
    for (const api of apis) api.close();
    await discord.close();
  });
  const read = () => discord.journal.to('GET /channels/{channel_id}/messages').length;
  const sent = Promise.all(apis.flatMap((api) => channels.map(({ id }) => api.messagesAfter(id, '0', 1))));
  await discord.until('fifty requests', () => read() === count);
  await clock.advance(milliseconds - 10);
  await discord.until('time to pass', () => true);
  expect(read()).toBe(count);
  await clock.advance(20);
  await sent;
  expect(read()).toBe(2 * channels.length);
});
