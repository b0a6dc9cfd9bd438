import { webApi } from '@slack/bolt';
import type { Config } from '../config/config.ts';
import {
  isAccessLost,
  isAnswerLost,
  retryAfter,
  slackCode,
  slackFeatures,
} from '../platforms/slack/api/errors.ts';
import { silentLogger } from '../platforms/slack/api/log.ts';
import { clientOptions } from '../platforms/slack/api/slack-api.ts';
import type { Installation } from '../platforms/slack/setup/installations.ts';
import {
  appsPage,
  botEvents,
  botScopes,
  installAgain,
  installThereAgain,
  lackedEvent,
  missingScopes,
  named,
  pasteManifest,
  paths,
} from '../platforms/slack/setup/manifest.ts';
import { Vault, VaultError, vaultOf } from '../secrets/vault.ts';
import { type StoredValue, storedValues } from '../store/index.ts';
import { caution, codeOf, type Finding, fine, patience, wrong } from './finding.ts';

/** A code that Slack never gave anybody: its answer tells whether it takes id and secret, and installs nothing. */
const noCode = 'doctor';
/** Slack is asked about so many tokens, those of the newest installations; of the others it's known what was granted. */
const mostAsked = 50;

/** Looks at tokens, scopes and secrets as far as Slack tells about them; nothing is posted. */
export async function checkSlack(config: Config, withListing: boolean): Promise<Finding[]> {
  const { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken, SLACK_API_URL: apiUrl } = config;
  const options = { ...clientOptions(apiUrl), timeout: patience, logger: silentLogger };
  const client = (token?: string) => new webApi.WebClient(token, { ...options });
  const findings = await Promise.all([
    botToken === undefined ? [] : checkBotToken(client(botToken), appToken),
    appToken === undefined ? httpMode : checkAppToken(client(appToken)),
    ...(config.SLACK_CLIENT_ID === undefined
      ? []
      : [checkInstalls(client(), config), checkInstallations(client(), config)]),
    checkEvents(config.DATABASE_URL),
  ]);
  return [...findings.flat(), ...(withListing ? listing(config) : [])];
}

async function checkBotToken(client: webApi.WebClient, appToken: string | undefined): Promise<Finding[]> {
  const subject = 'Slack';
  try {
    const me = await client.auth.test();
    const granted: readonly string[] = me.response_metadata?.scopes ?? [];
    return [
      fine(subject, `SLACK_BOT_TOKEN belongs to the workspace ${me.team}.`),
      checkScopes(granted),
      ...(await checkApps(client, me, appToken)),
    ];
  } catch (error) {
    const mend = isAccessLost(error)
      ? `install the app at ${appsPage}, page Install App, and set SLACK_BOT_TOKEN to the token shown there`
      : `check the app at ${appsPage}`;
    return [refused(subject, 'SLACK_BOT_TOKEN', error, mend)];
  }
}

/** With tokens of two apps it hears what's said to one, and speaks as the other. Where Slack doesn't name the bot's app, nothing is known. */
async function checkApps(
  client: webApi.WebClient,
  { bot_id: bot = '', team_id = '' }: webApi.AuthTestResponse,
  appToken = '',
): Promise<Finding[]> {
  const [, heard] = /^xapp-\d-(A[A-Z\d]+)-/.exec(appToken) ?? [];
  if (heard === undefined) return [];
  const spoken = await client.bots.info({ bot, team_id }).catch(() => undefined);
  const app = spoken?.bot?.app_id ?? heard;
  if (app === heard) return [];
  const found = `SLACK_APP_TOKEN is of the app ${heard}, SLACK_BOT_TOKEN of ${app}: the bot doesn’t hear what’s said to it.`;
  return [wrong('Slack tokens', found, `set both to tokens of one app, from ${appsPage}`)];
}

function checkScopes(granted: readonly string[]): Finding {
  const subject = 'Slack scopes';
  const missing = missingScopes(granted);
  if (missing.length === 0) return fine(subject, 'The app has all scopes of the manifest.');
  return wrong(subject, lacks(missing), `${pasteManifest}, and ${installAgain}`);
}

