import type Keyv from 'keyv';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type Locale, localeOf, localeOfText } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';

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
export class DirectMessageChannels {
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

  /** The id of a channel that was opened before, by the record alone. */
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
export class KnownLocales {
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
