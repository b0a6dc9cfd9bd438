import { DiscordAPIError, HTTPError, RateLimitError, REST } from '@discordjs/rest';
import {
  type APIApplication,
  type APIApplicationCommand,
  type APIGatewayBotInfo,
  ApplicationFlags,
  type RESTAPIPartialCurrentUserGuild,
  Routes,
} from 'discord-api-types/v10';
import type { Config } from '../config/config.ts';
import { makeRequest } from '../platforms/discord/api/rest.ts';
import { isDefinedHere } from '../platforms/discord/commands/registration.ts';
import { usesGateway } from '../platforms/discord/connection/gateway.ts';
import { interactionsPath } from '../platforms/discord/connection/interactions-endpoint.ts';
import {
  inviteLink,
  missingPermissions,
  type PermissionName,
  usedPermissions,
} from '../platforms/discord/servers/server.ts';
import { caution, codeOf, type Finding, fine, patience, wrong } from './finding.ts';

/** Discord takes no session whose shard would have more servers. */
const maxServersOfShard = 2_500;
/** Servers looked at: as many as Discord lists in one answer. */
const serversListed = 200;
/** Servers named one by one. */
const maxLacking = 10;
const portal = 'https://discord.com/developers/applications';

/** Looks at token, application, log-ins left, servers and what is allowed in them; none of it is changed. */
export async function checkDiscord(token: string, config: Config, withListing: boolean): Promise<Finding[]> {
  const { DISCORD_API_URL: apiUrl, DISCORD_GUILD_ID: guildId, DISCORD_SHARDS: shards } = config;
  const rest = new REST({
    api: apiUrl.replace(/\/$/, ''),
    version: '10',
    timeout: patience,
    retries: 0,
    rejectOnRateLimit: () => true,
    makeRequest,
  }).setToken(token);
  try {
    const application = (await rest.get(Routes.currentApplication())) as APIApplication;
    const [gateway, servers] = await Promise.all([
      rest.get(Routes.gatewayBot()) as Promise<APIGatewayBotInfo>,
      rest.get(Routes.userGuilds(), {
        query: new URLSearchParams({ limit: String(serversListed) }),
      }) as Promise<RESTAPIPartialCurrentUserGuild[]>,
    ]);
    return [
      checkApplication(application, config.DISCORD_PUBLIC_KEY),
      ...(usesGateway(shards) ? checkGateway(application, gateway, config) : []),
      ...checkServers(application, servers, guildId),
      ...(await checkCommands(rest, application, guildId)),
      ...(withListing ? listing(application, config) : []),
    ];
  } catch (error) {
    return [wrong('Discord', ...explained(error))];
  } finally {
    rest.clearHashSweeper();
    rest.clearHandlerSweeper();
  }
}

/** The fault, and how to mend it. */
function explained(error: unknown): [found: string, mend: string] {
  const status = error instanceof DiscordAPIError || error instanceof HTTPError ? error.status : undefined;
  if (status === 401)
    return [
      'Discord refuses DISCORD_TOKEN.',
      `set it to the bot’s token; you can reset a lost one at ${portal}, page Bot`,
    ];
  if (error instanceof RateLimitError || status === 429)
    return ['Discord is limiting the bot’s requests right now.', 'wait a few minutes'];
  if (status !== undefined)
    return [`Discord answers ${status}.`, 'check DISCORD_API_URL, or try again later'];
  return [
    `Discord can’t be reached${codeOf(error)}.`,
    'check DISCORD_API_URL and the connection to it (network, firewall, DNS)',
  ];
}

/** Whether interactions come the way that is set: over HTTP with a key and a URL, else over the gateway. */
function checkApplication(
  { name, id, interactions_endpoint_url: endpoint, verify_key: key }: APIApplication,
  publicKey: string | undefined,
): Finding {
  const page = `${portal}/${id}/information`;
  const setting = '“Interactions Endpoint URL”';
  if (publicKey === undefined && !endpoint) return fine('Discord', `DISCORD_TOKEN belongs to ${name}.`);
  if (publicKey === undefined)
    return wrong(
      'Discord',
      `${name} sends interactions to a URL instead of the bot.`,
      `clear ${setting} at ${page}; or set DISCORD_PUBLIC_KEY=${key}, if the URL is this bot’s ${interactionsPath}`,
    );
  if (publicKey.toLowerCase() !== key)
    return wrong(
      'Discord',
      `DISCORD_PUBLIC_KEY isn’t the public key of ${name}, so every interaction is refused.`,
      `set DISCORD_PUBLIC_KEY=${key}`,
    );
  if (!endpoint)
    return wrong(
      'Discord',
      `DISCORD_PUBLIC_KEY is set, but ${name} sends no interactions over HTTP.`,
      `while the bot runs, enter its public address with ${interactionsPath} as ${setting} at ${page}`,
    );
  return fine('Discord', `DISCORD_TOKEN belongs to ${name}, which sends interactions to ${endpoint}.`);
}

