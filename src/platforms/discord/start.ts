import type Keyv from 'keyv';
import type { Clock } from '../../lib/clock.ts';
import { Sounds } from '../../media/index.ts';
import type { Capabilities, Dispatcher, Platform } from '../../port/index.ts';
import { createFirstTime } from '../../store/index.ts';
import { DiscordApi } from './api/api.ts';
import { isExpired } from './api/errors.ts';
import { RateLimits } from './api/rate-limits.ts';
import { Registration } from './commands/registration.ts';
import { AllowedServers } from './connection/allowed-servers.ts';
import { Connection, type ConnectionDependencies } from './connection/connection.ts';
import { GatewayCache } from './connection/gateway-cache.ts';
import { ownersOf } from './connection/owners.ts';
import { parseShards, requestShare } from './connection/shard-setting.ts';
import { type Download, download } from './media/download.ts';
import { MediaProcessor } from './media/media-processor.ts';
import { UploadLimits } from './media/upload-limits.ts';
import { DiscordAdapter } from './post/adapter.ts';
import { DirectMessageChannels } from './post/direct-message-channels.ts';
import { PostedMessages } from './post/posted-messages.ts';
import { RememberedMessages } from './post/remembered-messages.ts';
import { VoiceMessages } from './post/voice-messages.ts';
import { Interactions } from './receive/interactions.ts';
import { Messages } from './receive/messages.ts';
import type { ReceiverDependencies } from './receive/receiver-dependencies.ts';
import { RecentEvents } from './receive/recent-events.ts';
import { FollowUps } from './reply/follow-ups.ts';
import { DiscordReply } from './reply/reply.ts';

export interface DiscordOptions<Dependencies> {
  readonly token: string;
  /** REST root; the gateway's address comes from it. */
  readonly apiUrl: string;
  /** Registers the commands in this server alone. */
  readonly guildId?: string;
  /** `DISCORD_SHARDS`. */
  readonly shards: string;
  /** The servers where the bot runs; absent: everywhere. */
  readonly allowedGuilds?: readonly string[];
  /** Whether somebody runs the bot. */
  readonly isOperator: (person: string) => Promise<boolean>;
  readonly dispatcher: Pick<
    Dispatcher<Dependencies>,
    'commands' | 'takeTurn' | 'prepare' | 'preparePress' | 'suggest'
  >;
  /** What was posted under which key. */
  readonly records: Keyv;
  /** What servers were found to allow. */
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  readonly log: ConnectionDependencies['log'];
  /** Reads files that people attached; from Discord's own hosts by default. */
  readonly download?: Download;
}

/** Starts Discord: connects in the background, so that a Discord that is away keeps nothing else from starting. */
export function startDiscord<Dependencies>(options: DiscordOptions<Dependencies>): Platform {
  const { token, apiUrl, capabilities, clock, log, records } = options;
  const shards = parseShards(options.shards);
  const api = new DiscordApi({ token, apiUrl, share: requestShare(shards), clock });
  const applicationId = () => connection.applicationId;
  const followUps = new FollowUps({ api, applicationId, capabilities, records, clock });
  const postedMessages = new PostedMessages(records, api, clock);
  const directMessages = new DirectMessageChannels(records, api);
  const routes = { api, clock, applicationId, followUps, postedMessages, directMessages };
  const gateway = {
    guild: (id: string) => connection.guild(id),
    channel: (id: string) => connection.channel(id),
  };
  const places = new GatewayCache(gateway, clock);
  const pacings = new RateLimits(clock, api);
  const media = new MediaProcessor({ log });
  const sounds = new Sounds({ log });
  const mayPostVoice = (channelId: string) => places.mayPostVoice(channelId);
  const mayLook = (channelId: string) =>
    places.missingPermissions(channelId, ['Read Message History']).length === 0;
  const isKnown = (channelId: string) => places.knowsPermissions(channelId);
  const voices = new VoiceMessages({
    posts: postedMessages,
    media,
    sounds,
    capabilities,
    mayPostVoice,
    isKnown,
    mayLook,
  });
  const uploads = new UploadLimits((guildId) => places.uploadLimit(guildId), capabilities);
  const notes = new RememberedMessages(records);
  const firstTime = createFirstTime(records);
  const allowed = new AllowedServers({
    guilds: options.allowedGuilds,
    isOperator: options.isOperator,
    api,
    mayWrite: (channelId) => places.missingToPost(channelId, false).length === 0,
    firstTime,
    log,
  });
  const receiver: ReceiverDependencies = {
    allowed,
    dispatcher: options.dispatcher,
    routes,
    recent: new RecentEvents(),
    reply: (target, locale, headers = {}) =>
      new DiscordReply(
        { voices, media, notes, live: { clock, pacings, notes, log } },
        { target, locale, ...headers },
      ),
    uploads,
    missingIn: (channelId) => places.missingToPost(channelId, false),
    lacking: (channelId, names) => places.missingPermissions(channelId, names),
    isLocked: (channelId) => places.isLocked(channelId),
    isTimedOut: (channelId) => places.isTimedOut(channelId),
    firstTime,
    notes,
    download: options.download ?? download,
  };
  const interactions = new Interactions(receiver);
  const messages = new Messages(receiver);
  const failed = (error: unknown) =>
    isExpired(error)
      ? log.warn({ error }, 'Discord passed a command on too late, or its answer took too long')
      : log.error({ error }, 'something given on Discord could not be answered');
  const connection = new Connection({
    token,
    apiUrl,
    api,
    shards,
    clock,
    log,
    onReady: ({ application }) => void registration.begin(application.id),
    onServer: (guild) => void allowed.visit(guild),
    onInteraction: (interaction) => void interactions.take(interaction).catch(failed),
    onMessage: (message) => void messages.take(message).catch(failed),
  });
  const registration = new Registration(api, options.dispatcher.commands, options.guildId, clock, log);
  connection.open();
  return {
    adapter: new DiscordAdapter({
      ...routes,
      voices,
      media,
      notes,
      uploads,
      download: options.download ?? download,
      missingIn: (channelId, files) => places.missingToPost(channelId, files),
      lacking: (channelId, names) => places.missingPermissions(channelId, names),
      holdsPostsAlone: (channelId) => places.isThreadOnly(channelId),
      isPublicThread: (threadId) => places.isPublicThread(threadId),
      channelName: (channelId) => places.channelName(channelId),
    }),
    operators: async () => ownersOf(await api.application()),
    notReady: () => connection.notReady(),
    stopReceiving: () => connection.close(),
    close: async () => {
      registration.close();
      api.close();
    },
  };
}
