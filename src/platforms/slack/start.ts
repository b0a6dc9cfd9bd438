import { Hono } from 'hono';
import { limitBody } from '../../http/index.ts';
import { type Clock, every, untilDone, type Waits } from '../../lib/clock.ts';
import type { Platform } from '../../port/index.ts';
import { openKeyv, withSecureDelete } from '../../store/index.ts';
import { AccessLosses } from './api/access-losses.ts';
import { ChannelIds } from './api/channel-ids.ts';
import type { Log } from './api/log.ts';
import { createApp } from './connection/bolt-app.ts';
import { HttpTransport, maxSlackBody } from './connection/http-transport.ts';
import { SlackReceiver, type Transport } from './connection/receiver.ts';
import { SocketTransport } from './connection/socket-transport.ts';
import {
  createServices,
  type SlackDependencies,
  type SlackServices,
  type SlackSettings,
} from './services.ts';
import { Installations, rememberedStore } from './setup/installations.ts';
import { paths, warnOfMissingScopes, warnOfOldInstallations } from './setup/manifest.ts';
import { Oauth } from './setup/oauth.ts';
import { Uninstallations, WorkspaceAccess } from './setup/workspace-access.ts';

/** Between tries to start, in milliseconds. */
const startWaits: Waits = { first: 10_000, longest: 10_000 };
/** Between questions whether the app is still in a workspace, in milliseconds. */
const askWaits: Waits = { first: 500, longest: 60_000 };
/** How often a refused token is checked again, and whether channels have other ids; in milliseconds. */
const checkEvery = 60_000;
/** How often it's looked whether installations have ended of which no event told, in milliseconds. */
const lookEvery = 86_400_000;

/** How the keys of records begin that name a workspace next. */
const recordsOfWorkspaces = [
  'direct messages',
  'direct messages with',
  'frame',
  'shut',
  'talk',
  'thread',
  'threadless',
];

/** Slack, with what it answers over HTTP: `/slack/events` and `/slack/install`, where they are configured. */
export interface SlackPlatform extends Platform {
  readonly routes: Hono;
  /** Resolves when Slack was reached for the first time; it is tried until then. */
  readonly started: Promise<void>;
}