async function checkAppToken(client: webApi.WebClient): Promise<Finding[]> {
  const subject = 'Slack Socket Mode';
  try {
    await client.apps.connections.open({});
    return [fine(subject, 'SLACK_APP_TOKEN opens connections.')];
  } catch (error) {
    const mend = `turn on Socket Mode at ${appsPage}, and set SLACK_APP_TOKEN to an app-level token with connections:write`;
    return [refused(subject, 'SLACK_APP_TOKEN', error, mend)];
  }
}

const httpMode: readonly Finding[] = [
  fine(
    'Slack HTTP mode',
    `Slack has to be able to reach ${paths.events} on this bot. Only then can SLACK_SIGNING_SECRET be checked.`,
  ),
];

async function checkInstalls(client: webApi.WebClient, config: Config): Promise<Finding[]> {
  const subject = 'Slack installs';
  const { SLACK_CLIENT_ID: client_id = '', SLACK_CLIENT_SECRET: client_secret = '' } = config;
  try {
    await client.oauth.v2.access({ client_id, client_secret, code: noCode });
  } catch (error) {
    if (slackCode(error) !== 'invalid_code') {
      const mend = `copy both from ${appsPage}, page Basic Information`;
      return [refused(subject, 'SLACK_CLIENT_ID and SLACK_CLIENT_SECRET', error, mend)];
    }
  }
  return [
    fine(
      subject,
      `Slack accepts SLACK_CLIENT_ID and SLACK_CLIENT_SECRET. People install the app at ${paths.install}.`,
    ),
  ];
}

/** An installation, and what is wrong with it. */
interface State {
  readonly name: string;
  readonly missing: readonly string[];
  /** Slack's code where it refuses the token. */
  readonly refusal: string | undefined;
}

/** Looks at each workspace and organization that has installed the app: its token, and the scopes it granted. */
async function checkInstallations(client: webApi.WebClient, config: Config): Promise<Finding[]> {
  const subject = 'Slack installations';
  const vault = vaultOf(config.DATABASE_URL, config.ENCRYPTION_KEY);
  const stored = await kept(config.DATABASE_URL, 'slack', 'installation ');
  const installations = stored
    .flatMap((one) => installationIn(one, vault))
    .filter(({ team, enterprise }) => isAllowed(config.ALLOWED_TEAMS, [team?.id, enterprise?.id]))
    .toSorted((one, other) => other.installedAt - one.installedAt);
  if (installations.length === 0) return [fine(subject, 'Nobody has installed the app yet.')];
  const states = await Promise.all(
    installations.map((one, index) => (index < mostAsked ? askedOf(client, one) : stateOf(one, one.scopes))),
  );
  const faulty = states.filter(({ refusal, missing }) => refusal !== undefined || missing.length > 0);
  const others = faulty.length - named;
  const more = `${others === 1 ? '1 more installation has' : `${others} more installations have`} the same problem.`;
  const well = states.length - faulty.length;
  return [
    ...(well > 0 ? [fine(subject, `${well} of ${states.length} have all scopes of the manifest.`)] : []),
    ...faulty.slice(0, named).map(findingOf),
    ...(others > 0 ? [wrong('Slack scopes elsewhere', more, reinstall)] : []),
  ];
}

const reinstall = `${pasteManifest}, and ${installThereAgain}`;

function findingOf({ name, missing, refusal }: State): Finding {
  return refusal === undefined
    ? wrong(`Slack scopes in ${name}`, lacks(missing), reinstall)
    : wrong(`Slack token of ${name}`, `Slack refuses it (${refusal}).`, installThereAgain);
}

/** What Slack says of a token counts; where it doesn't answer, what was granted at the installation. */
async function askedOf(client: webApi.WebClient, installation: Installation): Promise<State> {
  try {
    const me = await client.auth.test({ token: installation.token });
    return stateOf(installation, me.response_metadata?.scopes ?? installation.scopes);
  } catch (error) {
    return stateOf(installation, installation.scopes, isAccessLost(error) ? slackCode(error) : undefined);
  }
}

function stateOf({ team, enterprise }: Installation, scopes: readonly string[], refusal?: string): State {
  const { id = '', name = id } = team ?? enterprise ?? {};
  return { name: `${inOneLine(name)} (${id})`, missing: missingScopes(scopes), refusal };
}

/** A workspace's name is chosen by its admins, so it may contain anything. */
function inOneLine(name: string): string {
  return name.replace(/\p{C}/gu, '').slice(0, 80);
}

