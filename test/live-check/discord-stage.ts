import { onTestFinished } from 'vitest';
import { steps } from '../../src/live-check/discord/check.ts';
import type { Helper } from '../../src/live-check/run-steps.ts';
import { usedPermissions } from '../../src/platforms/discord/servers/server.ts';
import { type Channel, FakeDiscord, type Guild, type Person, type Readings } from '../fakes/discord/index.ts';
import { type CheckRun, runCheck, type RunOptions } from './stage.ts';

const invited = Object.values(usedPermissions).reduce((all, bit) => all | bit, 0n);
const wide = { limit: 500, windowMilliseconds: 1_000 };

/** Uploads as many bytes as Discord takes: only tests that are about that run it. */
export const largeFile = 'file of just under 20 MiB';
const smallSteps = steps.map(({ name }) => name).filter((name) => name !== largeFile);

export interface DiscordStage {
  readonly discord: FakeDiscord;
  readonly guild: Guild;
  readonly channel: Channel;
  readonly ada: Person;
  readonly environment: Readonly<Record<string, string>>;
  /** Takes a permission from everyone in the server, including the bot. */
  forbid(bit: bigint): void;
  /** Tries all steps but the large file. */
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
  const channel = world.addChannel(guild, 'trials');
  const environment = { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl };
  const runAll = (options: Partial<RunOptions> = {}) =>
    runCheck('discord', { environment, channel: channel.id, ...options });
  return {
    discord,
    guild,
    channel,
    ada: discord.addPerson(guild, 'ada'),
    environment,
    forbid(bit) {
      const everyone = guild.roles.get(guild.id);
      if (everyone) everyone.permissions &= ~bit;
    },
    run: (options) => runAll({ only: smallSteps, ...options }),
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
  const command = 'troupe-live-check';
  const acts: Readonly<Record<string, () => unknown>> = {
    'Press “Press me too”': () => ada.presses(newest(), 'Press me too'),
    'Press “Press me”': () => ada.presses(newest(), 'Press me'),
    'Press “Open the form”': () => ada.presses(newest(), 'Open the form'),
    'Type /': () => ada.types(channel, { name: command, options: { text: `hello <@${ada.user.id}>` } }),
    'Reply to a message of your own': () => {
      const own = ada.writes(channel, 'a note of mine');
      return ada.writes(channel, `<@${discord.world.bot.id}> help`, { replyTo: own });
    },
    Forward: () => ada.writes(channel, '', { forwards: ada.writes(channel, 'a note to forward') }),
    'Lock the newest thread': () => {
      const thread = discord.world.channel(newest().id);
      if (thread.thread) thread.thread.locked = true;
      discord.events.threadUpdated(thread);
      return ada.presses(newest(thread), 'Press me in here');
    },
    'Create a private thread': () =>
      ada.types(discord.threads.openPrivate(channel, ada.user.id, 'Between us', { withBot: false }), {
        name: command,
      }),
    'Mention the bot’s role': () => {
      const role = [...guild.roles.values()].find(({ botId }) => botId !== undefined);
      return ada.writes(channel, `<@&${role?.id}>`);
    },
  };
  const newest = (there = channel) => {
    const message = discord.messagesIn(there).at(-1);
    if (!message) throw new Error('there is no message');
    return message;
  };
  return helpful((request) => {
    const act = Object.entries(acts).find(([start]) => request.startsWith(start))?.[1];
    if (!act) throw new Error(request);
    return act();
  });
}
