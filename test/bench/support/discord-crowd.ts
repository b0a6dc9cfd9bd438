import { FakeDiscord } from '../../fakes/discord/index.ts';
import { invited } from '../../platforms/discord/support/invited.ts';
import { type Crowd, steadily } from './crowd.ts';

/** The test server's own windows would be what is measured. */
const wide = { limit: 10_000, windowMilliseconds: 1_000 };
const buckets = {
  'message-create': wide,
  'message-edit': wide,
  webhook: wide,
  other: wide,
  thread: wide,
  gateway: wide,
};

/** People in fifty channels of a Discord server. */
export async function createDiscordCrowd(size: number): Promise<Crowd> {
  const discord = await FakeDiscord.start({ buckets });
  discord.gateway.identifyWindow = 0;
  const { world } = discord;
  const guild = world.addGuild({ name: 'crowd', owner: world.addUser('owner'), permissions: invited });
  const channels = Array.from({ length: 50 }, (_, index) => world.addChannel(guild, `channel-${index}`));
  const people = Array.from({ length: size }, (_, index) => discord.addPerson(guild, `person ${index}`));
  const waiting = new Map<string, () => void>();
  discord.http.server.prependListener('request', ({ url }: { url?: string }) => {
    const id = /\/interactions\/(\d+)\//.exec(url ?? '')?.[1] ?? '';
    waiting.get(id)?.();
    waiting.delete(id);
  });
  let turn = 0;

  return {
    environment: { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
    reached: () => discord.until('the commands', () => discord.commands.list('global').length > 0),
    give(command, perSecond, seconds) {
      waiting.clear();
      discord.journal.requests.length = 0;
      const options = command === 'ask' ? { prompt: 'Tell me in 20 words about the sea' } : {};
      return steadily(perSecond, seconds, (acknowledged) => {
        const [person, channel] = [people[turn % people.length], channels[turn % channels.length]];
        turn += 1;
        if (!person || !channel) throw new Error('the crowd is empty');
        waiting.set(person.types(channel, { name: command, options }).id, acknowledged);
      });
    },
    close: () => discord.close(),
  };
}
