import {
  type APIApplication,
  type APIApplicationCommand,
  type APIGatewayBotInfo,
  ApplicationFlags,
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  REST,
  type RESTAPIPartialCurrentUserGuild,
  Routes,
} from 'discord.js';
import { makeRequest } from '../platforms/discord/api/make-request.ts';
import {
  inviteLink,
  missingPermissions,
  type PermissionName,
  usedPermissions,
} from '../platforms/discord/api/permissions.ts';
import { isDefinedHere } from '../platforms/discord/commands/registration.ts';
import { interactionsPath } from '../platforms/discord/connection/http/interactions-endpoint.ts';
import { type Shards, usesGateway } from '../platforms/discord/connection/shards.ts';
import { type Finding, fine, patience, wrong } from './finding.ts';

export interface DiscordToCheck {
  readonly token: string;
  readonly apiUrl: string;
  readonly guildId: string | undefined;
  readonly shards: Shards;
  /** DISCORD_PUBLIC_KEY. */
  readonly publicKey: string | undefined;
  /** DISCORD_MESSAGE_CONTENT is on. */
  readonly messageContent?: boolean;
}

/** Discord takes no session whose shard would have more servers. */
const maxServersOfShard = 2_500;
/** Servers looked at: as many as Discord lists in one answer. */
const serversListed = 200;
const portal = 'https://discord.com/developers/applications';

/** Looks at token, application, log-ins left, servers and what is allowed in them; none of it is changed. */
export async function checkDiscord(given: DiscordToCheck): Promise<Finding[]> {
  const rest = new REST({
    api: given.apiUrl.replace(/\/$/, ''),
    version: '10',
    timeout: patience,
    retries: 0,
    rejectOnRateLimit: () => true,
    makeRequest,
  }).setToken(given.token);
  try {
    const application = (await rest.get(Routes.currentApplication())) as APIApplication;
    const [gateway, servers] = await Promise.all([
      rest.get(Routes.gatewayBot()) as Promise<APIGatewayBotInfo>,
      rest.get(Routes.userGuilds(), {
        query: new URLSearchParams({ limit: String(serversListed) }),
      }) as Promise<RESTAPIPartialCurrentUserGuild[]>,
    ]);
    return [
      checkApplication(application, given.publicKey),
      ...(usesGateway(given.shards) ? checkGateway(application, gateway, given) : []),
      ...checkServers(application, servers, given.guildId),
      ...(await checkCommands(rest, application, given.guildId)),
    ];
  } catch (error) {
    return [failed(error)];
  } finally {
    rest.clearHashSweeper();
    rest.clearHandlerSweeper();
  }
}

function failed(error: unknown): Finding {
  if (error instanceof DiscordAPIError && error.status === 401)
    return wrong(
      'Discord',
      'refuses DISCORD_TOKEN',
      `set it to the bot's token; you can reset a lost one at ${portal}, page Bot`,
    );
  if (error instanceof RateLimitError || (error instanceof DiscordAPIError && error.status === 429))
    return wrong('Discord', 'is rate limiting requests right now', 'wait a few minutes');
  if (error instanceof DiscordAPIError || error instanceof HTTPError)
    return wrong('Discord', `answers ${error.status}`, 'check DISCORD_API_URL, or try again later');
  return wrong(
    'Discord',
    'cannot be reached',
    'check DISCORD_API_URL and the connection to it (network, firewall, DNS)',
  );
}

/** Whether interactions come the way that is set: over HTTP with a key and a URL, else over the gateway. */
function checkApplication(
  { name, id, interactions_endpoint_url: endpoint, verify_key: key }: APIApplication,
  publicKey: string | undefined,
): Finding {
  const page = `${portal}/${id}/information`;
  if (publicKey === undefined && !endpoint) return fine('Discord', `DISCORD_TOKEN belongs to ${name}`);
  if (publicKey === undefined)
    return wrong(
      'Discord',
      `${name} sends interactions to a URL instead of the bot`,
      `clear "Interactions Endpoint URL" at ${page}; or set DISCORD_PUBLIC_KEY=${key}, if the URL is this bot's ${interactionsPath}`,
    );
  if (publicKey.toLowerCase() !== key)
    return wrong(
      'Discord',
      `DISCORD_PUBLIC_KEY isn't the public key of ${name}, so every interaction is refused`,
      `set DISCORD_PUBLIC_KEY=${key}`,
    );
  if (!endpoint)
    return wrong(
      'Discord',
      `DISCORD_PUBLIC_KEY is set, but ${name} sends no interactions over HTTP`,
      `while the bot runs, enter its public address with ${interactionsPath} as "Interactions Endpoint URL" at ${page}`,
    );
  return fine('Discord', `DISCORD_TOKEN belongs to ${name}, which sends interactions to ${endpoint}`);
}

