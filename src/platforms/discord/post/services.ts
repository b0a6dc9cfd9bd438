import type Keyv from 'keyv';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Clock } from '../../../lib/clock.ts';
import { SoundConverter } from '../../../media/index.ts';
import { type Capabilities, type Locale, localeOf, localeOfText } from '../../../port/index.ts';
import { type BegunBefore, unlessTakenOver } from '../../../store/index.ts';
import type { DiscordApi } from '../api/api.ts';
import type { Identity } from '../connection/own-application.ts';
import type { Download } from '../media/attached-files.ts';
import { MediaProcessor, UploadLimits } from '../media/upload-limits.ts';
import type { GatewayCache } from '../servers/gateway-cache.ts';
import type { RegisteredCommands } from '../servers/registered-commands.ts';
import type { Servers } from '../servers/servers.ts';
import { FollowUps, PostedMessages } from './posted-messages.ts';
import { VoiceMessages } from './voice-messages.ts';

/** Parts that receiving, replying and posting share. */
export interface DiscordServices {
  readonly api: DiscordApi;
  readonly clock: Clock;
  /** @throws {PlatformError} `unreachable` before Discord has told it. */
  readonly identity: () => Identity;
  readonly servers: Servers;
  /** The bot's permissions in channels. */
  readonly gateway: GatewayCache;
  readonly registered: RegisteredCommands;
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

/** Dependencies of {@link createServices}. */
interface ServicesOptions extends Pick<
  DiscordServices,
  'api' | 'clock' | 'identity' | 'servers' | 'gateway' | 'registered' | 'download'
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
  const { api, clock, identity, servers, gateway, records, capabilities, log } = options;
  const { registered, download } = options;
  const media = new MediaProcessor({ log });
  const sounds = new SoundConverter({ log });
  const { expectLiving, begunBefore } = options;
  const notTakenOver = () => unlessTakenOver(clock, expectLiving);
  const postedMessages = new PostedMessages(records, { api, identity, clock }, { expectLiving, begunBefore });
  return {
    api,
    clock,
    identity,
    servers,
    gateway,
    registered,
    followUps: new FollowUps({
      ...{ api, capabilities, records, clock },
      applicationId: () => identity().applicationId,
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

/** How long a message is remembered, in milliseconds: as long as conversations are by default. */
const lifetime = 30 * 86_400_000;

/** What is remembered of a message of the bot's, beyond what Discord returns. */
export interface RememberedMessage {
  /** It's (part of) an answer in a conversation, which a reply to it continues. */
  readonly answer?: true;
  /** The line above its text, which an edit keeps. */
  readonly header?: string;
  /** Most characters of the messages of its answer, without the line above the first. */
  readonly pieceLength?: number;
}

/** What is remembered of the bot's messages and threads, across restarts. */
export class RememberedMessages {
  readonly #records: Keyv;

  constructor(records: Keyv) {
    this.#records = records;
  }

  async remember(messageId: string, message: RememberedMessage): Promise<void> {
    await this.#records.set(`message ${messageId}`, message, lifetime);
  }

  async find(messageId: string): Promise<RememberedMessage | undefined> {
    return this.#records.get<RememberedMessage>(`message ${messageId}`);
  }

  /** Forgets the line above its text, which has somebody's name and words. */
  async forgetHeader(messageId: string): Promise<void> {
    const { header, ...message } = (await this.find(messageId)) ?? {};
    if (header !== undefined) await this.remember(messageId, message);
  }

  /** Remembers that the bot opens a thread under a message, whose id it gets. */
  async rememberThread(messageId: string): Promise<void> {
    await this.#records.set(`thread ${messageId}`, true, lifetime);
  }

  async hasThread(messageId: string): Promise<boolean> {
    return this.#records.has(`thread ${messageId}`);
  }

  /** Remembers that the bot has answered in a thread: other messages there may be for it. */
  async rememberConversation(threadId: string): Promise<void> {
    await this.#records.set(`talk ${threadId}`, true, lifetime);
  }

  /** Remembers a thread that was opened for a conversation with the bot. */
  async rememberOwnThread(threadId: string): Promise<void> {
    await this.#records.set(`own ${threadId}`, true, lifetime);
    await this.rememberConversation(threadId);
  }

  /** Whether a thread was opened for a conversation with the bot, or belongs to one of its answers. */
  async isOwnThread(threadId: string): Promise<boolean> {
    if (await this.#records.has(`own ${threadId}`)) return true;
    // A thread has the id of its message.
    return (await this.find(threadId))?.answer === true;
  }

  /** Notes whom people talk to in a thread: to the bot, or to each other until somebody mentions it again. */
  async noteTalk(threadId: string, whom: 'bot' | 'people'): Promise<void> {
    if ((await this.talkIn(threadId)) === whom) return;
    if (whom === 'people') await this.#records.set(`among people ${threadId}`, true, lifetime);
    else await this.#records.delete(`among people ${threadId}`);
  }

  async talkIn(threadId: string): Promise<'bot' | 'people'> {
    return (await this.#records.has(`among people ${threadId}`)) ? 'people' : 'bot';
  }

  /** Whether the bot has answered in a thread, or the thread belongs to one of its answers. */
  async isConversation(threadId: string): Promise<boolean> {
    if (await this.#records.has(`talk ${threadId}`)) return true;
    return this.isOwnThread(threadId);
  }
}

/** How long a channel's id is kept, in milliseconds: longer than records of what was posted there. */
const channelLifetime = 60 * 86_400_000;

/**
 * The channels of direct messages with people. A channel's id is recorded before anything is posted there, so that what
 * an earlier process posted is found without asking Discord.
 */
class DirectMessageChannels {
  readonly #records: Keyv;
  readonly #api: Pick<DiscordApi, 'directChannel'>;

  constructor(records: Keyv, api: Pick<DiscordApi, 'directChannel'>) {
    this.#records = records;
    this.#api = api;
  }

  /** The id of a person's channel, which is opened if there is none yet. */
  async open(person: string): Promise<string> {
    const channel = await this.#api.directChannel(person);
    await this.#records.set(channelRecord(person), channel, channelLifetime);
    return channel;
  }

  /** The id of a channel that was opened before, as far as it's on record. */
  known(person: string): Promise<string | undefined> {
    return this.#records.get<string>(channelRecord(person));
  }
}

function channelRecord(person: string): string {
  return `direct messages with ${person}`;
}

const hour = 3_600_000;
/** How long somebody's language is kept, in milliseconds. */
const localeLifetime = 180 * 24 * hour;
/** How long it's known without a look at the record, which another process may have changed. */
const knownFor = { most: 10_000, milliseconds: hour };

/** The languages that people use Discord in. Every interaction tells it; messages don't. */
class KnownLocales {
  readonly #records: Keyv;
  readonly #recent: BoundedMap<string, Locale>;

  constructor(records: Keyv, clock: Pick<Clock, 'steady'>) {
    const { most, milliseconds } = knownFor;
    this.#records = records;
    this.#recent = new BoundedMap({ most, lifetime: { milliseconds, clock } });
  }

  /** Keeps the language of somebody's interaction. */
  async note(person: string, locale: Locale): Promise<void> {
    if (this.#recent.get(person) === locale) return;
    this.#recent.set(person, locale);
    await this.#records.set(localeRecord(person), locale, localeLifetime);
  }

  /** Until somebody's next interaction; another process may go on with it for a while, and keeps nothing. */
  async forget(person: string): Promise<void> {
    this.#recent.delete(person);
    await this.#records.delete(localeRecord(person));
  }

  /** The language for somebody: the one they last used Discord in, else that of what they wrote, else their server's. */
  async of(person: string, text: string, serverLocale?: string): Promise<Locale> {
    if (this.#recent.has(person)) return this.guess(person, text, serverLocale);
    const known = await this.#records.get<Locale>(localeRecord(person));
    if (known) this.#recent.set(person, known);
    return this.guess(person, text, serverLocale);
  }

  /** The same from memory, where there's no time for the record. */
  guess(person: string, text: string, serverLocale?: string): Locale {
    return this.#recent.get(person) ?? localeOfText(text, serverLocale) ?? localeOf(serverLocale);
  }
}

function localeRecord(person: string): string {
  return `locale of ${person}`;
}
