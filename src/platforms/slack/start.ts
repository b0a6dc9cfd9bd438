import type { Receiver } from '@slack/bolt';
import { Hono } from 'hono';
import { limitBody } from '../../http/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Platform } from '../../port/index.ts';
import type { Vault } from '../../secrets/vault.ts';
import { createCapabilities, type Database, keysIn, openKeyv, traceless } from '../../store/index.ts';
import { RateLimits } from './api/rate-limits.ts';
import { SlackApi } from './api/slack-api.ts';
import { inSlackStyle } from './commands/slash-commands.ts';
import { AccessLosses } from './connection/access-losses.ts';
import { createApp } from './connection/bolt-app.ts';
import { HttpReceiver, maxSlackBody } from './connection/http-receiver.ts';
import { type Log, libraryLogger } from './connection/log.ts';
import { SocketReceiver } from './connection/socket-receiver.ts';
import { WorkspaceAccess } from './connection/workspace-access.ts';
import { MessageChrome } from './markup/message-chrome.ts';
import { MessageFormats } from './markup/message-formats.ts';
import { FileKinds } from './media/file-kinds.ts';
import { FilePermission, withFilePermission } from './media/file-permission.ts';
import { Uploads } from './media/uploads.ts';
import { People } from './people/people.ts';
import { UserGroups } from './people/user-groups.ts';
import { SlackAdapter } from './post/adapter.ts';
import { ChannelRefusals } from './post/channel-refusals.ts';
import { Channels } from './post/channels.ts';
import { DirectMessages } from './post/direct-messages.ts';
import { Edits } from './post/edits.ts';
import { PostedMessages } from './post/posted-messages.ts';
import { Threads } from './post/threads.ts';
import { withDirectMessages } from './receive/direct-message-rules.ts';
import type { Commands, HandlerContext } from './receive/handler-context.ts';
import { RecentEvents } from './receive/recent-events.ts';
import { ResponseUrls } from './reply/response-urls.ts';
import { AgentSessions } from './reply/stream/agent-sessions.ts';
import { NativeStreams } from './reply/stream/native-streams.ts';
import { UnfinishedAnswerRecords } from './reply/unfinished-answer-records.ts';
import { UnfinishedAnswers } from './reply/unfinished-answers.ts';
import { Installations } from './setup/installations.ts';
import { paths } from './setup/manifest.ts';
import { warnOfMissingScopes, warnOfOldInstallations } from './setup/missing-scopes.ts';
import { Oauth } from './setup/oauth.ts';
import { Uninstallations } from './setup/uninstallations.ts';

/** A repeated event is told from a new one for so long, in milliseconds: Slack's last try comes after 6 minutes. */
const repeatedWithin = 15 * 60_000;
/** What cannot be begun is tried again after so long, in milliseconds. */
const tryAgainAfter = 10_000;

/** Whether a refused token is accepted again is asked so often, in milliseconds. */
const checkEvery = 60_000;

/** The settings of Slack; their names are those of the environment. */
export interface SlackSettings {
  readonly SLACK_BOT_TOKEN?: string | undefined;
  readonly SLACK_APP_TOKEN?: string | undefined;
  readonly SLACK_SIGNING_SECRET?: string | undefined;
  readonly SLACK_CLIENT_ID?: string | undefined;
  readonly SLACK_CLIENT_SECRET?: string | undefined;
  readonly SLACK_STATE_SECRET?: string | undefined;
  readonly SLACK_COMMAND_PREFIX: string;
  readonly SLACK_API_URL: string;
  readonly ALLOWED_TEAMS?: readonly string[] | undefined;
}

export interface SlackDependencies {
  readonly dispatcher: Commands;
  readonly database: Database;
  /** Seals the tokens of installations. */
  readonly vault: Vault;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: SlackSettings;
}

/** Slack, with what it answers over HTTP: `/slack/events` and `/slack/install`, where those are configured. */
export interface SlackPlatform extends Platform {
  readonly routes: Hono;
  /** Resolves when Slack was reached for the first time; it is tried until then. */
  readonly started: Promise<void>;
}

