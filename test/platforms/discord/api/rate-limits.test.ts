import { describe, expect, it } from 'vitest';
import { DiscordApi } from '../../../../src/platforms/discord/api/api.ts';
import { NothingLeftOverError } from '../../../../src/platforms/discord/api/rate-limits.ts';
import { endsWithTest } from '../../../at-end.ts';
import { calm } from '../../../fakes/calm.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { type Channel, FakeDiscord, type FakeDiscordOptions } from '../../../fakes/discord/index.ts';
import { invited } from '../support/invited.ts';

/** The bot's requests, at a Discord with its real limits; time moved by hand. */
async function startApi(options: FakeDiscordOptions = {}) {
  const clock = new FakeClock();
  const discord = await FakeDiscord.start({ clock, rateClock: clock, ...options });
  const guild = discord.world.addGuild({
    name: 'x',
    owner: discord.world.addUser('owner'),
    permissions: invited,
  });
  const channel = discord.world.addChannel(guild, 'general');
  const api = new DiscordApi({ token: discord.token, apiUrl: discord.apiUrl, clock });
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
    api.createMessage(at.id, { content: 'x' }, [], `${Math.random()}`.slice(0, 25));
  return { clock, discord, guild, channel, api, done, note, post };
}

const editRoute = 'PATCH /channels/{channel_id}/messages/{message_id}';

describe('what the bot writes', () => {
  it('waits for its bucket, what is said for good before what grows, and meets no 429', async () => {
    const { clock, discord, channel, api, done, note, post } = await startApi();
    const { id } = await post();
    const edit = (what: string, pace: object) =>
      note(what, api.editMessage(channel.id, id, { content: what }, [], pace));
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
      note('edit', api.editMessage(channel.id, id, { content: 'x' }, []));
    for (let index = 0; index < 5; index++) note('post', post());
    note('typing', api.typing(channel.id));
    await calm(clock);
    const count = (kind: string) => done.filter(([what]) => what === kind).length;
    expect([count('edit'), count('post'), count('typing')]).toEqual([5, 4, 1]);
    expect(discord.rateLimits.limited).toBe(0);
  });

  it('comes all the same where Discord says 429 after all, such as to another process, but not what’s optional', async () => {
    const { clock, discord, channel, api, done, note, post } = await startApi();
    const { id } = await post();
    discord.faults.next(editRoute, { kind: 'rate-limit', seconds: 3, scope: 'user' }, 2);
    note('result', api.editMessage(channel.id, id, { content: 'x' }, []));
    note('progress', api.editMessage(channel.id, id, { content: 'x' }, [], { urgency: 'optional' }));
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
    await expect(api.typing(channels[0]!.id)).rejects.toThrow(NothingLeftOverError);
    for (const channel of channels.slice(40)) note('post', post(channel));
    await calm(clock);
    expect(done).toHaveLength(50);
    await clock.advance(1_050);
    await calm(clock);
    expect(done).toHaveLength(55);
    expect(discord.rateLimits.limited).toBe(0);
  });
});