function checkGateway(
  application: APIApplication,
  gateway: APIGatewayBotInfo,
  { shards, messageContent }: DiscordToCheck,
): Finding[] {
  return [
    checkLogIns(gateway),
    ...checkShards(application, shards),
    ...(messageContent ? [checkMessageContent(application)] : []),
  ];
}

function checkLogIns({ session_start_limit: { remaining, total, reset_after } }: APIGatewayBotInfo): Finding {
  const left = `${remaining} of today's ${total} logins are left`;
  if (remaining > 0) return fine('Discord log-ins', left);
  const minutes = Math.ceil(reset_after / 60_000);
  return wrong('Discord log-ins', left, `wait ${minutes} minutes, and stop what keeps restarting the bot`);
}

/** How many processes share the servers, where that was set by hand. */
function checkShards({ approximate_guild_count: servers = 0 }: APIApplication, shards: Shards): Finding[] {
  if (shards === 'auto' || servers <= shards.count * maxServersOfShard) return [];
  return [
    wrong(
      'Discord shards',
      `${shards.count} shards are too few for ${servers} servers`,
      `set DISCORD_SHARDS to auto, or to at least ${Math.ceil(servers / 1_000)} in total`,
    ),
  ];
}

/** Discord closes every connection that asks for the intent while it's off (4014). */
function checkMessageContent({ id, flags }: APIApplication): Finding {
  const subject = 'Discord message content';
  const allowed = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;
  if (((flags ?? 0) & allowed) !== 0) return fine(subject, 'the intent is on');
  return wrong(
    subject,
    'DISCORD_MESSAGE_CONTENT is on, but Discord doesn’t give the bot this intent',
    `turn on "Message Content Intent" at ${portal}/${id}/bot, or set DISCORD_MESSAGE_CONTENT=off`,
  );
}

function checkServers(
  { id, approximate_user_install_count: users = 0 }: APIApplication,
  servers: readonly RESTAPIPartialCurrentUserGuild[],
  guildId: string | undefined,
): Finding[] {
  const subject = 'Discord servers';
  const invite = inviteLink(id);
  if (guildId !== undefined && servers.length < serversListed && !servers.some((one) => one.id === guildId))
    return [wrong(subject, "the bot isn't in the server of DISCORD_GUILD_ID", `invite it: ${invite}`)];
  if (servers.length === 0 && users === 0)
    return [wrong(subject, 'the bot is in none', `invite it: ${invite}`)];
  const lacking = servers
    .map(({ name, permissions }) => ({ name, missing: missingPermissions(BigInt(permissions), all) }))
    .filter(({ missing }) => missing.length > 0);
  const count = servers.length < serversListed ? `${servers.length}` : `the first ${serversListed} checked`;
  if (lacking.length === 0) return [fine(subject, `${count}; the bot has every permission it uses`)];
  return lacking
    .slice(0, maxLacking)
    .map(({ name, missing }) =>
      wrong(
        subject,
        `the bot is missing ${missing.join(', ')} in ${name}`,
        `grant it to the bot's role, or invite the bot again: ${invite}`,
      ),
    );
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
      'are registered everywhere, too: in the server of DISCORD_GUILD_ID they are listed twice',
      'for production, remove DISCORD_GUILD_ID and start the bot: it removes those of that server. For development, use an application of its own',
    ),
  ];
}

const all = Object.keys(usedPermissions) as PermissionName[];
/** Servers named one by one. */
const maxLacking = 10;
