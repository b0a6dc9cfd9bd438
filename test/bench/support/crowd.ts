import { setTimeout } from 'node:timers/promises';
import { invited } from '../../crash/discord-place.ts';
import { FakeDiscord } from '../../fakes/discord/index.ts';

/** Many people of a test server who give commands at a steady pace. */
export interface Crowd {
  readonly environment: Readonly<Record<string, string>>;
  registered(): Promise<unknown>;
  /** Gives commands, and answers how many milliseconds each waited until the bot's acknowledgement had arrived. */
  give(
    command: 'help' | 'ask',
    perSecond: number,
    seconds: number,
  ): Promise<{
    readonly waits: readonly number[];
    readonly lost: number;
    /** The share of the time in which the test server itself was busy: near 1 it is what people wait for. */
    readonly busy: number;
  }>;
  close(): Promise<void>;
}

/** Discord waits no longer for an acknowledgement, in milliseconds. */
const patience = 3_000;
/** The test server's own windows would be what is measured. */
const wide = { limit: 10_000, windowMilliseconds: 1_000 };
const buckets = { 'message-create': wide, 'message-edit': wide, webhook: wide, other: wide, thread: wide };

export async function createCrowd(size: number): Promise<Crowd> {
  const discord = await FakeDiscord.start({ buckets });
  discord.gateway.identifyWindow = 0;
  const { world } = discord;
  const guild = world.addGuild({ name: 'crowd', owner: world.addUser('owner'), permissions: invited });
  const seats = Array.from({ length: size }, (_, index) => {
    const user = world.addUser(`person ${index}`);
    world.addMember(guild, user);
    return { person: discord.person(user), channel: world.addChannel(guild, `channel-${index % 50}`) };
  });
  const given = new Map<string, number>();
  let waits: number[] = [];
  discord.http.server.prependListener('request', ({ url }: { url?: string }) => {
    const id = /\/interactions\/(\d+)\//.exec(url ?? '')?.[1] ?? '';
    const at = given.get(id);
    if (at === undefined) return;
    given.delete(id);
    waits.push(performance.now() - at);
  });
  let turn = 0;

  return {
    environment: { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
    registered: () => discord.until('the commands', () => discord.commands.list('global').length > 0),
    async give(command, perSecond, seconds) {
      waits = [];
      given.clear();
      discord.journal.requests.length = 0;
      const began = performance.now();
      const idle = performance.eventLoopUtilization();
      for (let count = 0; count < perSecond * seconds; count++) {
        const late = began + (count * 1_000) / perSecond - performance.now();
        if (late > 1) await setTimeout(late);
        const { person, channel } = seats[turn++ % seats.length] as (typeof seats)[number];
        const options = command === 'ask' ? { prompt: 'Tell me in 20 words about the sea' } : {};
        const at = performance.now();
        given.set(person.types(channel, { name: command, options }).id, at);
      }
      const busy = performance.eventLoopUtilization(idle).utilization;
      const until = performance.now() + patience;
      while (given.size > 0 && performance.now() < until) await setTimeout(20);
      return { waits, lost: given.size, busy };
    },
    close: () => discord.close(),
  };
}
