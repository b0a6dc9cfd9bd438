import { expect, it } from 'vitest';
import { DiscordApi } from '../../../../src/platforms/discord/api/api.ts';
import { PostedMessages } from '../../../../src/platforms/discord/post/posted-messages.ts';
import { openKeyv } from '../../../../src/store/index.ts';
import { endsWithTest } from '../../../at-end.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { openMigrated } from '../../../fakes/database.ts';
import { FakeDiscord } from '../../../fakes/discord/index.ts';
import { invited } from '../support/invited.ts';

it('a post that a restored database knows nothing of is found, not made again; others are made', async () => {
  const clock = new FakeClock(Date.now());
  const discord = await FakeDiscord.start({ clock });
  endsWithTest(() => discord.close());
  const guild = discord.world.addGuild({
    name: 'Analysts',
    owner: discord.world.addUser('owner'),
    permissions: invited,
  });
  const channel = discord.world.addChannel(guild, 'general');
  const api = new DiscordApi({ token: discord.token, apiUrl: discord.apiUrl, clock });
  endsWithTest(() => api.close());
  const at = clock.now();
  const { bot, applicationId } = discord.world;
  const identity = () => ({ id: bot.id, name: 'troupe', applicationId });
  const post = async (key: string) => {
    const database = await openMigrated();
    endsWithTest(() => database.destroy());
    const begunBefore = (each: string) => (each.startsWith('job1:') ? at : undefined);
    const messages = new PostedMessages(
      openKeyv(database, 'discord'),
      { api, identity, clock },
      { begunBefore },
    );
    const body = { content: 'A cat surfs', allowed_mentions: { parse: [] as [] } };
    return messages.postOnce(channel.id, key, { body });
  };
  const first = await post('job1:ready');
  await clock.advance(3_600_000);
  expect(await post('job1:ready')).toBe(first);
  expect(await post('job2:ready')).not.toBe(first);
  expect(discord.messagesIn(channel)).toHaveLength(2);
});
