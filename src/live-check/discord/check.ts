import {
  type APIApplication,
  type APIChannel,
  type APIGatewayBotInfo,
  ChannelType,
  Client,
  type REST,
  RESTEvents,
  Routes,
} from 'discord.js';
import { errorCode } from '../../platforms/discord/api/errors.ts';
import { makeRequest } from '../../platforms/discord/api/make-request.ts';
import { CleanUp } from '../clean-up.ts';
import type { Helper } from '../helper.ts';
import { NeedsOperator } from '../needs-operator.ts';
import type { PreparedCheck } from '../run-steps.ts';
import type { DiscordContext, HelperSession, Limit } from './context.ts';
import { connectToGateway } from './helper-connection.ts';
import { removeLeftovers } from './leftovers.ts';
import { explain } from './refusals.ts';
import { applicationSteps } from './steps/application-steps.ts';
import { fileSteps } from './steps/file-steps.ts';
import { messageSteps } from './steps/message-steps.ts';
import { personSteps } from './steps/person-steps.ts';

export interface DiscordCheckOptions {
  readonly token: string;
  readonly apiUrl: string;
  readonly channelId: string;
  /** Undefined if nobody helps. */
  readonly helper: Helper | undefined;
}

/** All steps on Discord, in order. */
export const discordSteps = [...applicationSteps, ...messageSteps, ...fileSteps, ...personSteps];

/** Milliseconds that a request may take: 20 MiB on a slow line. */
const requestTimeout = 120_000;
/** Milliseconds to wait for a rate limit at most; a longer one is reported. */
const longestWait = 20_000;

/**
 * Prepares the steps on Discord.
 * @throws {NeedsOperator} if the token or the channel can't be used.
 */
export async function prepareDiscord(options: DiscordCheckOptions): Promise<PreparedCheck<DiscordContext>> {
  const { token, apiUrl, channelId, helper } = options;
  const client = new Client({
    intents: [],
    rest: {
      api: apiUrl.replace(/\/$/, ''),
      version: '10',
      timeout: requestTimeout,
      makeRequest,
      rejectOnRateLimit: ({ retryAfter, timeToReset }) => Math.max(retryAfter, timeToReset) > longestWait,
    },
  });
  const rest = client.rest.setToken(token);
  const cleanUp = new CleanUp();
  const limits = recordLimits(rest);
  try {
    const application = (await rest.get(Routes.currentApplication())) as APIApplication;
    const guildId = guildOf(await channelAt(rest, channelId));
    const session = helper && (await openSession(helper, rest, { apiUrl, token, guildId }, application));
    cleanUp.add('the connection', async () => {
      await client.destroy();
      await session?.client.destroy();
    });
    const context: DiscordContext = {
      rest,
      client,
      applicationId: application.bot?.id ?? application.id,
      guildId,
      channelId,
      cleanUp,
      limits,
      session,
    };
    cleanUp.add('messages whose responses were lost', () => removeLeftovers(context));
    return { context, steps: discordSteps, workspace: guildId, cleanUp, explain };
  } catch (error) {
    await client.destroy();
    if (error instanceof NeedsOperator) throw error;
    throw new NeedsOperator(`Discord: ${explain(error).text}`);
  }
}

async function openSession(
  helper: Helper,
  rest: REST,
  where: Parameters<typeof connectToGateway>[0],
  { interactions_endpoint_url: endpoint }: APIApplication,
): Promise<HelperSession> {
  const gateway = (await rest.get(Routes.gatewayBot())) as APIGatewayBotInfo;
  return {
    helper,
    client: await connectToGateway(where, gateway),
    endpoint: endpoint ?? undefined,
    pressed: undefined,
  };
}

async function channelAt(rest: REST, id: string): Promise<APIChannel> {
  try {
    return (await rest.get(Routes.channel(id))) as APIChannel;
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || code === 0) throw error;
    throw new NeedsOperator(
      `Discord: there is no channel ${id}, or the bot can’t see it (${code}). Copy its id with “Copy Channel ID” (developer mode), and give the bot’s role View Channel there.`,
    );
  }
}

function guildOf(channel: APIChannel): string {
  if (channel.type === ChannelType.GuildText && channel.guild_id !== undefined) return channel.guild_id;
  throw new NeedsOperator(`Discord: ${channel.id} isn’t a text channel of a server. Use one of your own.`);
}

/** Records the rate limit headers of posted messages. */
function recordLimits(rest: REST): ReadonlyMap<string, Limit> {
  const limits = new Map<string, Limit>();
  rest.on(RESTEvents.Response, ({ method, route }, { headers }) => {
    const limit = headers.get('x-ratelimit-limit');
    const resetAfter = headers.get('x-ratelimit-reset-after');
    if (method === 'POST' && route === '/channels/:id/messages' && limit && resetAfter)
      limits.set('post', { limit, resetAfter });
  });
  return limits;
}
