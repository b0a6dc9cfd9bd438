import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { commands } from '../../../commands/index.ts';
import { readConfig } from '../../../src/config/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { slackManifest } from '../../../src/platforms/slack/setup/manifest.ts';
import { createSandbox, type Studio } from '../../../src/sandbox/index.ts';
import { run } from '../../../src/start/run.ts';
import { passUntil, passWhile } from '../../fakes/calm.ts';
import type { FakeClock } from '../../fakes/clock.ts';
import { migratedIn } from '../../fakes/database.ts';
import { FakeDiscord } from '../../fakes/discord/index.ts';
import { serveFiles } from '../../fakes/discord/serve-files.ts';
import { changeSandbox } from '../../fakes/sandbox.ts';
import { FakeSlack, type Json, type Workspace } from '../../fakes/slack/index.ts';
import { patience } from '../../patience.ts';
import { shortBuckets } from '../../platforms/discord/support/invited.ts';

/** The whole bot on a Discord and a Slack of its own, with the console page; its service is the sandbox. */
export interface Bot {
  readonly discord: FakeDiscord;
  readonly slack: FakeSlack;
  readonly workspace: Workspace;
  /** Where the console page is. */
  readonly url: string;
  /** Changes the sandbox: what the model answers next, an answer each, and how fast it writes. */
  sandbox(change: SandboxChange): Promise<void>;
  /** The time that the bot's and its platforms' moves by, once all has come to rest; the machine's if absent. */
  readonly jumping: FakeClock | undefined;
  /** The errors it logged. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/** A change of the sandbox. */
export interface SandboxChange {
  readonly answers?: readonly string[];
  readonly pace?: 'human' | 'instant';
  /** What the next requests meet, as its control endpoint takes it. */
  readonly faults?: readonly Readonly<Record<string, string | number>>[];
}

/** `media`: who speaks, draws and films; the sandbox by default. */
export async function startBot({
  media,
  jumping,
}: { media?: Studio; jumping?: FakeClock } = {}): Promise<Bot> {
  const clock = jumping ?? systemClock;
  const done = <T>(work: Promise<T>) => (jumping ? passWhile(jumping, work) : work);
  const folder = await mkdtemp(join(tmpdir(), 'troupe-pictures-'));
  const sandbox = await createSandbox({
    clock,
    pace: 'instant',
    renderTime: 0,
    limits: 'off',
    ...(media && { media }),
  }).listen();
  const discord = await FakeDiscord.start({
    ...{ buckets: shortBuckets, readings: { galleryByEdit: 'works' } },
    ...(jumping && { jumping }),
  });
  const stopServing = serveFiles(discord);
  discord.gateway.identifyWindow = 0;
  const manifest = slackManifest(commands, { prefix: '' }) as unknown as Json;
  const slack = await FakeSlack.start({ manifest, jumping });
  const workspace = slack.addWorkspace('analysts');
  const errors: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });
  const config = readConfig({
    SERVICE_BASE_URL: sandbox.url,
    SERVICE_API_KEY: sandbox.key,
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    SLACK_BOT_TOKEN: slack.install(workspace).token,
    SLACK_APP_TOKEN: slack.credentials.appToken,
    SLACK_API_URL: slack.apiUrl,
    CONSOLE: 'on',
    TOTAL_DAILY_CREDITS: '100000',
    DATABASE_URL: await migratedIn(folder),
    PORT: '0',
  });
  // A busy machine's database is slow.
  const running = await done(run(config, log, { silentAfter: patience.timeout, clock }));
  await discord.until('the commands', () => discord.commands.list('global').length > 0);
  const isReady = async () => (await fetch(`${running.url}/readyz`)).ok;
  if (jumping) await passUntil(jumping, isReady);
  else await ready(isReady);
  return {
    discord,
    slack,
    workspace,
    url: running.url,
    jumping,
    errors,
    sandbox: (change) => changeSandbox(sandbox, change),
    async close() {
      await done(running.stop());
      stopServing();
      await Promise.all([discord.close(), slack.stop(), sandbox.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ready(isReady: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    if (await isReady()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the bot did not connect');
}
