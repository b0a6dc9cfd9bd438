import { Hono } from 'hono';
import { limitBody } from '../../../http/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../api/log.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { Arrivals } from '../receive/arrivals.ts';
import type { SlackSettings } from '../settings.ts';
import type { Installations } from '../setup/installations.ts';
import { paths } from '../setup/manifest.ts';
import { Oauth } from '../setup/oauth.ts';
import type { WorkspaceAccess } from '../setup/workspace-access.ts';
import { HttpTransport, maxSlackBody } from './http-transport.ts';
import type { Transport } from './receiver.ts';

interface RoutesDependencies {
  readonly settings: SlackSettings;
  readonly transport: Transport;
  readonly api: SlackApi;
  readonly installations: Installations;
  readonly access: WorkspaceAccess;
  readonly arrivals: Arrivals;
  readonly clock: Clock;
  readonly log: Log;
}

/** What Slack and people's browsers reach over HTTP: `/slack/events`, `/slack/install`, where they are configured. */
export function createRoutes(dependencies: RoutesDependencies): Hono {
  const { settings, transport, api, installations, access, arrivals, clock, log } = dependencies;
  const routes = new Hono();
  if (transport instanceof HttpTransport) {
    routes.post(paths.events, limitBody(maxSlackBody), (context) => transport.handle(context.req.raw));
  }
  const {
    SLACK_CLIENT_ID: clientId,
    SLACK_CLIENT_SECRET: clientSecret,
    SLACK_STATE_SECRET: stateSecret,
  } = settings;
  if (clientId !== undefined && clientSecret !== undefined && stateSecret !== undefined) {
    const isFirst = (id: string) => arrivals.isFirst(id);
    const oauth = new Oauth({
      clientId,
      clientSecret,
      stateSecret,
      api,
      installations,
      access,
      isFirst,
      clock,
      log,
    });
    routes.get(paths.install, (context) => oauth.begin(context.req.raw));
    routes.get(paths.installed, (context) => oauth.finish(context.req.raw));
  }
  return routes;
}
