import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../api/log.ts';
import type { SlackSettings } from '../settings.ts';
import { HttpReceiver } from './http-receiver.ts';
import { SocketReceiver } from './socket-receiver.ts';

/** What Slack's events come through: Socket Mode with an app-level token, HTTP with a signing secret. */
export function createReceiver(
  settings: SlackSettings,
  clock: Clock,
  log: Log,
): SocketReceiver | HttpReceiver {
  const { SLACK_APP_TOKEN: appToken, SLACK_SIGNING_SECRET: signingSecret, SLACK_API_URL: apiUrl } = settings;
  if (appToken !== undefined) return new SocketReceiver({ appToken, apiUrl, clock, log });
  if (signingSecret === undefined) throw new Error('Slack needs SLACK_APP_TOKEN or SLACK_SIGNING_SECRET');
  return new HttpReceiver({ signingSecret, clock, log });
}
