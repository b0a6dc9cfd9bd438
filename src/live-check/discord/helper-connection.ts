import {
  type APIGatewayBotInfo,
  Client,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  GatewayIntentBits,
  type GatewayMessageCreateDispatchData,
  type Interaction,
  InteractionResponseType,
  type Message,
  MessageFlags,
  Events as On,
  Partials,
  Routes,
  ShardClientUtil,
} from 'discord.js';
import { NeedsOperator } from '../needs-operator.ts';
import type { DiscordContext, HelperSession } from './context.ts';

/** Milliseconds that connecting may take. */
const connectTimeout = 30_000;

/**
 * Logs in to the gateway for this server, besides the running bot: Discord sends all events to both.
 * @throws {NeedsOperator} if Discord refuses.
 */
export async function connectToGateway(
  { apiUrl, token, guildId }: { readonly apiUrl: string; readonly token: string; readonly guildId: string },
  { shards: shardCount }: APIGatewayBotInfo,
): Promise<Client<true>> {
  const client = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages],
    partials: [Partials.Channel],
    rest: { api: apiUrl.replace(/\/$/, ''), version: '10' },
    waitGuildTimeout: 0,
    shards: [ShardClientUtil.shardIdForGuildId(guildId, shardCount)],
    shardCount,
  });
  client.on(On.Error, () => {});
  try {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no answer')), connectTimeout);
      client.once(On.ClientReady, (ready) => {
        clearTimeout(timer);
        resolve(ready);
      });
      client.login(token).catch((error: unknown) => {
        clearTimeout(timer);
        reject(error);
      });
    });
  } catch (error) {
    await client.destroy();
    const why = error instanceof Error ? error.message : String(error);
    throw new NeedsOperator(`Discord: the gateway refused the bot (${why})`);
  }
}

/** Waits for a matching interaction in the channel. */
export function waitForInteraction<T extends Interaction>(
  { channelId }: Pick<DiscordContext, 'channelId'>,
  session: HelperSession,
  request: string,
  matches: (interaction: Interaction) => interaction is T,
): Promise<T | undefined> {
  const matchesHere = (each: Interaction): each is T => each.channelId === channelId && matches(each);
  return waitForInteractionAnywhere(session, request, matchesHere);
}

/** Discord sends interactions to a URL, so that the check gets none. */
export class SentElsewhereError extends Error {}

/**
 * Waits for a matching interaction anywhere.
 * @throws {SentElsewhereError}
 */
export async function waitForInteractionAnywhere<T extends Interaction>(
  { helper, client, endpoint }: HelperSession,
  request: string,
  matches: (interaction: Interaction) => interaction is T,
): Promise<T | undefined> {
  if (endpoint !== undefined) throw new SentElsewhereError();
  return helper.wait<T>(request, (resolve) => {
    const listener = (interaction: Interaction) => {
      if (matches(interaction)) resolve(interaction);
    };
    client.on(On.InteractionCreate, listener);
    return () => client.off(On.InteractionCreate, listener);
  });
}

/** Waits for a person's matching message in the channel. */
export function waitForMessage(
  { channelId }: DiscordContext,
  { helper, client }: HelperSession,
  request: string,
  matches: (message: Message) => boolean,
): Promise<Message | undefined> {
  return helper.wait<Message>(request, (resolve) => {
    const listener = (message: Message) => {
      if (message.channelId === channelId && !message.author.bot && matches(message)) resolve(message);
    };
    client.on(On.MessageCreate, listener);
    return () => client.off(On.MessageCreate, listener);
  });
}

/**
 * Waits for a person's matching message in the channel, and returns the gateway's payload: it includes parts of other
 * messages that the library drops.
 */
export function waitForGatewayMessage(
  { channelId }: DiscordContext,
  { helper, client }: HelperSession,
  request: string,
  matches: (message: GatewayMessageCreateDispatchData) => boolean,
): Promise<GatewayMessageCreateDispatchData | undefined> {
  return helper.wait<GatewayMessageCreateDispatchData>(request, (resolve) => {
    const listener = ({ t, d }: GatewayDispatchPayload) => {
      if (t !== GatewayDispatchEvents.MessageCreate) return;
      if (d.channel_id === channelId && d.author.bot !== true && matches(d)) resolve(d);
    };
    client.on(On.Raw, listener);
    return () => client.off(On.Raw, listener);
  });
}

/** Answers an interaction with a message that only its author sees, and that is deleted at the end. */
export async function acknowledge(
  { rest, cleanUp }: DiscordContext,
  interaction: Interaction,
): Promise<void> {
  await rest.post(Routes.interactionCallback(interaction.id, interaction.token), {
    body: {
      type: InteractionResponseType.ChannelMessageWithSource,
      data: { content: 'Thank you.', flags: MessageFlags.Ephemeral },
    },
    auth: false,
  });
  const answer = Routes.webhookMessage(interaction.applicationId, interaction.token, '@original');
  cleanUp.add('a message that only you see', () => rest.delete(answer, { auth: false }));
}
