import { PermissionFlagsBits } from 'discord-api-types/v10';
import { expect, vi } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { isPostgresUrl } from '../../../src/lib/database-url.ts';
import { openTracing } from '../../../src/ops/index.ts';
import { createSandbox, type ListeningSandbox, type SandboxOptions } from '../../../src/sandbox/index.ts';
import { run } from '../../../src/start/run.ts';
import { endsWithTest } from '../../at-end.ts';
import { passToRest, passUntil, passWhile } from '../../fakes/calm.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { migratedIn } from '../../fakes/database.ts';
import {
  type Channel,
  FakeDiscord,
  type FakeDiscordOptions,
  type Guild,
  type Message,
  type Person,
} from '../../fakes/discord/index.ts';
import { serveFiles } from '../../fakes/discord/serve-files.ts';
import { meterOf } from '../../fakes/sandbox.ts';
import { patience } from '../../patience.ts';
import { invited, shortBuckets } from '../../platforms/discord/support/invited.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { keptLog } from './kept-log.ts';
import { sampleStudio } from './sample-studio.ts';

/** The whole bot, its service the sandbox, in a Discord of the test's own; whose rules it keeps, or the test fails. */
export interface DiscordScene {
  readonly discord: FakeDiscord;
  readonly guild: Guild;
  readonly channel: Channel;
  readonly ada: Person;
  readonly bob: Person;
  /** Whom the application belongs to. */
  readonly owner: Person;
  readonly sandbox: ListeningSandbox;
  /** Where the bot's own HTTP server is. */
  readonly url: () => string;
  /** What the bot says in a channel or thread, oldest first; loading messages left out. */
  said(place?: Pick<Channel, 'id'>): readonly Message[];
  /** The first of it with these words, with this button, or with a file, once that's there. */
  saying(words: string, place?: Pick<Channel, 'id'>): Promise<Message>;
  labelled(label: string, place?: Pick<Channel, 'id'>): Promise<Message>;
  withFile(place?: Pick<Channel, 'id'>): Promise<Message>;
  /** Lets time pass until something is so. */
  until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void>;
  /** Lets what's under way go on until it has come to rest, or so many of its timers have run. */
  rests(timers?: number): Promise<void>;
  /** Credits spent at the service so far. */
  spent(): Promise<number>;
  /** Stops the bot and starts it again on the same data, after `meanwhile`. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
}

/** How the Discord of a scene is before the bot connects. */
export interface DiscordSetting extends FakeDiscordOptions {
  readonly before?: (discord: FakeDiscord) => void;
  /** Variables of the environment that differ. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Takes the lines of the log, at level `trace`. */
  readonly logged?: string[];
  /** Where traces go. */
  readonly collector?: string;
}

export async function startDiscordScene(
  sandboxOptions: SandboxOptions = {},
  { before, environment, logged, collector, ...options }: DiscordSetting = {},
): Promise<DiscordScene> {
  const folder = await temporaryFolder();
  // Of several processes none can know when another has come to rest, also if that is the database.
  const jumping = isPostgresUrl(environment?.DATABASE_URL ?? '') ? undefined : new FakeClock(Date.now());
  const clock = jumping ?? systemClock;
  const sandbox = await createSandbox({
    clock,
    pace: 'instant',
    renderTime: 0,
    limits: 'off',
    media: sampleStudio,
    ...sandboxOptions,
  }).listen();
  endsWithTest(() => sandbox.close());
  const discord = await FakeDiscord.start({ ...(jumping && { jumping }), buckets: shortBuckets, ...options });
  endsWithTest(() => discord.close());
  endsWithTest(serveFiles(discord));
  // Shards log in at once, not five seconds apart.
  discord.gateway.identifyWindow = 0;
  discord.gateway.maxConcurrency = 16;
  const owner = discord.world.addUser('owner');
  discord.world.applicationOwner = owner;
  const guild = discord.world.addGuild({ name: 'Analysts', owner, permissions: invited });
  const [ada, bob] = [discord.addPerson(guild, 'ada'), discord.addPerson(guild, 'bob')];
  const channel = discord.world.addChannel(guild, 'general');
  before?.(discord);
  const config = readConfig({
    SERVICE_BASE_URL: sandbox.url,
    SERVICE_API_KEY: sandbox.key,
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    DATABASE_URL: await migratedIn(folder),
    CONFIRM_OVER_CREDITS: '100000',
    PORT: '0',
    ...environment,
  });
  const done = <T>(work: Promise<T>) => (jumping ? passWhile(jumping, work) : work);
  const start = async () => {
    const connections = () => discord.gateway.identifyCount + discord.gateway.resumeCount;
    const before = connections();
    const tracing = openTracing(collector, '1.2.3');
    // A busy machine's database is slow.
    const silentAfter = patience.timeout;
    const log = await keptLog(logged, tracing);
    const running = await done(run(config, log, { tracing, silentAfter, clock }));
    const areConnected = () => {
      const sessions = [...discord.gateway.sessions.values()].filter((session) => session.socket());
      return (
        connections() > before && sessions.length >= Math.max(1, ...sessions.map(({ shard }) => shard[1]))
      );
    };
    await discord.until('all shards of the bot', areConnected);
    await discord.until('its commands', () => discord.commands.list('global').length > 0);
    return running;
  };
  let running = await start();
  const stop = () => done(running.stop());
  endsWithTest(stop);
  endsWithTest(() => expect(discord.journal.violations).toEqual([]));
  const said: DiscordScene['said'] = (place = channel) =>
    discord
      .messagesIn(place)
      .filter((message) => message.authorId === discord.world.bot.id)
      .filter((message) => message.content !== '' || message.files.length > 0);
  return {
    discord,
    guild,
    channel,
    ada,
    bob,
    owner: discord.person(owner),
    sandbox,
    url: () => running.url,
    said,
    saying: (words, place) =>
      discord.until(words, () => said(place).find(({ content }) => content.includes(words))),
    labelled: (label, place) =>
      discord.until(`one with ${label}`, () => said(place).find((one) => labelsOf(one).includes(label))),
    withFile: (place) => discord.until('a file', () => said(place).find(({ files }) => files.length > 0)),
    until: async (what, isSo) => {
      if (!jumping) await vi.waitUntil(isSo, patience);
      else if (!(await passUntil(jumping, isSo))) throw new Error(`waited in vain for ${what}`);
    },
    rests: async (timers = 300) => {
      if (!jumping) throw new Error('none can know when several processes have come to rest');
      await passToRest(jumping, timers);
    },
    spent: async () => (await meterOf(sandbox)).credits,
    restart: async (meanwhile) => {
      await stop();
      await meanwhile?.();
      running = await start();
    },
  };
}

/** The words on a message's buttons. */
export function labelsOf(message: Message | undefined): readonly string[] {
  return (message?.components ?? []).flatMap((row) =>
    ((row.components ?? []) as { label?: string }[]).flatMap(({ label }) => label ?? []),
  );
}

/** What only one person sees in the channel, the latest with this button. */
export function page({ discord, channel }: DiscordScene, label: string): Promise<Message> {
  return discord.until(`a page with ${label}`, () =>
    discord.messagesIn(channel, { ephemeral: true }).findLast((message) => labelsOf(message).includes(label)),
  );
}

/** What only this person sees in the channel with these words. */
export function privately(
  { discord, channel }: DiscordScene,
  person: Person,
  text: string,
): Promise<Message> {
  return discord.until(`“${text}” privately`, () =>
    discord.aside(channel, person).find(({ content }) => content.includes(text)),
  );
}

/** All messages of all places, those that one person alone sees included. */
export function everything({ discord }: DiscordScene): readonly Message[] {
  return [...discord.world.channels.values()].flatMap((one) => discord.messagesIn(one, { ephemeral: true }));
}

/** Waits until a message has Delete, and so is finished. */
export function finished(
  { discord, said }: DiscordScene,
  which: (message: Message) => boolean = () => true,
): Promise<Message> {
  return discord.until('what can be deleted', () =>
    said().find((message) => labelsOf(message).includes('Delete') && which(message)),
  );
}

/** Has Ada draw an image, and waits for it. */
export function drawn(scene: DiscordScene, prompt = 'a cat'): Promise<Message> {
  scene.ada.types(scene.channel, { name: 'imagine', options: { prompt } });
  return finished(scene, ({ files }) => files.length > 0);
}

/** Makes somebody an administrator, until their roles are taken away. */
export function promote({ discord, guild }: DiscordScene, { user }: Person): { readonly roles: string[] } {
  const role = discord.world.addRole(guild, 'deputies', PermissionFlagsBits.ManageGuild);
  const { roles } = guild.members.get(user.id)!;
  roles.push(role.id);
  discord.events.guildCreated(guild);
  return { roles };
}

/** The threads that are there. */
export function threadsIn({ discord }: DiscordScene): readonly Channel[] {
  return [...discord.world.channels.values()].filter(({ thread }) => thread);
}

/** A moderator takes permissions in the channel from the bot, or gives them back. */
export function deny({ discord, channel }: DiscordScene, permissions: bigint): void {
  const at = discord.world.channel(channel.id);
  at.overwrites.splice(0);
  if (permissions !== 0n)
    at.overwrites.push({ id: discord.world.bot.id, type: 'member', allow: 0n, deny: permissions });
  discord.events.channelUpdated(at);
}

/** Some time by the scene's clock. */
export async function passes({ discord, until }: DiscordScene, minutes: number): Promise<void> {
  let isOver = false;
  discord.world.clock.after(minutes * 60_000, () => {
    isOver = true;
  });
  await until('the time', () => isOver);
}
