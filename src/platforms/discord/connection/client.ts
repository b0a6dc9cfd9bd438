import {
  ActivityType,
  type APIGatewayBotInfo,
  Client,
  type ClientOptions,
  Events,
  GatewayIntentBits,
  Options,
  Partials,
} from 'discord.js';
import type { IdentifyThrottle } from './identify-throttle.ts';
import { shardingStrategy } from './sharding-strategy.ts';

const hour = 3600;

/** Structures that the bot never looks up after their event: they aren't cached. */
const unused = {
  ApplicationCommandManager: 0,
  ApplicationEmojiManager: 0,
  AutoModerationRuleManager: 0,
  BaseGuildEmojiManager: 0,
  DMMessageManager: 0,
  EntitlementManager: 0,
  GuildBanManager: 0,
  GuildEmojiManager: 0,
  GuildForumThreadManager: 0,
  GuildInviteManager: 0,
  GuildMessageManager: 0,
  GuildScheduledEventManager: 0,
  GuildStickerManager: 0,
  MessageManager: 0,
  PresenceManager: 0,
  ReactionManager: 0,
  ReactionUserManager: 0,
  StageInstanceManager: 0,
  ThreadMemberManager: 0,
  UserManager: 0,
  VoiceStateManager: 0,
} as const;

/**
 * What people see below the bot's name: “Listening to /help”, in the language of their own client. It's part of the
 * log-in, so that it costs no sends of its own, and it holds for as long as the session does.
 */
const presence = { activities: [{ type: ActivityType.Listening, name: '/help' }] };

/** The one shard of a client. */
export interface ShardOptions {
  readonly id: number;
  /** Number of shards in all. */
  readonly count: number;
  readonly gateway: APIGatewayBotInfo;
  /** Asks for the privileged intent MESSAGE_CONTENT. */
  readonly messageContent?: boolean;
  /** Shared with the other shards of the process. */
  readonly throttle: IdentifyThrottle;
}

/** What all of the library's clients have in common: caches of servers, channels and roles only. */
export function libraryOptions(apiUrl: string, messageContent = false): ClientOptions {
  return {
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.DirectMessages,
      ...(messageContent ? [GatewayIntentBits.MessageContent] : []),
    ],
    partials: [Partials.Channel],
    allowedMentions: { parse: [] },
    rest: { api: apiUrl.replace(/\/$/, ''), version: '10' },
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      ...unused,
      // The bot itself, and the author of the message that is being handled.
      GuildMemberManager: { maxSize: 2, keepOverLimit: ({ id, client }) => id === client.user.id },
    }),
    sweepers: { threads: { interval: hour, lifetime: hour } },
  };
}

/**
 * The library's client with three intents, and a privileged fourth one only if asked for. Requests go through
 * `DiscordApi`. It's ready as soon as Discord has listed its servers: a command has to be answered within three seconds,
 * so it doesn't wait for the data of a thousand servers, or of one in an outage.
 */
export function createClient(
  apiUrl: string,
  { id, count, gateway, throttle, messageContent }: ShardOptions,
): Client {
  const client = new Client({
    ...libraryOptions(apiUrl, messageContent),
    presence,
    waitGuildTimeout: 0,
    ws: {
      buildStrategy: (manager) => shardingStrategy(manager, gateway),
      buildIdentifyThrottler: () => throttle,
    },
    shards: [id],
    shardCount: count,
  });
  skipUnreadableEvents(client);
  return client;
}

/** The library caches every direct message channel for good; its event has been read by now. */
export function forgetDirectChannel({ channels }: Client, id: string | null): void {
  if (id !== null && channels.cache.get(id)?.isDMBased()) channels.cache.delete(id);
}

/** The part of the library that handles events, which its types don't show. */
interface PacketHandler {
  handlePacket(packet?: { readonly t?: unknown }, shard?: unknown): boolean;
}

/**
 * An event that can't be read becomes an error event of the client: thrown where the library handles it, nothing would
 * catch it, and the process would end.
 */
function skipUnreadableEvents(client: Client): void {
  const gateway = client.ws as unknown as PacketHandler;
  const handle = gateway.handlePacket.bind(gateway);
  gateway.handlePacket = (packet, shard) => {
    try {
      return handle(packet, shard);
    } catch (error) {
      client.emit(
        Events.Error,
        new Error(`an event (${String(packet?.t)}) cannot be read`, { cause: error }),
      );
      return true;
    }
  };
}
