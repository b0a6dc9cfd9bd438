import { REST } from '@discordjs/rest';
import { CloseCodes, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import {
  type APIChannel,
  type APIGatewayBotInfo,
  ChannelType,
  type GatewayDispatchPayload,
  GatewayIntentBits,
  InteractionResponseType,
  MessageFlags,
  Routes,
} from 'discord-api-types/v10';
import { once } from '../../lib/clock.ts';
import { DiscordApi } from '../../platforms/discord/api/api.ts';
import { errorCode } from '../../platforms/discord/api/errors.ts';
import { makeRequest } from '../../platforms/discord/api/rest.ts';
import { shardOf } from '../../platforms/discord/servers/known-servers.ts';
import {
  type CheckOptions,
  type CheckResult,
  CleanUp,
  Ended,
  failureToConnect,
  type Help,
  needs,
  nobodyHelps,
  runSteps,
} from '../run-steps.ts';
import { answer, askForPress, type DiscordChannel, removeLeftovers } from './channel.ts';
import { personSteps } from './person-steps.ts';
import { explain, unaidedSteps } from './steps.ts';

/** All steps on Discord, in order. */
export const steps = [...unaidedSteps, ...personSteps];

/** Milliseconds that a request may take: 20 MiB on a slow line. */
const requestTimeout = 120_000;
/** Milliseconds to wait for a rate limit at most; a longer one is reported. */
const longestWait = 20_000;

/**
 * Tries the steps on Discord.
 * @throws {Ended} if the token or the channel can't be used.
 */
export async function check(options: CheckOptions): Promise<CheckResult> {
  const { DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl } = options.config;
  if (token === undefined) throw new Ended(needs('DISCORD_TOKEN is not set.'));
  const api = new DiscordApi({ token, apiUrl });
  const rest = new REST({
    api: apiUrl.replace(/\/$/, ''),
    version: '10',
    timeout: requestTimeout,
    makeRequest,
    rejectOnRateLimit: ({ retryAfter, timeToReset }) => Math.max(retryAfter, timeToReset) > longestWait,
  }).setToken(token);
  try {
    const channel = await open(options, token, api, rest).catch(async (error: unknown) => {
      throw error instanceof Ended ? error : new Ended(needs(`Discord: ${(await explain(error)).text}`));
    });
    return await runSteps(channel, steps, (error, step) => explain(error, step, channel), options);
  } finally {
    api.close();
    rest.clearHashSweeper();
    rest.clearHandlerSweeper();
  }
}

async function open(
  { channel: id, helper }: CheckOptions,
  token: string,
  api: DiscordApi,
  rest: REST,
): Promise<DiscordChannel> {
  const { id: application, bot, interactions_endpoint_url: endpoint } = await api.application();
  const workspace = await serverOf(rest, id);
  const gateway = helper && (await connect(token, rest, workspace));
  const help = helper && gateway ? { helper, endpoint, listen: listenTo(gateway) } : nobodyHelps;
  const cleanUp = new CleanUp();
  const firstPress = once(async () => {
    const press = await askForPress(channel, 'Press me');
    const type = InteractionResponseType.DeferredChannelMessageWithSource;
    await answer(channel, press, { flags: MessageFlags.Ephemeral }, type);
    return press;
  });
  const me = bot?.id ?? application;
  const channel: DiscordChannel = { id, workspace, me, rest, api, help, firstPress, cleanUp };
  cleanUp.add('the connection', async () => gateway?.destroy({ code: CloseCodes.Normal }));
  cleanUp.add('messages whose responses were lost', () => removeLeftovers(channel));
  return channel;
}

/** The server of a text channel. */
async function serverOf(rest: REST, id: string): Promise<string> {
  const channel = (await rest.get(Routes.channel(id)).catch((error: unknown) => {
    const code = errorCode(error);
    if (code === undefined || code === 0) throw error;
    const mend =
      'Copy its id with “Copy Channel ID” (developer mode), and give the bot’s role View Channel there.';
    throw new Ended(needs(`Discord: there is no channel ${id}, or the bot can’t see it (${code}). ${mend}`));
  })) as APIChannel;
  if (channel.type === ChannelType.GuildText && channel.guild_id !== undefined) return channel.guild_id;
  throw new Ended(needs(`Discord: ${id} isn’t a text channel of a server. Use one of your own.`));
}

/** Logs in to the gateway for this server, besides the running bot: Discord sends all events to both. */
async function connect(token: string, rest: REST, serverId: string): Promise<WebSocketManager> {
  const { shards: shardCount } = (await rest.get(Routes.gatewayBot())) as APIGatewayBotInfo;
  const gateway = new WebSocketManager({
    ...{ token, rest, shardCount, compression: null },
    intents: GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages,
    shardIds: [shardOf(serverId, shardCount)],
  });
  // A failure to connect comes as the promise's, too; later ones mean that nothing arrives.
  gateway.on(WebSocketShardEvents.Error, () => {});
  const failure = await failureToConnect(gateway.connect());
  if (failure === undefined) return gateway;
  await gateway.destroy();
  throw new Ended(needs(`Discord: the gateway refused the bot (${failure})`));
}

function listenTo(gateway: WebSocketManager): Help<GatewayDispatchPayload>['listen'] {
  return (listener) => {
    const onDispatch = ({ data }: { readonly data: GatewayDispatchPayload }) => listener(data);
    gateway.on(WebSocketShardEvents.Dispatch, onDispatch);
    return () => gateway.off(WebSocketShardEvents.Dispatch, onDispatch);
  };
}
