import { describe, expect, it } from 'vitest';
import { Recorder } from '../../../../src/ops/metrics.ts';
import { DiscordApi } from '../../../../src/platforms/discord/api/api.ts';
import { InvalidRequests, NothingLeftOverError } from '../../../../src/platforms/discord/api/rate-limits.ts';
import type { RestOptions } from '../../../../src/platforms/discord/api/rest.ts';
import { endsWithTest } from '../../../at-end.ts';
import { calm } from '../../../fakes/calm.ts';
import { FakeClock, settle } from '../../../fakes/clock.ts';
import { Refusal } from '../../../fakes/discord/http/refusal.ts';
import { type Channel, FakeDiscord, type FakeDiscordOptions } from '../../../fakes/discord/index.ts';
import { invited } from '../support/invited.ts';

/** The bot's requests, at a Discord with its real limits; time moved by hand. */
async function startApi(options: FakeDiscordOptions = {}, apiOptions: Partial<RestOptions> = {}) {
  const clock = new FakeClock();
  const discord = await FakeDiscord.start({ clock, rateClock: clock, ...options });
  const guild = discord.world.addGuild({
    name: 'x',
    owner: discord.world.addUser('owner'),
    permissions: invited,
  });
  const channel = discord.world.addChannel(guild, 'general');
  const api = new DiscordApi({ token: discord.token, apiUrl: discord.apiUrl, clock, ...apiOptions });
  endsWithTest(async () => {
    api.close();
    await discord.close();
  });
  const start = clock.now();
  const done: [what: string, after: number][] = [];
  /** Notes when a request was answered, or not sent. */
  const note = (what: string, request: Promise<unknown>) =>
    void request.then(
      () => done.push([what, clock.now() - start]),
      (error: unknown) => done.push([`${what}: ${(error as Error).name}`, clock.now() - start]),
    );
  const post = (at: Pick<Channel, 'id'> = channel) =>
    api.createMessage(at.id, { body: { content: 'x' } }, `${Math.random()}`.slice(0, 25));
  return { clock, discord, guild, channel, api, done, note, post };
}

const editRoute = 'PATCH /channels/{channel_id}/messages/{message_id}';

describe('what the bot writes', () => {
  it('waits for its bucket, what is said for good before what grows, and meets no 429', async () => {
    const { clock, discord, channel, api, done, note, post } = await startApi();
    const { id } = await post();
    const edit = (what: string, pace: object) =>
      note(what, api.editMessage(channel.id, id, { body: { content: what }, pace }));
    for (let index = 0; index < 5; index++) edit('edit', {});
    edit('progress', { urgency: 'optional' });
    for (let index = 0; index < 2; index++) edit('growth', { urgency: 'growth' });
    for (let index = 0; index < 2; index++) edit('result', {});
    edit('first words', { urgency: 'first' });
    await calm(clock);
    expect(done.filter(([what]) => what !== 'edit')).toEqual([['progress: NothingLeftOverError', 0]]);
    while (await clock.runNext()) await calm(clock);
    expect(done.slice(6)).toEqual([
      ['first words', 5_000],
      ['result', 5_000],
      ['result', 5_000],
      ['growth', 6_000],
      ['growth', 7_000],
    ]);
    expect(discord.rateLimits.limited).toBe(0);
  });

  it('posts go on while a channel takes no more edits, and the other way round', async () => {
    const { clock, discord, channel, api, done, note, post } = await startApi();
    const { id } = await post();
    for (let index = 0; index < 6; index++)
      note('edit', api.editMessage(channel.id, id, { body: { content: 'x' } }));
    for (let index = 0; index < 5; index++) note('post', post());
    note('typing', api.typing(channel.id));
    await calm(clock);
    const count = (kind: string) => done.filter(([what]) => what === kind).length;
    expect([count('edit'), count('post'), count('typing')]).toEqual([5, 4, 1]);
    expect(discord.rateLimits.limited).toBe(0);
  });

  // Its page has the wait in a header, in the body, or in both (topics/rate-limits).
  it('waits as long as the body of a 429 says where its headers don’t', async () => {
    const { clock, discord, done, note, post } = await startApi();
    const refusal = new Refusal(429, 0, 'You are being rate limited.', {
      extra: { retry_after: 2.5, global: false },
    });
    discord.faults.next('POST /channels/{channel_id}/messages', { kind: 'refuse', refusal });
    note('post', post());
    await calm(clock);
    while (await clock.runNext()) await calm(clock);
    const [[what, after] = []] = done;
    expect(what).toBe('post');
    expect(after).toBeGreaterThanOrEqual(2_500);
    expect(after).toBeLessThan(4_000);
  });

  it('comes all the same where Discord says 429 after all, such as to another process, but not what’s optional', async () => {
    const { clock, discord, channel, api, done, note, post } = await startApi();
    const { id } = await post();
    discord.faults.next(editRoute, { kind: 'rate-limit', seconds: 3, scope: 'user' }, 2);
    note('result', api.editMessage(channel.id, id, { body: { content: 'x' } }));
    note(
      'progress',
      api.editMessage(channel.id, id, { body: { content: 'x' }, pace: { urgency: 'optional' } }),
    );
    await calm(clock);
    expect(done).toHaveLength(1);
    while (await clock.runNext()) await calm(clock);
    expect(done).toEqual([
      ['progress: PlatformError', 0],
      // The library adds 50 ms to what Discord says.
      ['result', 3_050],
    ]);
  });

  it('keeps to 50 requests a second in all, and leaves out what’s optional before that', async () => {
    const { clock, discord, guild, api, done, note, post } = await startApi();
    const channels = Array.from({ length: 55 }, (_, index) => discord.world.addChannel(guild, `${index}`));
    for (const channel of channels.slice(0, 40)) note('post', post(channel));
    await calm(clock);
    await expect(api.typing(channels[0]!.id, { urgency: 'optional' })).rejects.toThrow(NothingLeftOverError);
    for (const channel of channels.slice(40)) note('post', post(channel));
    await calm(clock);
    expect(done).toHaveLength(50);
    await clock.advance(1_050);
    await calm(clock);
    expect(done).toHaveLength(55);
    expect(discord.rateLimits.limited).toBe(0);
  });

  it('let answers grow on beside thirty results a second', async () => {
    const { clock, channel, api, done, note } = await startApi();
    const slot = (urgency: 'final' | 'growth') => api.limits.slotOfBot(`edit ${channel.id}`, { urgency });
    for (let count = 0; count < 90; count++) {
      note('result', slot('final'));
      note('growth', slot('growth'));
      await clock.advance(33);
    }
    const count = (name: string) => done.filter(([what]) => what === name).length;
    expect(count('result')).toBeGreaterThan(80);
    // What results leave of three seconds.
    expect(count('growth')).toBeGreaterThan(45);
  });

  it('leave most of a second to words: typing takes ten of fifty, however many ask at once', async () => {
    const { clock, discord, guild, api, done, note, post } = await startApi();
    const channels = Array.from({ length: 50 }, (_, index) => discord.world.addChannel(guild, `${index}`));
    for (const { id } of channels) note('typing', api.typing(id, { urgency: 'optional' }));
    for (const channel of channels.slice(0, 40)) note('post', post(channel));
    await calm(clock);
    const count = (name: string) => done.filter(([what]) => what === name).length;
    expect([count('typing'), count('post')]).toEqual([10, 40]);
    expect(discord.rateLimits.limited).toBe(0);
  });
});

