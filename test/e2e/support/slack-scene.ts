import { commands } from '../../../commands/index.ts';
import { readConfig } from '../../../src/config/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { isPostgresUrl } from '../../../src/lib/database-url.ts';
import { slackManifest } from '../../../src/platforms/slack/setup/manifest.ts';
import { createSandbox, type ListeningSandbox, type SandboxOptions } from '../../../src/sandbox/index.ts';
import { run, type Running } from '../../../src/start/run.ts';
import { endsWithTest } from '../../at-end.ts';
import { passUntil, passWhile } from '../../fakes/calm.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { migratedIn } from '../../fakes/database.ts';
import { meterOf } from '../../fakes/sandbox.ts';
import {
  type Channel,
  type Ephemeral,
  type FakePerson,
  FakeSlack,
  type Json,
  type Message,
  shown,
  type Workspace,
} from '../../fakes/slack/index.ts';
import { patience } from '../../patience.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { keptLog } from './kept-log.ts';
import { sampleStudio } from './sample-studio.ts';

/** The whole bot, its service the sandbox, in a Slack of the test's own. */
export interface SlackScene {
  readonly slack: FakeSlack;
  readonly workspace: Workspace;
  readonly general: Channel;
  readonly ada: FakePerson;
  readonly ben: FakePerson;
  readonly sandbox: ListeningSandbox;
  /** Where the bot's own HTTP server is. */
  readonly url: () => string;
  /** What the bot says in a channel, oldest first. */
  said(channel?: Channel): readonly Message[];
  /** Waits until something is there. */
  until<T>(what: string, look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T>;
  /** The first of what the bot says in a channel that has these words, or this button, once it's there. */
  saying(words: string, channel?: Channel): Promise<Message>;
  labelled(label: string, channel?: Channel): Promise<Message>;
  /** What one person alone was told with these words, once it's there. */
  whispered(person: FakePerson, words: string): Promise<Ephemeral>;
  /** Sends the form that comes of what somebody presses or picks. */
  fills(
    person: FakePerson,
    opening: Promise<unknown>,
    values: Parameters<FakePerson['sends']>[0],
  ): Promise<void>;
  /** An administrator of the workspace, in the channel. */
  chief(channel?: Channel): FakePerson;
  /** Credits spent at the service so far. */
  spent(): Promise<number>;
  /** Which process gets what Slack sends over HTTP next, by its number; the first unless a test says otherwise. */
  to: number;
  /** Stops the bot and starts it again on the same data, after `meanwhile`. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  /** Somebody installs the app in their workspace or in its organization, where the scene's mode is `oauth`. */
  installs(person: FakePerson, organization: boolean): Promise<void>;
}

export async function startSlackScene(
  /** `oauth`: over HTTP, and the app is only where people install it. */
  mode: 'socket' | 'http' | 'oauth',
  sandboxOptions: SandboxOptions = {},
  /** Variables of the environment that differ. */
  environment: Readonly<Record<string, string>> = {},
  /** Takes the lines of the log, at level `trace`. */
  logged?: string[],
  /** How many processes of the bot there are; of several, each opens the database that the environment names. */
  count = 1,
): Promise<SlackScene> {
  const folder = await temporaryFolder();
  // Of several processes none can know when another has come to rest, also if that is the database.
  const jumping = isPostgresUrl(environment.DATABASE_URL ?? '') ? undefined : new FakeClock(Date.now());
  const clock = jumping ?? systemClock;
  const done = <T>(work: Promise<T>) => (jumping ? passWhile(jumping, work) : work);
  const sandbox = await createSandbox({
    clock,
    pace: 'instant',
    renderTime: 0,
    limits: 'off',
    media: sampleStudio,
    ...sandboxOptions,
  }).listen();
  endsWithTest(() => sandbox.close());
  const running: Running[] = [];
  const until: SlackScene['until'] = async (what, look) => {
    let found: Awaited<ReturnType<typeof look>>;
    const isFound = async () => {
      found = await look();
      return Boolean(found);
    };
    if (jumping) await passUntil(jumping, isFound);
    else await passed(isFound);
    if (!found) throw new Error(`waited in vain for ${what}`);
    return found;
  };
  const url = mode === 'socket' ? {} : { url: 'https://bot.example' };
  const slack = await FakeSlack.start({
    jumping,
    manifest: slackManifest(commands, { prefix: '', ...url }) as unknown as Json,
    // The bot stands behind its public address.
    send: (request) =>
      fetch(new Request(new URL(new URL(request.url).pathname, running[scene.to]?.url), request)),
  });
  endsWithTest(() => slack.stop());
  const workspace = slack.addWorkspace('acme');
  const { token } = slack.install(workspace);
  const [ada, ben] = [
    slack.person(workspace, { name: 'ada' }),
    slack.person(workspace, { name: 'ben', locale: 'zh-CN' }),
  ];
  const general = slack.channel(workspace, 'general', [ada, ben]);
  const { appToken, signingSecret, clientId, clientSecret } = slack.credentials;
  const config = readConfig({
    SERVICE_BASE_URL: sandbox.url,
    SERVICE_API_KEY: sandbox.key,
    ...(mode === 'oauth'
      ? {
          SLACK_CLIENT_ID: clientId,
          SLACK_CLIENT_SECRET: clientSecret,
          SLACK_STATE_SECRET: 'a-secret-of-our-own',
        }
      : { SLACK_BOT_TOKEN: token }),
    SLACK_API_URL: slack.apiUrl,
    ...(mode === 'socket' ? { SLACK_APP_TOKEN: appToken } : { SLACK_SIGNING_SECRET: signingSecret }),
    DATABASE_URL: await migratedIn(folder),
    CONFIRM_OVER_CREDITS: '100000',
    PORT: '0',
    ...environment,
  });
  const start = async () => {
    // Nothing stands before them that would have to notice that one stops, and a busy machine's database is slow.
    const options = { noticedWithin: 0, silentAfter: patience.timeout, clock };
    while (running.length < count) running.push(await done(run(config, await keptLog(logged), options)));
    for (const { url: at } of running)
      await until('a ready bot', async () => (await fetch(`${at}/readyz`)).ok);
  };
  const stop = () => done(Promise.all(running.splice(0).map((one) => one.stop())));
  const said = (channel = general) => [...channel.messages.values()].filter(({ byApp }) => byApp);
  const scene: SlackScene = {
    slack,
    workspace,
    general,
    ada,
    ben,
    sandbox,
    url: () => running[0]?.url ?? '',
    to: 0,
    said,
    until,
    saying: (words, channel) => until(words, () => said(channel).find((one) => textOf(one).includes(words))),
    labelled: (label, channel) =>
      until(`one with ${label}`, () => said(channel).find((one) => labelsOf(one).includes(label))),
    whispered: (person, words) =>
      until(words, () => person.whispers.find(({ blocks }) => JSON.stringify(blocks).includes(words))),
    fills: async (person, opening, values) => {
      await opening;
      await until('the form', () => person.form);
      await person.sends(values);
    },
    chief: (channel = general) => {
      const chief = slack.person(workspace, { name: 'chief', admin: true });
      channel.members.add(chief.user.id);
      return chief;
    },
    spent: async () => (await meterOf(sandbox)).credits,
    restart: async (meanwhile) => {
      await stop();
      await meanwhile?.();
      await start();
    },
    installs: async ({ user }, organization) => {
      const get = (path: string, headers = {}) =>
        fetch(`${scene.url()}${path}`, { headers, redirect: 'manual' });
      const begun = await get('/slack/install');
      const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
      const back = slack.oauth.approve(begun.headers.get('location') ?? '', user, organization);
      const { pathname, search } = new URL(back);
      const { status } = await get(`${pathname}${search}`, { cookie });
      if (status !== 200) throw new Error(`not installed: ${status}`);
    },
  };
  await start();
  endsWithTest(stop);
  return scene;
}

/** The words on a message's buttons. */
export function labelsOf(message: Pick<Message, 'blocks'> | undefined): readonly string[] {
  return (message?.blocks ?? []).flatMap(({ type, elements }) =>
    type === 'actions' ? (elements as { text: { text: string } }[]).map(({ text }) => text.text) : [],
  );
}

/** What a message shows of its text. */
export const textOf = (message: Message | undefined): string => (message ? shown(message) : '');

/** Some time by the scene's clock. */
export async function passes({ slack, until }: SlackScene, minutes: number): Promise<void> {
  let isOver = false;
  slack.world.clock.after(minutes * 60_000, () => {
    isOver = true;
  });
  await until('the time', () => isOver);
}

/** Waits in real time until something is so. */
async function passed(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + patience.timeout; Date.now() < end && !(await isSo());)
    await new Promise((resolve) => setTimeout(resolve, patience.interval));
}