/** Starts Slack: Socket Mode with an app-level token, HTTP mode with a signing secret. Does not wait for it. */
export async function createSlack(dependencies: SlackDependencies): Promise<SlackPlatform> {
  const { clock, log, settings, database } = dependencies;
  const memory = openKeyv(database, 'slack', () => clock.now());
  const installations = new Installations(memory, dependencies.vault, (error) =>
    log.error({ error }, 'the token of an installation is damaged'),
  );
  const installed = () => keysIn(database, 'slack', 'installation ');
  // Nor may what a former version left open be found in the file afterwards.
  await traceless(database, async () => installations.sealAll(await installed()));
  warnOfOldInstallations(await installations.all(await installed()), log);
  const access = new WorkspaceAccess(installations, settings.SLACK_BOT_TOKEN, settings.ALLOWED_TEAMS);
  const losses = new AccessLosses(memory, clock);
  const listening = createHandlerContext(dependencies, { access, losses }, memory);
  const receiver = createReceiver(dependencies);
  const apiUrl = settings.SLACK_API_URL;
  const whoAmI = (token: string) => listening.api.whoAmI(token);
  const uninstallations = new Uninstallations({ installations, whoAmI, clock, log });
  const app = await createApp({ receiver, apiUrl, access, losses, uninstallations, context: listening, log });
  const check = async () => {
    const me = await access.check(whoAmI);
    if (!me) return;
    losses.askAgain();
    warnOfMissingScopes(me, log);
  };
  const left = await listening.unfinishedAnswerRecords.all();
  const start = new Start(clock, log, async () => {
    await check();
    // That takes no connection over which anything is received.
    void listening.unfinishedAnswers.settle(left);
    await app.start();
  });
  // A token that was refused may be mended, or the app installed again.
  let cancelChecks = () => {};
  const checkAgain = () => {
    if (access.fault !== undefined) void check().catch(() => undefined);
    cancelChecks = clock.after(checkEvery, checkAgain);
  };
  checkAgain();

  return {
    adapter: listening.adapter,
    routes: createRoutes(dependencies, receiver, listening.api, { installations, access }),
    started: start.done,
    operators: async () =>
      (await installations.installers(await installed())).map((installer) => ({
        platform: 'slack' as const,
        ...installer,
      })),
    notReady: () => access.fault ?? receiver.fault ?? start.fault,
    async stopReceiving() {
      start.stop();
      await receiver.stop();
    },
    async close() {
      start.stop();
      cancelChecks();
      await receiver.stop();
      listening.unfinishedAnswers.close();
      await listening.sessions.settled();
      listening.api.close();
    },
  };
}