/** Starts Slack: Socket Mode with an app-level token, HTTP mode with a signing secret. Does not wait for it. */
export async function createSlack(dependencies: SlackDependencies): Promise<SlackPlatform> {
  const { clock, log, settings, database } = dependencies;
  const store = openKeyv(database, 'slack', () => clock.now());
  const kept = rememberedStore(store, dependencies.coordination.signals, clock);
  const installations = new Installations(kept, dependencies.vault, (error) =>
    log.error({ error }, 'the token of an installation is damaged'),
  );
  // A token that an earlier version stored unsealed must not be found in the file afterwards either.
  await withSecureDelete(database, () => installations.sealAll());
  warnOfOldInstallations(await installations.all(), log);

  const { SLACK_BOT_TOKEN: ownToken, ALLOWED_TEAMS: allowed } = settings;
  const access = new WorkspaceAccess(installations, ownToken, allowed, clock);
  const losses = new AccessLosses(store, clock, dependencies.coordination.signals);
  const channelIds = new ChannelIds(store, dependencies.coordination.signals);
  await channelIds.load();
  const services = createServices({ ...dependencies, store, access, losses, channelIds });
  const { api, adapter, sessions, steps, unfinishedAnswers } = services;
  const transport = transportFor(settings, clock, log);
  const whoAmI = (token: string) => api.whoAmI(token);
  const { places } = dependencies;
  const onLeft = async (workspace: string) => {
    const left = { platform: 'slack', messages: [], place: { workspace }, isWaitedFor: true } as const;
    // Before what's under way there is stopped: that's many jobs', and one of them may fail.
    await services.threadReader.forget(workspace);
    await dependencies.dispatcher.deleted(left);
  };
  const uninstallations = new Uninstallations({
    ...{ installations, access, whoAmI, clock, log, places, onLeft },
    workspacesOf: (token) => api.workspacesOf(token),
  });
  const app = await createApp(new SlackReceiver(transport, services), services, uninstallations);

  const checkToken = async () => {
    const me = await access.check(whoAmI);
    if (!me) return;
    losses.askAgain();
    warnOfMissingScopes(me, log);
  };
  const stopped = new AbortController();
  let startFault: string | undefined = 'not started yet';
  const start = async () => {
    await checkToken();
    // Needs only the Web API, no connection for events.
    unfinishedAnswers.reached();
    await app.start();
  };
  const failed = (error: unknown) => {
    startFault = 'Slack cannot be reached';
    log.warn({ error }, 'Slack could not be started; trying again');
  };
  const started = new Promise<void>((resolve) => {
    const done = () => {
      startFault = undefined;
      resolve();
    };
    // It only ends otherwise when it's stopped.
    untilDone(start, { clock, waits: startWaits, signal: stopped.signal, failed }).then(
      done,
      () => undefined,
    );
  });
  const lookNow = async () => {
    await started;
    // One process is enough.
    if (await store.add('installations looked at', true, lookEvery / 2)) await uninstallations.look();
  };
  const look = () => {
    lookNow().catch((error: unknown) => log.warn({ error }, 'installations could not be looked at'));
  };
  look();
  const cancelLooks = every(clock, lookEvery, look);
  const stop = () => stopped.abort(new Error('shutting down'));
  const check = () => {
    // The operator may have replaced a refused token, or installed the app again.
    if (access.fault !== undefined) void checkToken().catch(() => undefined);
    // The word of another process may have been lost.
    if (dependencies.coordination.slots) void channelIds.load().catch(() => undefined);
  };
  check();
  const cancelChecks = every(clock, checkEvery, check);

  return {
    adapter,
    routes: createRoutes(transport, { ...services, places }, installations),
    started,
    operators: async (workspace) =>
      (await installations.installers(workspace)).map((installer) => ({ platform: 'slack', ...installer })),
    isIn: (workspace) => uninstallations.isIn(workspace),
    async forget(workspace) {
      await uninstallations.forget(workspace);
      await services.threadReader.forget(workspace);
      for (const record of recordsOfWorkspaces) await store.deleteStartingWith(`${record} ${workspace} `);
    },
    connections: () => transport.sockets,
    async caughtUp() {
      // By the token alone, which is gone, an event that comes again says nothing.
      const stopIfLeft = async (workspace: string) => {
        if (!(await uninstallations.isIn(workspace))) await onLeft(workspace);
      };
      const saidOnce = (error: unknown, tries: number) => {
        if (tries === 1)
          log.warn(
            { error },
            'Slack does not say whether the app is still in a workspace; it is asked again',
          );
      };
      const persistence = { clock, waits: askWaits, signal: stopped.signal, failed: saidOnce };
      const left = await places.leftUnderWay('slack');
      await Promise.all(left.map((workspace) => untilDone(() => stopIfLeft(workspace), persistence)));
    },
    notReady: () => access.fault ?? transport.fault ?? startFault,
    async takeUp() {
      await unfinishedAnswers.takeUp();
      await steps.takeUp();
    },
    async stopReceiving() {
      stop();
      // Slack tells people that the app didn't respond, of a command that's carried out all the same.
      await transport.acknowledged?.();
      await transport.stop();
    },
    async close() {
      stop();
      cancelChecks();
      cancelLooks();
      await transport.stop();
      unfinishedAnswers.close();
      steps.close();
      await sessions.settled();
      api.close();
    },
  };
}

/** The transport of Slack's payloads: Socket Mode with an app-level token, HTTP with a signing secret. */
function transportFor(settings: SlackSettings, clock: Clock, log: Log): Transport {
  const { SLACK_APP_TOKEN: appToken, SLACK_SIGNING_SECRET: signingSecret, SLACK_API_URL: apiUrl } = settings;
  if (appToken !== undefined) return new SocketTransport({ appToken, apiUrl, clock, log });
  if (signingSecret === undefined) throw new Error('Slack needs SLACK_APP_TOKEN or SLACK_SIGNING_SECRET');
  return new HttpTransport(signingSecret, clock, log);
}

/** The paths of Slack and people's browsers over HTTP: `/slack/events`, `/slack/install`, where they are configured. */
function createRoutes(
  transport: Transport,
  services: SlackServices & Pick<SlackDependencies, 'places'>,
  installations: Installations,
): Hono {
  const routes = new Hono();
  if (transport instanceof HttpTransport) {
    routes.post(paths.events, limitBody(maxSlackBody), (context) => transport.handle(context.req.raw));
  }
  const {
    SLACK_CLIENT_ID: clientId,
    SLACK_CLIENT_SECRET: clientSecret,
    SLACK_STATE_SECRET: stateSecret,
  } = services.settings;
  if (clientId !== undefined && clientSecret !== undefined && stateSecret !== undefined) {
    const oauth = new Oauth({ ...services, ...{ clientId, clientSecret, stateSecret, installations } });
    routes.get(paths.install, oauth.begin);
    routes.get(paths.installed, oauth.finish);
  }
  return routes;
}
