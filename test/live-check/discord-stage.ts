import { onTestFinished } from 'vitest';
import type { Helper } from '../../src/live-check/helper.ts';
import { usedPermissions } from '../../src/platforms/discord/api/permissions.ts';
import { type Channel, FakeDiscord, type Guild, type Person, type Readings } from '../fakes/discord/index.ts';
import { type CheckRun, type RunOptions, runCheck } from './stage.ts';

const invited = Object.values(usedPermissions).reduce((all, bit) => all | bit, 0n);
const wide = { limit: 500, windowMilliseconds: 1_000 };

/** Steps that upload as many bytes as Discord takes: only tests that are about them run them. */
export const largeFiles = ['file of just under 10 MiB', 'file of just under 20 MiB'];

export interface DiscordStage {
  readonly discord: FakeDiscord;
  readonly guild: Guild;
  readonly channel: Channel;
  readonly ada: Person;
  readonly environment: Readonly<Record<string, string>>;
  /** Takes a permission from everyone in the server, including the bot. */
  forbid(bit: bigint): void;
  /** Tries all steps but `largeFiles`. */
  run(options?: Partial<RunOptions>): Promise<CheckRun>;
  /** Tries all steps. */
  runAll(options?: Partial<RunOptions>): Promise<CheckRun>;
}

/** A server with a channel, in which the bot has all its permissions. */
export async function discordStage(readings: Partial<Readings> = {}): Promise<DiscordStage> {
  const buckets = {
    'message-create': wide,
    'message-edit': wide,
    'message-delete': wide,
    webhook: wide,
    commands: wide,
    gateway: wide,
  };
  const discord = await FakeDiscord.start({ readings, buckets });
  onTestFinished(() => discord.close());
  const { world } = discord;
  const guild = world.addGuild({ name: 'Analysts', owner: world.addUser('owner'), permissions: invited });
  const ada = world.addUser('ada');
  world.addMember(guild, ada);
  const channel = world.addChannel(guild, 'trials');
  const environment = { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl };
  const runAll = (options: Partial<RunOptions> = {}) =>
    runCheck('discord', { environment, channel: channel.id, ...options });
  return {
    discord,
    guild,
    channel,
    ada: discord.person(ada),
    environment,
    forbid(bit) {
      const everyone = guild.roles.get(guild.id);
      if (everyone) everyone.permissions &= ~bit;
    },
    run: (options) => runAll({ without: largeFiles, ...options }),
    runAll,
  };
}

/** A person who does at once what is asked. */
export function helpful(act: (request: string) => unknown): Helper {
  return {
    wait: (request, subscribe) =>
      new Promise((resolve) => {
        const unsubscribe = subscribe((event) => {
          unsubscribe();
          resolve(event);
        });
        if (act(request) === 'nobody') {
          unsubscribe();
          resolve(undefined);
        }
      }),
  };
}

/** Ada does what she is asked. */
export function adaHelps({ discord, ada, channel, guild }: DiscordStage) {
  let opened: ReturnType<typeof ada.presses> | undefined;
  const newest = () => discord.messagesIn(channel).at(-1);
  return helpful((request) => {
    const message = newest();
    if (!message) throw new Error('there is no message');
    if (request.startsWith('Press “Press me too”')) return ada.presses(message, 'Press me too');
    if (request.startsWith('Press “Press me”')) return ada.presses(message, 'Press me');
    if (request.startsWith('Press “Open the form”')) {
      opened = ada.presses(message, 'Open the form');
      return opened;
    }
    if (request.startsWith('Submit the form')) return opened && ada.submits(opened, { text: 'hi' });
    if (request.startsWith('Open the menu'))
      return ada.picks(ada.writes(channel, 'a note'), 'troupe live check');
    if (request.startsWith('Type /')) {
      const text = `hello <@${ada.user.id}>`;
      return ada.types(channel, { name: 'troupe-live-check', options: { text } });
    }
    if (request.startsWith('Reply to a message of your own')) {
      const own = ada.writes(channel, 'a note of mine');
      return ada.writes(channel, `<@${discord.world.bot.id}> help`, { replyTo: own });
    }
    if (request.startsWith('Forward')) {
      return ada.writes(channel, '', { forwards: ada.writes(channel, 'a note to forward') });
    }
    if (request.startsWith('Lock the newest thread')) {
      const thread = discord.world.channel(message.id);
      const [button] = discord.messagesIn(thread);
      if (thread.thread) thread.thread.locked = true;
      discord.events.threadUpdated(thread);
      return button && ada.presses(button, 'Press me in here');
    }
    if (request.startsWith('Create a private thread')) {
      const thread = discord.threads.openPrivate(channel, ada.user.id, 'Between us', { withBot: false });
      return ada.types(thread, { name: 'troupe-live-check-thread' });
    }
    if (request.startsWith('Add the app')) {
      const other = discord.world.addGuild({ name: 'Elsewhere', owner: ada.user, permissions: invited });
      other.hasBot = false;
      const there = discord.world.addChannel(other, 'general');
      return ada.types(there, { name: 'troupe-live-check' });
    }
    if (request.startsWith('Reply')) return ada.writes(channel, 'help', { replyTo: message, silent: true });
    if (request.startsWith('Mention the bot’s role')) {
      const role = [...guild.roles.values()].find(({ botId }) => botId !== undefined);
      return ada.writes(channel, `<@&${role?.id}>`);
    }
    throw new Error(request);
  });
}
