import { type APIGatewayBotInfo, Client, Events, GatewayIntentBits, Options, Partials } from 'discord.js';
import type { IdentifyThrottle } from './identify-throttle.ts';
import { shardingStrategy } from './sharding-strategy.ts';

const hour = 3600;

/** Structures the bot never looks up again after their event: nothing of them is kept. */
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

/** A client's one shard. */
export interface ShardOptions {
  readonly id: number;
  /** How many there are in all. */
  readonly count: number;
  readonly gateway: APIGatewayBotInfo;
  /** Shared with the other shards of the process. */
  readonly throttle: IdentifyThrottle;
}

/**
 * The library's client: three intents, none of them privileged, and caches of servers, channels and roles
 * alone. Requests go through `DiscordApi`. It is ready as soon as Discord has said which servers it is in: a command
 * has three seconds, and those of a thousand servers, or of one in an outage, are not waited for.
 */
export function createClient(apiUrl: string, { id, count, gateway, throttle }: ShardOptions): Client {
  const client = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages],
    partials: [Partials.Channel],
    waitGuildTimeout: 0,
    ws: {
      buildStrategy: (manager) => shardingStrategy(manager, gateway),
      buildIdentifyThrottler: () => throttle,
    },
    allowedMentions: { parse: [] },
    rest: { api: apiUrl.replace(/\/$/, ''), version: '10' },
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      ...unused,
      // The bot itself, and whoever wrote the message that is just being looked at.
      GuildMemberManager: { maxSize: 2, keepOverLimit: ({ id, client }) => id === client.user.id },
    }),
    sweepers: { threads: { interval: hour, lifetime: hour } },
    shards: [id],
    shardCount: count,
  });
  skipUnreadableEvents(client);
  return client;
}

/** What of the library's gateway half handles events; its types keep it to themselves. */
interface PacketHandler {
  handlePacket(packet?: { readonly t?: unknown }, shard?: unknown): boolean;
}

/**
 * An event that the library cannot read, or that nobody here can, becomes an error of the client's: thrown where the
 * library handles it, nothing would catch it, and the process would end.
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
