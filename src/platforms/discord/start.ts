import type Keyv from 'keyv';
import type { Clock } from '../../lib/clock.ts';
import type { Capabilities, Dispatcher, Platform } from '../../port/index.ts';
import { createFirstTime } from '../../store/index.ts';
import { DiscordApi } from './api/api.ts';
import { isExpired } from './api/errors.ts';
import { Mentions } from './api/mentions.ts';
import { RateLimits } from './api/rate-limits.ts';
import { Registration } from './commands/registration.ts';
import { AllowedServers } from './connection/allowed-servers.ts';
import { Connection } from './connection/connection.ts';
import { GatewayCache } from './connection/gateway-cache.ts';
import type { Log } from './connection/log.ts';
import { ownersOf } from './connection/owners.ts';
import { requestShare, type Shards } from './connection/shards.ts';
import { type Download, download } from './media/download.ts';
import { DiscordAdapter } from './post/adapter.ts';
import { createServices, type DiscordServices } from './post/services.ts';
import { Interactions } from './receive/interactions.ts';
import { Messages } from './receive/messages.ts';
import type { ReceiverDependencies } from './receive/receiver-dependencies.ts';
import { RecentEvents } from './receive/recent-events.ts';
import { Welcome } from './receive/welcome.ts';
import { DiscordReply } from './reply/reply.ts';

export interface DiscordOptions<Dependencies> {
  readonly token: string;
  /** REST root; the gateway's address is asked for there. */
  readonly apiUrl: string;
  /** Registers the commands in this server only. */
  readonly guildId?: string;
  readonly shards: Shards;
  /** Asks for the privileged intent MESSAGE_CONTENT: then nobody has to mention the bot in its own threads. */
  readonly messageContent?: boolean;
  /** The servers where the bot works; every server if absent. */
  readonly allowedGuilds?: readonly string[];
  /** Whether a person is one of the bot's operators. */
  readonly isOperator: (person: string) => Promise<boolean>;
  readonly dispatcher: Pick<
    Dispatcher<Dependencies>,
    'commands' | 'takeTurn' | 'prepare' | 'prepareFromMessage' | 'preparePress' | 'suggest'
  >;
  /** Records of what was posted. */
  readonly records: Keyv;
  /** What servers were found to allow. */
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  readonly log: Log;
  /** How much other people's words may add to a question, in estimated tokens. */
  readonly contextTokens: number;
  /** Reads files that people attached; from Discord's own hosts by default. */
  readonly download?: Download;
}

/** Starts Discord. It connects in the background, so that an outage of Discord doesn't stop the rest of the bot. */
export function startDiscord<Dependencies>(options: DiscordOptions<Dependencies>): Platform {
  const { token, apiUrl, shards, clock, log } = options;
  const api = new DiscordApi({ token, apiUrl, share: requestShare(shards), clock });
  const mentions = new Mentions({
    guildId: options.guildId,
    isRole: (guildId, id) => connection.guild(guildId)?.roles.cache.has(id) === true,
  });
  const registration = new Registration({
    api,
    commands: options.dispatcher.commands,
    guildId: options.guildId,
    onRegistered: (registered) => mentions.learn(registered),
    clock,
    log,
  });
  const services = createServices({
    ...options,
    api,
    applicationId: () => connection.applicationId,
    mentions,
    gateway: new GatewayCache(
      { guild: (id) => connection.guild(id), channel: (id) => connection.channel(id) },
      clock,
    ),
    download: options.download ?? download,
  });
  const receiving = receiverDependencies(options, services, () => connection.readsAll);
  const interactions = new Interactions(receiving);
  const messages = new Messages(receiving);
  const welcome = new Welcome({ ...services, records: options.records, clock, log });
  const isCommandsServer = (id: string) => options.guildId === undefined || options.guildId === id;
  const logFailure = (error: unknown) =>
    isExpired(error)
      ? log.warn({ error }, 'an interaction reached the bot too late, or took too long to acknowledge')
      : log.error({ error }, 'an event from Discord failed');
  const connection = new Connection({
    token,
    apiUrl,
    api,
    shards,
    ...(options.messageContent && { messageContent: true }),
    clock,
    log,
    onReady: ({ application }) => void registration.begin(application.id),
    onServer: (guild) => {
      if (!receiving.allowedServers.allows(guild.id)) void receiving.allowedServers.leaveIfNotAllowed(guild);
      else if (isCommandsServer(guild.id)) void welcome.greetIfNew(guild);
    },
    onInteraction: (interaction) => void interactions.handle(interaction).catch(logFailure),
    onMessage: (...message) => void messages.handle(...message).catch(logFailure),
  });
  connection.open();
  return {
    adapter: new DiscordAdapter(services),
    operators: async () => ownersOf(await api.application()),
    notReady: () => connection.notReady(),
    stopReceiving: () => connection.close(),
    close: async () => {
      registration.close();
      api.close();
    },
  };
}

function receiverDependencies<Dependencies>(
  options: DiscordOptions<Dependencies>,
  services: DiscordServices,
  readsAll: () => boolean,
): ReceiverDependencies {
  const { api, clock, mentions, gateway, voiceMessages, media, rememberedMessages } = services;
  const { log } = options;
  const firstTime = createFirstTime(options.records);
  const rateLimits = new RateLimits(clock, api);
  return {
    ...services,
    dispatcher: options.dispatcher,
    contextTokens: options.contextTokens,
    recentEvents: new RecentEvents(),
    firstTime,
    readsAll,
    allowedServers: new AllowedServers({
      guilds: options.allowedGuilds,
      isOperator: options.isOperator,
      api,
      canPost: (channelId) => gateway.missingToPost(channelId).length === 0,
      firstTime,
      log,
    }),
    openReply: (target, locale, headers = {}) =>
      new DiscordReply(
        {
          voiceMessages,
          media,
          rememberedMessages,
          mentions,
          live: { clock, rateLimits, rememberedMessages, log },
        },
        { target, locale, ...headers },
      ),
  };
}