/** Tokens that can't be opened are told by the check of the database. */
function installationIn({ key, value }: StoredValue, vault: Vault): Installation[] {
  const installation = value as Installation | undefined;
  if (installation === undefined || !/^installation (?:team|enterprise) /.test(key)) return [];
  if (!Vault.isSealed(installation.token)) return [installation];
  try {
    return [{ ...installation, token: vault.open(installation.token, `slack ${key}`) }];
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    return [];
  }
}

/** Whether the bot runs there (`ALLOWED_TEAMS`). */
function isAllowed(allowed: readonly string[] | undefined, ids: readonly (string | undefined)[]): boolean {
  return allowed === undefined || ids.some((id) => id !== undefined && allowed.includes(id));
}

/**
 * The bot's tokens can't read the app's settings (apps.manifest.export takes only a configuration token). Of one
 * event Slack tells the running bot, or the live check, that it is missing.
 */
export async function checkEvents(databaseUrl: string): Promise<Finding> {
  const subject = 'Slack events';
  const { stopEvent } = slackFeatures;
  const stored = await kept(databaseUrl, 'capability-slack', '');
  const lacking = stored
    .filter(({ key, value }) => key.endsWith(` ${stopEvent}`) && value === 'refused')
    .map(({ key }) => key.slice(0, -stopEvent.length - 1));
  if (lacking.length > 0)
    return wrong(
      subject,
      `The app doesn’t get agent_session_stopped, so Slack doesn’t show its own Stop button (seen in ${counted(lacking)}).`,
      lackedEvent,
    );
  return fine(
    subject,
    `No token lists the app’s events. It needs ${botEvents.join(', ')}. Compare at ${appsPage}, page Event Subscriptions, or ${pasteManifest}.`,
  );
}

/** One workspace by its id, more by their number: the event is a setting of the app, not of a workspace. */
function counted([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${more.length + 1} workspaces`;
}

function lacks(scopes: readonly string[]): string {
  return `These are missing: ${scopes.join(', ')}.`;
}

function refused(subject: string, what: string, error: unknown, mend: string): Finding {
  const code = slackCode(error);
  if (code !== undefined) return wrong(subject, `Slack refuses ${what} (${code}).`, mend);
  const seconds = retryAfter(error);
  if (seconds !== undefined)
    return wrong(subject, 'Slack is limiting the app’s requests right now.', `wait ${seconds} seconds`);
  if (!isAnswerLost(error)) throw error;
  return wrong(
    subject,
    `Slack can’t be reached${codeOf(error)}, or has trouble itself.`,
    'check SLACK_API_URL and the connection to it (network, firewall, DNS)',
  );
}

/** What the bot keeps; nothing where the database can't be read, which is told by the check of the database. */
async function kept(url: string, namespace: string, prefix: string): Promise<readonly StoredValue[]> {
  return storedValues(url, namespace, prefix).catch(() => []);
}

/** What Slack asks of apps in its Marketplace. */
function listing(config: Config): Finding[] {
  const { SLACK_SIGNING_SECRET: secret, SLACK_CLIENT_ID: client, PRIVACY_URL: privacy } = config;
  return [
    secret !== undefined && client !== undefined
      ? fine('Slack Marketplace', 'Events come over HTTP, and workspaces install the app themselves.')
      : caution(
          'Slack Marketplace',
          'Apps with Socket Mode, or of one workspace, aren’t listed.',
          `set SLACK_SIGNING_SECRET and SLACK_CLIENT_ID, and use the manifest of npm run slack:manifest with the bot’s address; the page to install it is ${paths.install}`,
        ),
    privacy === undefined
      ? caution(
          'Slack privacy policy',
          'PRIVACY_URL isn’t set.',
          'publish docs/privacy.md with your details and set PRIVACY_URL',
        )
      : fine('Slack privacy policy', `/privacy links ${privacy}.`),
    fine(
      'Slack reasons for scopes',
      `Each has a reason.${Object.entries(botScopes)
        .map(([scope, why]) => `\n  - ${scope}: ${why}`)
        .join('')}`,
    ),
    caution(
      'Slack review',
      'These only you can do.',
      'have the app in use in ten workspaces, publish a page about it and one for support, and give the reviewers a way to try it (docs/listing.md)',
    ),
  ];
}
