import { pino } from 'pino';
import { commands } from '../../../commands/index.ts';
import { createBot } from '../../../src/app/bot.ts';
import { alone } from '../../../src/coordination/index.ts';
import { startDiscord } from '../../../src/platforms/discord/start.ts';
import { createSandbox, type SandboxOptions } from '../../../src/sandbox/index.ts';
import { ServiceClient } from '../../../src/service/index.ts';
import { folderFiles } from '../../../src/store/index.ts';
import { endsWithTest } from '../../at-end.ts';
import { botSettings } from '../../fakes/bot-settings.ts';
import { passUntil } from '../../fakes/calm.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { openMigrated } from '../../fakes/database.ts';
import { type Channel, FakeDiscord, type Message, type Person } from '../../fakes/discord/index.ts';
import { noPlaces } from '../../fakes/places.ts';
import { invited } from '../../platforms/discord/support/invited.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { sampleStudio } from './sample-studio.ts';

/** The whole bot, its service and Discord with its real rate limits, all by one clock; and many people in a channel. */
export interface Crowd {
  readonly clock: FakeClock;
  readonly discord: FakeDiscord;
  readonly channel: Channel;
  readonly people: readonly Person[];
  /** What the bot has said in the channel, oldest first. */
  said(): readonly Message[];
  /** Lets time pass until something is so. */
  until(what: string, isSo: () => boolean): Promise<void>;
  /** When the service first said that each image or video was ready, by its prompt; in milliseconds of the clock. */
  readonly readyAt: ReadonlyMap<string, number>;
}

export async function startCrowd(size: number, sandboxOptions: SandboxOptions = {}): Promise<Crowd> {
  const clock = new FakeClock(Date.now());
  const log = pino({ level: 'silent' });
  const folder = await temporaryFolder();
  const sandbox = await createSandbox({
    clock,
    media: sampleStudio,
    limits: 'off',
    ...sandboxOptions,
  }).listen();
  endsWithTest(() => sandbox.close());
  const database = await openMigrated();
  endsWithTest(() => database.destroy());
  const service = new ServiceClient({ baseUrl: sandbox.url, apiKey: sandbox.key, clock });
  endsWithTest(() => service.close());
  const readyAt = watched(service, clock);
  const bot = createBot({
    commands,
    database,
    coordination: alone(),
    service,
    clock,
    log,
    files: folderFiles(folder),
    settings: { ...botSettings, confirmOver: 100_000 },
  });
  const discord = await FakeDiscord.start({ clock, rateClock: clock });
  endsWithTest(() => discord.close());
  discord.gateway.identifyWindow = 0;
  const { world } = discord;
  const guild = world.addGuild({ name: 'Artists', owner: world.addUser('owner'), permissions: invited });
  const channel = world.addChannel(guild, 'art');
  const people = Array.from({ length: size }, (_, index) => discord.addPerson(guild, `person ${index}`));
  const platform = startDiscord({
    places: noPlaces,
    coordination: alone(),
    token: discord.token,
    apiUrl: discord.apiUrl,
    shards: 'auto',
    isOperator: async () => false,
    dispatcher: bot.dispatcher,
    contextTokens: 1_000,
    database,
    clock,
    log,
  });
  bot.addPlatform(platform);
  const until = async (what: string, isSo: () => boolean) => {
    if (!(await passUntil(clock, isSo))) throw new Error(`${what} never was so`);
  };
  endsWithTest(async () => {
    let isOver = false;
    const closed = platform
      .stopReceiving()
      .then(() => bot.close())
      .then(() => platform.close())
      .finally(() => {
        isOver = true;
      });
    await until('the end', () => isOver);
    await closed;
  });
  await until('the connection', () => platform.notReady() === undefined);
  await until('the commands', () => discord.commands.list('global').length > 0);
  const said = () => discord.messagesIn(channel).filter(({ authorId }) => authorId === world.bot.id);
  return { clock, discord, channel, people, said, until, readyAt };
}

/** Notes when each render was first said to be ready. */
function watched({ images, videos }: ServiceClient, clock: FakeClock): ReadonlyMap<string, number> {
  const prompts = new Map<string, string>();
  const readyAt = new Map<string, number>();
  for (const tasks of [images, videos]) {
    const { submit, status } = tasks;
    const note = (id: string | undefined, state: string) => {
      const prompt = prompts.get(id ?? '');
      if (prompt !== undefined && state === 'ready' && !readyAt.has(prompt)) readyAt.set(prompt, clock.now());
    };
    tasks.submit = async (...order: Parameters<typeof submit>) => {
      const task = await (submit as (...all: unknown[]) => ReturnType<typeof submit>).apply(tasks, order);
      prompts.set(task.id ?? '', order[0].prompt ?? '');
      note(task.id, task.status.state);
      return task;
    };
    tasks.status = async (...query: Parameters<typeof status>) => {
      const answered = await status.apply(tasks, query);
      note(query[0], answered.state);
      return answered;
    };
  }
  return readyAt;
}

/** Milliseconds from one moment to another, of what both know. */
export function waits(from: ReadonlyMap<string, number>, to: ReadonlyMap<string, number>): readonly number[] {
  return [...to].map(([name, at]) => at - (from.get(name) ?? Number.NaN)).sort((one, other) => one - other);
}