describe('invalid requests', () => {
  const typingRoute = 'POST /channels/{channel_id}/typing';
  const optional = { urgency: 'optional' } as const;

  it('of ten minutes and of all processes are counted; from 5,000 on only what can’t be left out is sent', async () => {
    let elsewhere = 4_990;
    let told = 0;
    const invalidRequests = {
      add: async (count: number) => {
        told += count;
        return told + elsewhere;
      },
    };
    const meter = new Recorder();
    const { clock, discord, guild, channel, api, post } = await startApi({}, { invalidRequests, meter });
    await expect(api.typing(channel.id, optional)).resolves.toBeUndefined();
    const closed = Array.from({ length: 9 }, (_, index) => discord.world.addChannel(guild, `${index}`));
    for (const { id } of closed) {
      discord.faults.next(typingRoute, { kind: 'error', status: 403 }, 1, id);
      await expect(api.typing(id, optional)).rejects.toThrow();
    }
    // Another second: of each, what can be left out takes a part.
    await clock.advance(1_050);
    discord.faults.next(typingRoute, { kind: 'rate-limit', seconds: 1, scope: 'shared' });
    await expect(api.typing(channel.id, optional)).rejects.toThrow();
    await clock.advance(5_000);
    await expect(api.typing(channel.id, optional)).resolves.toBeUndefined();
    discord.faults.next(editRoute, { kind: 'error', status: 401 });
    await expect(api.editMessage(channel.id, '1', { body: { content: 'x' } })).rejects.toThrow();
    const hint = api.limits.slot(`post ${channel.id}`, optional).then(() => 'hint');
    await clock.advance(60_000);
    await expect(api.typing(channel.id, optional)).rejects.toThrow(NothingLeftOverError);
    expect(await Promise.race([hint, calm(clock).then(() => 'waits')])).toBe('waits');
    await post();
    expect(told).toBe(10);
    expect(meter.counted('troupe_platform_invalid_requests_total').map(({ value }) => value)).toEqual([10]);
    elsewhere = 0;
    await clock.advance(20_000);
    expect(await hint).toBe('hint');
    await expect(api.typing(channel.id, optional)).resolves.toBeUndefined();
  });

  it('are counted in memory where there is one process', async () => {
    const clock = new FakeClock();
    const invalid = new InvalidRequests(clock);
    for (let count = 0; count < 5_000; count++) {
      expect(invalid.areTooMany).toBe(false);
      invalid.note(403, null);
    }
    for (const milliseconds of [5_000, 9 * 60_000]) {
      await clock.advance(milliseconds);
      expect(invalid.areTooMany).toBe(true);
      await settle();
    }
    await clock.advance(2 * 60_000);
    expect([invalid.areTooMany, await settle(), invalid.areTooMany]).toEqual([true, undefined, false]);
  });
});
