import {
  type APIGatewayBotInfo,
  type Client,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  type GatewayMessageCreateDispatchData,
  type Interaction,
  InteractionResponseType,
  type Message,
  MessageFlags,
  Events as On,
  Routes,
  ShardClientUtil,
} from 'discord.js';
import { systemClock } from '../../lib/clock.ts';
import { createClient } from '../../platforms/discord/connection/client.ts';
import { IdentifyThrottle } from '../../platforms/discord/connection/identify-throttle.ts';
import { NeedsOperator } from '../needs-operator.ts';
import type { DiscordContext, Helping } from './context.ts';

/** How long the gateway may take, in milliseconds. */
const patience = 30_000;

/**
 * Logs in beside the bot, for the server alone: Discord sends everything to both.
 * @throws {NeedsOperator} where Discord does not let it in.
 */
export async function connectToGateway(
  { apiUrl, token, guildId }: { readonly apiUrl: string; readonly token: string; readonly guildId: string },
  gateway: APIGatewayBotInfo,
): Promise<Client<true>> {
  const throttle = new IdentifyThrottle(systemClock);
  throttle.learn(gateway.session_start_limit);
  const count = gateway.shards;
  const id = ShardClientUtil.shardIdForGuildId(guildId, count);
  const client = createClient(apiUrl, { id, count, gateway, throttle });
  client.on(On.Error, () => {});
  try {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no answer')), patience);
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
    throw new NeedsOperator(`Discord: the gateway does not let the bot in (${why})`);
  }
}

/** Waits for an interaction in the channel that `fits`. */
export function waitForInteraction<T extends Interaction>(
  { channelId }: Pick<DiscordContext, 'channelId'>,
  company: Helping,
  request: string,
  fits: (interaction: Interaction) => interaction is T,
): Promise<T | undefined> {
  const here = (one: Interaction): one is T => one.channelId === channelId && fits(one);
  return waitForInteractionAnywhere(company, request, here);
}

/** Waits for an interaction that `fits`, wherever it is. */
export function waitForInteractionAnywhere<T extends Interaction>(
  { helper, client }: Helping,
  request: string,
  fits: (interaction: Interaction) => interaction is T,
): Promise<T | undefined> {
  return helper.wait<T>(request, (take) => {
    const listener = (interaction: Interaction) => {
      if (fits(interaction)) take(interaction);
    };
    client.on(On.InteractionCreate, listener);
    return () => client.off(On.InteractionCreate, listener);
  });
}

/** Waits for a person's message in the channel that `fits`. */
export function waitForMessage(
  { channelId }: DiscordContext,
  { helper, client }: Helping,
  request: string,
  fits: (message: Message) => boolean,
): Promise<Message | undefined> {
  return helper.wait<Message>(request, (take) => {
    const listener = (message: Message) => {
      if (message.channelId === channelId && !message.author.bot && fits(message)) take(message);
    };
    client.on(On.MessageCreate, listener);
    return () => client.off(On.MessageCreate, listener);
  });
}

/**
 * Waits for a person's message in the channel as the gateway sends it: with what of other messages comes along, which
 * the library does not keep.
 */
export function waitForGatewayMessage(
  { channelId }: DiscordContext,
  { helper, client }: Helping,
  request: string,
  fits: (message: GatewayMessageCreateDispatchData) => boolean,
): Promise<GatewayMessageCreateDispatchData | undefined> {
  return helper.wait<GatewayMessageCreateDispatchData>(request, (take) => {
    const listener = ({ t, d }: GatewayDispatchPayload) => {
      if (t !== GatewayDispatchEvents.MessageCreate) return;
      if (d.channel_id === channelId && d.author.bot !== true && fits(d)) take(d);
    };
    client.on(On.Raw, listener);
    return () => client.off(On.Raw, listener);
  });
}

/** Acknowledges an interaction with a word that only its author sees, and that is gone in the end. */
export async function acknowledge({ rest, cleanUp }: DiscordContext, given: Interaction): Promise<void> {
  await rest.post(Routes.interactionCallback(given.id, given.token), {
    body: {
      type: InteractionResponseType.ChannelMessageWithSource,
      data: { content: 'Thank you.', flags: MessageFlags.Ephemeral },
    },
    auth: false,
  });
  const answer = Routes.webhookMessage(given.applicationId, given.token, '@original');
  cleanUp.later('an answer that only you see', () => rest.delete(answer, { auth: false }));
}
