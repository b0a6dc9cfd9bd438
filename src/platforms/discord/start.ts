import type Keyv from 'keyv';
import type { Clock } from '../../clock.ts';
import { Sounds } from '../../media/index.ts';
import type { Capabilities, Dispatcher, Platform } from '../../port/index.ts';
import { createFirstTime } from '../../store/index.ts';
import { Allowed } from './allowed.ts';
import { DiscordApi } from './api.ts';
import { Connection, type ConnectionParts } from './connection.ts';
import { DirectChannels } from './direct-channels.ts';
import { type Download, download } from './download.ts';
import { cameTooLate } from './errors.ts';
import { FollowUps } from './follow-ups.ts';
import { Interactions } from './interactions.ts';
import { Media } from './media/index.ts';
import { MessageNotes } from './message-notes.ts';
import { Messages } from './messages.ts';
import { DiscordOutlet } from './outlet.ts';
import { ownersOf } from './owners.ts';
import { Pacings } from './pacing.ts';
import { Places } from './places.ts';
import { Posts } from './posts.ts';
import type { ReceiverParts } from './receiver.ts';
import { RecentEvents } from './recent-events.ts';
import { Registration } from './registration.ts';
import { DiscordReply } from './reply.ts';
import { shardsOf, shareOf } from './shards.ts';
import { UploadLimits } from './upload-limits.ts';
import { VoiceMessages } from './voice-message.ts';

export interface DiscordOptions<Parts> {
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
    Dispatcher<Parts>,
    'commands' | 'arrive' | 'prepare' | 'preparePress' | 'suggest'
  >;
  /** What was posted under which key. */
  readonly records: Keyv;
  /** What servers were found to allow. */
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  readonly log: ConnectionParts['log'];
  /** Reads files that people attached; from Discord's own hosts by default. */
  readonly download?: Download;
}

/** Starts Discord: connects in the background, so that a Discord that is away keeps nothing else from starting. */
export function startDiscord<Parts>(options: DiscordOptions<Parts>): Platform {
  const { token, apiUrl, capabilities, clock, log, records } = options;
  const shards = shardsOf(options.shards);
  const api = new DiscordApi({ token, apiUrl, share: shareOf(shards), clock });
  const applicationId = () => connection.applicationId;
  const followUps = new FollowUps({ api, applicationId, capabilities, records, clock });
  const posts = new Posts(records, api, clock);
  const directs = new DirectChannels(records, api);
  const routes = { api, clock, applicationId, followUps, posts, directs };
  const gateway = {
    guild: (id: string) => connection.guild(id),
    channel: (id: string) => connection.channel(id),
  };
  const places = new Places(gateway, clock);
  const pacings = new Pacings(clock, api);
  const media = new Media({ log });
  const sounds = new Sounds({ log });
  const mayPostVoice = (channelId: string) => places.mayPostVoice(channelId);
  const mayLook = (channelId: string) => places.lacking(channelId, ['Read Message History']).length === 0;
  const isKnown = (channelId: string) => places.knowsPermissions(channelId);
  const voices = new VoiceMessages({ posts, media, sounds, capabilities, mayPostVoice, isKnown, mayLook });
  const uploads = new UploadLimits((guildId) => places.uploadLimit(guildId), capabilities);
  const notes = new MessageNotes(records);
  const firstTime = createFirstTime(records);
  const allowed = new Allowed({
    guilds: options.allowedGuilds,
    isOperator: options.isOperator,
    api,
    mayWrite: (channelId) => places.missingIn(channelId, false).length === 0,
    firstTime,
    log,
  });
  const receiver: ReceiverParts = {
    allowed,
    dispatcher: options.dispatcher,
    routes,
    recent: new RecentEvents(),
    reply: (seat, locale, headers = {}) =>
      new DiscordReply(
        { voices, media, notes, live: { clock, pacings, notes, log } },
        { seat, locale, ...headers },
      ),
    uploads,
    missingIn: (channelId) => places.missingIn(channelId, false),
    lacking: (channelId, names) => places.lacking(channelId, names),
    isLocked: (channelId) => places.isLocked(channelId),
    isTimedOut: (channelId) => places.isTimedOut(channelId),
    firstTime,
    notes,
    download: options.download ?? download,
  };
  const interactions = new Interactions(receiver);
  const messages = new Messages(receiver);
  const failed = (error: unknown) =>
    cameTooLate(error)
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
    outlet: new DiscordOutlet({
      ...routes,
      voices,
      media,
      notes,
      uploads,
      download: options.download ?? download,
      missingIn: (channelId, files) => places.missingIn(channelId, files),
      lacking: (channelId, names) => places.lacking(channelId, names),
      holdsPostsAlone: (channelId) => places.holdsPostsAlone(channelId),
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