function checkGateway(
  { id, flags, approximate_guild_count: servers = 0 }: APIApplication,
  { session_start_limit: { remaining, total, reset_after } }: APIGatewayBotInfo,
  { DISCORD_SHARDS: shards, DISCORD_MESSAGE_CONTENT: messageContent }: Config,
): Finding[] {
  const logIns = `${remaining} of ${total} log-ins are left today.`;
  const minutes = Math.ceil(reset_after / 60_000);
  const findings = [
    remaining > 0
      ? fine('Discord log-ins', logIns)
      : wrong('Discord log-ins', logIns, `wait ${minutes} minutes, and stop what keeps restarting the bot`),
  ];
  // How many processes share the servers, where that was set by hand.
  if (shards !== 'auto' && servers > shards.count * maxServersOfShard) {
    const tooFew = shards.count === 1 ? '1 shard is' : `${shards.count} shards are`;
    const mend = `set DISCORD_SHARDS to auto, or to at least ${Math.ceil(servers / 1_000)} in total`;
    findings.push(wrong('Discord shards', `${tooFew} too few for ${servers} servers.`, mend));
  }
  if (messageContent === 'on') findings.push(checkMessageContent(id, flags ?? 0));
  return findings;
}

/** Discord closes every connection that asks for the intent while it's off (4014). */
function checkMessageContent(id: string, flags: number): Finding {
  const subject = 'Discord message content';
  const allowed = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;
  if ((flags & allowed) !== 0) return fine(subject, 'The intent is on.');
  return wrong(
    subject,
    'DISCORD_MESSAGE_CONTENT is on, but Discord doesn’t give the bot this intent.',
    `turn on “Message Content Intent” at ${portal}/${id}/bot, or set DISCORD_MESSAGE_CONTENT=off`,
  );
}

function checkServers(
  { id, approximate_user_install_count: users = 0 }: APIApplication,
  servers: readonly RESTAPIPartialCurrentUserGuild[],
  guildId: string | undefined,
): Finding[] {
  const subject = 'Discord servers';
  const invite = `invite it: ${inviteLink(id)}`;
  const isComplete = servers.length < serversListed;
  if (guildId !== undefined && isComplete && !servers.some((one) => one.id === guildId))
    return [wrong(subject, 'The bot isn’t in the server of DISCORD_GUILD_ID.', invite)];
  if (servers.length === 0 && users === 0)
    return [wrong(subject, 'The bot isn’t in any server yet.', invite)];
  const names = Object.keys(usedPermissions) as PermissionName[];
  const lacking = servers.flatMap(({ name, permissions }) => {
    const missing = missingPermissions(BigInt(permissions), names);
    const mend = `grant that to the bot’s role, or invite the bot again: ${inviteLink(id)}`;
    return missing.length === 0
      ? []
      : [wrong(subject, `The bot is missing ${missing.join(', ')} in ${name}.`, mend)];
  });
  if (lacking.length > 0) return lacking.slice(0, maxLacking);
  const where = isComplete ? `${servers.length}` : `the first ${servers.length}`;
  return [fine(subject, `The bot has every permission it uses, in ${where} of its servers.`)];
}

/** Commands that are registered everywhere and in a server are listed twice there. */
async function checkCommands(
  rest: REST,
  { id }: APIApplication,
  guildId: string | undefined,
): Promise<Finding[]> {
  if (guildId === undefined) return [];
  const everywhere = (await rest.get(Routes.applicationCommands(id))) as APIApplicationCommand[];
  if (!everywhere.some(isDefinedHere)) return [];
  return [
    wrong(
      'Discord commands',
      'They are also registered everywhere, so the server of DISCORD_GUILD_ID lists them twice.',
      'for production, remove DISCORD_GUILD_ID and start the bot, which removes those of that server; for development, use an application of its own',
    ),
  ];
}

/** From how many servers a bot can ask for verification, and how many it can join without (Discord’s help: Bot Verification). */
const [verifiedFrom, mostUnverified] = [75, 100];

/** What Discord asks of verified bots: what holds, and what the operator still has to do. */
function listing(application: APIApplication, config: Config): Finding[] {
  const { id, description, approximate_guild_count: servers = 0 } = application;
  const page = `${portal}/${id}/information`;
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
