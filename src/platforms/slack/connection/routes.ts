import { Hono } from 'hono';
import { limitBody } from '../../../http/index.ts';
import type { SlackServices } from '../services.ts';
import type { Installations } from '../setup/installations.ts';
import { paths } from '../setup/manifest.ts';
import { Oauth } from '../setup/oauth.ts';
import { HttpTransport, maxSlackBody } from './http-transport.ts';
import type { Transport } from './receiver.ts';

/** What Slack and people's browsers reach over HTTP: `/slack/events`, `/slack/install`, where they are configured. */
export function createRoutes(
  transport: Transport,
  services: SlackServices,
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
    routes.get(paths.install, (context) => oauth.begin(context.req.raw));
    routes.get(paths.installed, (context) => oauth.finish(context.req.raw));
  }
  return routes;
}
