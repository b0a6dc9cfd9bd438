import { webApi } from '@slack/bolt';
import type { Config } from '../config/config.ts';
import { isAccessLost, isAnswerLost, retryAfter, slackCode } from '../platforms/slack/api/errors.ts';
import { libraryLogger } from '../platforms/slack/api/log.ts';
import { clientOptions } from '../platforms/slack/api/slack-api.ts';
import type { SlackSettings } from '../platforms/slack/index.ts';
import {
  appsPage as apps,
  installAgain,
  missingScopes,
  pasteManifest,
  paths,
} from '../platforms/slack/setup/manifest.ts';
import { type Finding, fine, patience, wrong } from './finding.ts';
import { checkEvents } from './slack-events.ts';
import { checkInstallations } from './slack-installations.ts';

/** What is checked, and where the bot keeps what it knows. */
export type SlackToCheck = SlackSettings & Pick<Config, 'DATABASE_URL' | 'ENCRYPTION_KEY'>;

const silence = libraryLogger({ debug() {}, info() {}, warn() {}, error() {} });
/** A code that Slack never gave anybody: its answer tells whether it takes id and secret, and installs nothing. */
const noCode = 'doctor';

/** Looks at tokens, scopes and secrets as far as Slack tells about them; nothing is posted. */
export async function checkSlack(settings: SlackToCheck): Promise<Finding[]> {
  const { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken, SLACK_API_URL: apiUrl } = settings;
  const options = { ...clientOptions(apiUrl), timeout: patience, logger: silence };
  const client = (token?: string) => new webApi.WebClient(token, { ...options });
  const findings = await Promise.all([
    botToken === undefined ? [] : checkBotToken(client(botToken)),
    appToken === undefined ? httpMode : checkAppToken(client(appToken)),
    ...(settings.SLACK_CLIENT_ID === undefined
      ? []
      : [checkInstalls(client(), settings), checkInstallations(client(), settings)]),
    checkEvents(settings.DATABASE_URL),
  ]);
  return findings.flat();
}

async function checkBotToken(client: webApi.WebClient): Promise<Finding[]> {
  const subject = 'Slack';
  try {
    const { team, response_metadata } = await client.auth.test();
    const granted: readonly string[] = response_metadata?.scopes ?? [];
    return [fine(subject, `SLACK_BOT_TOKEN belongs to the workspace ${team}`), checkScopes(granted)];
  } catch (error) {
    const mend = isAccessLost(error)
      ? `install the app at ${apps}, page Install App, and set SLACK_BOT_TOKEN to the token shown there`
      : `check the app at ${apps}`;
    return [refused(subject, 'SLACK_BOT_TOKEN', error, mend)];
  }
}

function checkScopes(granted: readonly string[]): Finding {
  const subject = 'Slack scopes';
  const missing = missingScopes(granted);
  if (missing.length === 0) return fine(subject, 'all scopes in the manifest are granted');
  return wrong(subject, `missing: ${missing.join(', ')}`, `${pasteManifest}, and ${installAgain}`);
}

async function checkAppToken(client: webApi.WebClient): Promise<Finding[]> {
  const subject = 'Slack Socket Mode';
  try {
    await client.apps.connections.open({});
    return [fine(subject, 'SLACK_APP_TOKEN opens connections')];
  } catch (error) {
    const mend = `turn on Socket Mode at ${apps}, and set SLACK_APP_TOKEN to an app-level token with connections:write`;
    return [refused(subject, 'SLACK_APP_TOKEN', error, mend)];
  }
}

const httpMode: readonly Finding[] = [
  fine(
    'Slack HTTP mode',
    `Slack must be able to reach ${paths.events} on this bot; SLACK_SIGNING_SECRET can only be checked then`,
  ),
];

async function checkInstalls(client: webApi.WebClient, settings: SlackSettings): Promise<Finding[]> {
  const subject = 'Slack installs';
  const { SLACK_CLIENT_ID: client_id = '', SLACK_CLIENT_SECRET: client_secret = '' } = settings;
  try {
    await client.oauth.v2.access({ client_id, client_secret, code: noCode });
  } catch (error) {
    if (slackCode(error) !== 'invalid_code') {
      const mend = `copy both from ${apps}, page Basic Information`;
      return [refused(subject, 'SLACK_CLIENT_ID and SLACK_CLIENT_SECRET', error, mend)];
    }
  }
  return [
    fine(
      subject,
      `Slack accepts SLACK_CLIENT_ID and SLACK_CLIENT_SECRET; people install at ${paths.install}`,
    ),
  ];
}

function refused(subject: string, what: string, error: unknown, mend: string): Finding {
  const code = slackCode(error);
  if (code !== undefined) return wrong(subject, `Slack refuses ${what} (${code})`, mend);
  const seconds = retryAfter(error);
  if (seconds !== undefined) return wrong(subject, 'Slack is asked too often', `wait ${seconds} seconds`);
  if (!isAnswerLost(error)) throw error;
  return wrong(
    subject,
    'Slack cannot be reached, or is not well',
    'check SLACK_API_URL and the way from here to there (network, firewall, DNS)',
  );
}
