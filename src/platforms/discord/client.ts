import { Client, GatewayIntentBits, Options, Partials } from 'discord.js';
import { steadySharding } from './sharding.ts';
import type { Shards } from './shards.ts';

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

/**
 * The library's client: three intents, none of them privileged, and caches of servers, channels and roles
 * alone. Requests go through `DiscordApi`; the client's own REST manager only asks where the gateway is.
 */
export function createClient(apiUrl: string, shards: Shards): Client {
  return new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages],
    partials: [Partials.Channel],
    ws: { buildStrategy: steadySharding },
    allowedMentions: { parse: [] },
    rest: { api: apiUrl.replace(/\/$/, ''), version: '10' },
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      ...unused,
      // The bot itself, and whoever wrote the message that is just being looked at.
      GuildMemberManager: { maxSize: 2, keepOverLimit: ({ id, client }) => id === client.user.id },
    }),
    sweepers: { threads: { interval: hour, lifetime: hour } },
    ...shards,
  });
}
