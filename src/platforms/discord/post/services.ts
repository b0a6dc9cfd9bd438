import type Keyv from 'keyv';
import type { Clock } from '../../../lib/clock.ts';
import { SoundConverter } from '../../../media/index.ts';
import type { Capabilities } from '../../../port/index.ts';
import { type BegunBefore, unlessTakenOver } from '../../../store/index.ts';
import type { DiscordApi } from '../api/api.ts';
import type { Mentions } from '../api/mentions.ts';
import type { Identity } from '../connection/own-application.ts';
import type { Download } from '../media/attached-files.ts';
import { MediaProcessor } from '../media/media-processor.ts';
import { UploadLimits } from '../media/upload-limits.ts';
import type { GatewayCache } from '../servers/gateway-cache.ts';
import type { Servers } from '../servers/servers.ts';
import { FollowUps } from './follow-ups.ts';
import { PostedMessages } from './posted-messages.ts';
import { DirectMessageChannels, KnownLocales, RememberedMessages } from './remembered.ts';
import { VoiceMessages } from './voice-messages.ts';

/** What receiving, replying and posting share. */
export interface DiscordServices {
  readonly api: DiscordApi;
  readonly clock: Clock;
  /** @throws {PlatformError} `unreachable` before Discord has told it. */
  readonly applicationId: () => string;
  /** @throws {PlatformError} `unreachable` before Discord has told it. */
  readonly identity: () => Identity;
  readonly servers: Servers;
  /** What the bot may do in channels. */
  readonly gateway: GatewayCache;
  readonly mentions: Mentions;
  readonly followUps: FollowUps;
  /** Awaited right before a message of an answer: rejects where others are known to have taken this process for dead. */
  readonly unlessTakenOver: () => Promise<void>;
  readonly postedMessages: PostedMessages;
  readonly rememberedMessages: RememberedMessages;
  readonly directMessages: DirectMessageChannels;
  readonly knownLocales: KnownLocales;
  readonly voiceMessages: VoiceMessages;
  readonly media: MediaProcessor;
  /** How large files may be where no interaction states a limit. */
  readonly uploadLimits: UploadLimits;
  /** What Discord really does where its documentation is unclear. */
  readonly capabilities: Capabilities;
  /** Reads files that people attached. */
  readonly download: Download;
}

/** What {@link createServices} is given. */
export interface ServicesOptions
  extends Pick<
    DiscordServices,
    'api' | 'clock' | 'identity' | 'servers' | 'gateway' | 'mentions' | 'download'
  > {
  /** Records of what was posted. */
  readonly records: Keyv;
  readonly begunBefore?: BegunBefore;
  readonly capabilities: Capabilities;
  readonly expectLiving?: (() => Promise<void>) | undefined;
  readonly log: { warn(data: object, message: string): void };
}

/** Makes all of it; one of each for a process. */
export function createServices(options: ServicesOptions): DiscordServices {
  const { api, clock, identity, servers, gateway, mentions, download, records, capabilities, log } = options;
  const applicationId = () => identity().applicationId;
  const media = new MediaProcessor({ log });
  const sounds = new SoundConverter({ log });
  const { expectLiving, begunBefore } = options;
  const notTakenOver = () => unlessTakenOver(clock, expectLiving);
  const postedMessages = new PostedMessages(records, api, clock, { expectLiving, begunBefore });
  return {
    api,
    clock,
    identity,
    applicationId,
    servers,
    gateway,
    mentions,
    followUps: new FollowUps({
      ...{ api, applicationId, capabilities, records, clock },
      unlessTakenOver: notTakenOver,
    }),
    unlessTakenOver: notTakenOver,
    postedMessages,
    rememberedMessages: new RememberedMessages(records),
    directMessages: new DirectMessageChannels(records, api),
    knownLocales: new KnownLocales(records, clock),
    voiceMessages: new VoiceMessages({ postedMessages, media, sounds, capabilities, gateway }),
    media,
    uploadLimits: new UploadLimits((guildId) => gateway.uploadLimit(guildId), capabilities),
    capabilities,
    download,
  };
}
