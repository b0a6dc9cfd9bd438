import { type APIApplication, ApplicationFlags } from 'discord-api-types/v10';
import type { Config } from '../config/config.ts';
import { botScopes, paths } from '../platforms/slack/setup/manifest.ts';
import { caution, type Finding, fine } from './finding.ts';

/** From how many servers a bot can ask for verification, and how many it can join without (Discord’s help: Bot Verification). */
const [verifiedFrom, mostUnverified] = [75, 100];

/** What Discord asks of verified bots: what holds, and what the operator still has to do. */
export function discordListing(application: APIApplication, config: Config): Finding[] {
  const { id, description, approximate_guild_count: servers = 0 } = application;
  const page = `https://discord.com/developers/applications/${id}/information`;
  const enter = (what: string) => `enter ${what} at ${page}`;
  return [
    servers < verifiedFrom
      ? fine(
          'Discord verification',
          `The bot is in ${servers} servers. Verification can be asked for from ${verifiedFrom} on.`,
        )
      : caution(
          'Discord verification',
          `The bot is in ${servers} servers. Unverified bots get into no more than ${mostUnverified}.`,
          `unless that’s done, ask for it at ${page}: your identity, two-factor authentication and the answers in docs/listing.md`,
        ),
    description === ''
      ? caution('Discord description', 'The application has none.', enter('one'))
      : fine('Discord description', 'The application has one.'),
    addressFinding(
      'Discord privacy policy',
      application.privacy_policy_url,
      config.PRIVACY_URL,
      enter('PRIVACY_URL'),
    ),
    addressFinding('Discord terms', application.terms_of_service_url, config.TERMS_URL, enter('TERMS_URL')),
    intentsFinding(application, config),
    fine(
      'Discord data',
      'People see, export and delete what’s kept with /privacy; docs/privacy.md has the answers.',
    ),
  ];
}

/** What Slack asks of apps in its Marketplace. */
export function slackListing(config: Config): Finding[] {
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

/** Whether a page that the platform asks for is the one that `/privacy` links. */
function addressFinding(
  subject: string,
  entered: string | undefined,
  linked: string | undefined,
  mend: string,
): Finding {
  if (!entered)
    return caution(subject, 'The application has none.', linked === undefined ? `set it, and ${mend}` : mend);
  if (linked === undefined)
    return caution(
      subject,
      `It’s ${entered}, and /privacy doesn’t link it.`,
      'set it in the environment, too',
    );
  return fine(subject, `It’s ${entered}.`);
}

function intentsFinding({ flags }: APIApplication, { DISCORD_MESSAGE_CONTENT: content }: Config): Finding {
  const subject = 'Discord intents';
  if (content !== 'on') return fine(subject, 'The bot asks for none that needs a reason.');
  const why = 'so that people can go on without a mention in threads that the bot opened';
  if (((flags ?? 0) & ApplicationFlags.GatewayMessageContent) !== 0)
    return fine(subject, `Message content is approved: it’s ${why}.`);
  return caution(
    subject,
    'Message content needs a reason once the bot is verified.',
    `give this one: ${why}; or turn DISCORD_MESSAGE_CONTENT off`,
  );
}
