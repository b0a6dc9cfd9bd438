import { afterEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { DiscordApi } from '../../../../src/platforms/discord/api/api.ts';
import { ClockSteps } from '../../../../src/platforms/discord/api/rest.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { FakeDiscord } from '../../../fakes/discord/index.ts';
import { unended } from '../../recover.ts';
import { invited } from '../support/invited.ts';
import { startStage } from '../support/stage.ts';

afterEach(() => void vi.restoreAllMocks());

it("requests go on when the machine's clock is set back by an hour in the middle of them", async () => {
  const trueNow = Date.now;
  const discord = await FakeDiscord.start({ rateClock: { ...systemClock, now: () => trueNow() } });
  const owner = discord.world.addUser('owner');
  const guild = discord.world.addGuild({ name: 'x', owner, permissions: invited });
  const channels = Array.from({ length: 45 }, (_, index) => discord.world.addChannel(guild, `${index}`));
  const api = new DiscordApi({ token: discord.token, apiUrl: discord.apiUrl });
  try {
    await Promise.all(channels.slice(0, 15).map(({ id }) => api.messagesAfter(id, '0', 1)));
    vi.spyOn(Date, 'now').mockImplementation(() => trueNow() - 3_600_000);
    await Promise.all(channels.map(({ id }) => api.messagesAfter(id, '0', 1)));
    expect(discord.journal.requests.filter(({ status }) => status === 200)).toHaveLength(60);
  } finally {
    api.close();
    await discord.close();
  }
});

it('a clock that was set is noticed once, a clock that runs is not', async () => {
  const clock = new FakeClock();
  const steps = new ClockSteps(clock);
  await clock.advance(7_200_000);
  expect(steps.happened()).toBe(false);
  clock.step(-3_600_000);
  expect([steps.happened(), steps.happened()]).toEqual([true, false]);
  clock.step(500);
  expect(steps.happened()).toBe(false);
});

it("an answer takes the place of the loading message though the machine's clock was set ahead by an hour meanwhile", async () => {
  const clock = new FakeClock(Date.now());
  const asked = Promise.withResolvers<void>();
  const ask = unended('ask', async (reply) => {
    await asked.promise;
    await reply.say({ text: 'The tides' });
  });
  const { discord, ada, channel, ofBot } = await startStage({ commands: [ask], botClock: clock });
  ada.types(channel, { name: 'ask', options: { prompt: 'tides?' } });
  await discord.until('the loading message', () => ofBot().length === 1);
  clock.step(3_600_000);
  asked.resolve();
  await discord.until('the answer', () => ofBot().some(({ content }) => content.includes('The tides')));
  expect(ofBot()).toHaveLength(1);
});