function createHandlerContext(
  { dispatcher, database, clock, log, settings }: SlackDependencies,
  { access, losses }: { readonly access: WorkspaceAccess; readonly losses: AccessLosses },
  memory: ReturnType<typeof openKeyv>,
): HandlerContext & { readonly adapter: SlackAdapter } {
  const rateLimits = new RateLimits(clock);
  const apiUrl = settings.SLACK_API_URL;
  const shut = new ChannelRefusals(memory);
  const api = new SlackApi({
    clock,
    apiUrl,
    tokens: access.token,
    rateLimits,
    losses,
    logger: libraryLogger(log),
    onError: (error) => access.noteLoss(error),
    onAnswer: (...answer) => shut.noteAnswer(...answer),
  });
  const channels = new Channels({ api, shut, clock });
  const capabilities = createCapabilities(database, 'slack', () => clock.now());
  const postedMessages = new PostedMessages(api, memory, clock);
  const groups = new UserGroups(api, clock);
  const people = new People(api, groups, clock);
  const responseUrls = new ResponseUrls(memory);
  const kinds = new FileKinds(api, capabilities, clock);
  const uploads = new Uploads(api, kinds, clock);
  const directMessages = new DirectMessages(api, memory, clock);
  const edits = new Edits(api, rateLimits);
  const prefix = settings.SLACK_COMMAND_PREFIX;
  const forms = new MessageFormats(capabilities);
  const streams = new NativeStreams({ api, postedMessages, capabilities, clock });
  const sessions = new AgentSessions({ api, capabilities, clock, log });
  const unfinishedRecords = new UnfinishedAnswerRecords(memory, (prefix) =>
    keysIn(database, 'slack', prefix),
  );
  const unfinished = new UnfinishedAnswers({
    api,
    postedMessages,
    edits,
    sessions,
    nativeStreams: streams,
    records: unfinishedRecords,
    clock,
    log,
  });
  return {
    dispatcher: withFilePermission(withDirectMessages(dispatcher), new FilePermission(kinds, clock)),
    api,
    rateLimits,
    postedMessages,
    people,
    userGroups: groups,
    responseUrls,
    directMessages,
    channels,
    adapter: new SlackAdapter({
      api,
      channels,
      postedMessages,
      uploads,
      edits,
      messageChrome: new MessageChrome(memory),
      responseUrls,
      directMessages,
      people,
      formats: forms,
      capabilities,
      clock,
      formerSettled: (address) => unfinished.settled(address),
      lostStream: (address, key) => unfinished.lostStream(address, key),
    }),
    nativeStreams: streams,
    formats: forms,
    fileKinds: kinds,
    sessions,
    capabilities,
    threads: new Threads(memory),
    unfinishedAnswers: unfinished,
    unfinishedAnswerRecords: unfinishedRecords,
    recentEvents: new RecentEvents(clock, repeatedWithin),
    inSlackStyle: (text) => inSlackStyle(text, dispatcher.commands, prefix),
    prefix,
    botName: access.nameIn,
    clock,
    log,
  };
}

function createReceiver({ settings, clock, log }: SlackDependencies): SocketReceiver | HttpReceiver {
  const { SLACK_APP_TOKEN: appToken, SLACK_SIGNING_SECRET: signingSecret, SLACK_API_URL: apiUrl } = settings;
  if (appToken !== undefined) return new SocketReceiver({ appToken, apiUrl, clock, log });
  if (signingSecret === undefined) throw new Error('Slack needs SLACK_APP_TOKEN or SLACK_SIGNING_SECRET');
  return new HttpReceiver({ signingSecret, clock, log });
}

function createRoutes(
  { settings, clock, log }: SlackDependencies,
  receiver: Receiver,
  api: SlackApi,
  { installations, access }: { readonly installations: Installations; readonly access: WorkspaceAccess },
): Hono {
  const routes = new Hono();
  if (receiver instanceof HttpReceiver) {
    routes.post(paths.events, limitBody(maxSlackBody), (context) => receiver.handle(context.req.raw));
  }
  const {
    SLACK_CLIENT_ID: clientId,
    SLACK_CLIENT_SECRET: clientSecret,
    SLACK_STATE_SECRET: stateSecret,
  } = settings;
  if (clientId !== undefined && clientSecret !== undefined && stateSecret !== undefined) {
    const oauth = new Oauth({ clientId, clientSecret, stateSecret, api, installations, access, clock, log });
    routes.get(paths.install, (context) => oauth.begin(context.req.raw));
    routes.get(paths.installed, (context) => oauth.finish(context.req.raw));
  }
  return routes;
}

/** Begins something that may fail at first, until it has begun or is not wanted any more. */
class Start {
  readonly done: Promise<void>;
  #fault: string | undefined = 'not started yet';
  #stopped = false;

  constructor(clock: Clock, log: Log, begin: () => Promise<void>) {
    this.done = new Promise((resolve) => {
      const attempt = async () => {
        if (this.#stopped) return;
        try {
          await begin();
          this.#fault = undefined;
          resolve();
        } catch (error) {
          this.#fault = 'Slack cannot be reached';
          log.warn({ error }, 'Slack could not be started; trying again');
          clock.after(tryAgainAfter, () => void attempt());
        }
      };
      void attempt();
    });
  }

  get fault(): string | undefined {
    return this.#fault;
  }

  stop(): void {
    this.#stopped = true;
  }
}
