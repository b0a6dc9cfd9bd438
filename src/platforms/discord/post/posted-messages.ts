import type { RawFile } from '@discordjs/rest';
import {
  type APIMessage,
  type APIMessageTopLevelComponent,
  ComponentType,
  MessageFlags,
  RESTJSONErrorCodes,
} from 'discord-api-types/v10';
import type Keyv from 'keyv';
import type { Clock } from '../../../lib/clock.ts';
import { unlessLocal } from '../../../lib/local-faults.ts';
import { type Capabilities, everyWorkspace, refusalOf, undefinedIfRefused } from '../../../port/index.ts';
import type { PostGuards } from '../../../store/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { discordFeatures, errorCode, UnconfirmedError } from '../api/errors.ts';
import {
  type BodyComponent,
  type MessageBody,
  type MessageContent,
  nonceLifetime,
  nonceOf,
  snowflakeAt,
} from '../api/messages.ts';
import { type Identity, isOwnMessage } from '../connection/own-application.ts';

/** How long records of the bot's own messages are kept, in milliseconds. */
const recordLifetime = 30 * 86_400_000;
/** Pages of newer messages that are searched at most. */
const maxPages = 20;
/** Fingerprints of one message that are kept. */
const maxFingerprints = 8;

/** The key of one part of a message that takes several messages on Discord. */
export function partKey(key: string, index: number): string {
  return `${key}:${index}`;
}

interface PostRecord {
  /** When the message was about to be sent and certainly wasn't there. */
  readonly at: number;
  /** Its id; absent while nobody knows whether it's there. */
  readonly message?: string;
  /** Fingerprints of what was sent; another process may word the same message differently. */
  readonly looks?: readonly string[];
}

/** Where it's kept, for so many milliseconds at least. */
interface PostRecords {
  get(key: string): Promise<unknown>;
  set(key: string, record: PostRecord, lifetime: number): Promise<unknown>;
}

/** What posts and searches take. */
interface SearchServices {
  readonly api: DiscordApi;
  readonly identity: () => Identity;
  readonly clock: Clock;
}

/** Until the process ends. */
export function recordsInMemory(): PostRecords {
  const records = new Map<string, PostRecord>();
  return {
    get: async (key) => records.get(key),
    set: async (key, record) => records.set(key, record),
  };
}

/** The bot's messages by key. Each is posted once, however often it's sent and whatever happens to the process. */
export class PostedMessages {
  readonly #records: PostRecords;
  readonly #api: DiscordApi;
  readonly #identity: () => Identity;
  readonly #clock: Clock;
  readonly #guards: PostGuards;

  constructor(records: PostRecords, { api, identity, clock }: SearchServices, guards: PostGuards = {}) {
    this.#guards = guards;
    this.#records = records;
    this.#api = api;
    this.#identity = identity;
    this.#clock = clock;
  }

  /**
   * Posts under a key, or returns the id of the message that was posted under it. A record is written before and after:
   * a message that was sent without an answer is recognised by Discord from its nonce for some minutes, and searched
   * for in the channel after that, among those that are newer than `after`, if that's known.
   */
  async postOnce(
    channel: string,
    key: string,
    { body, files = [], pace }: MessageContent,
    { nonce = nonceOf(channel, key), after }: { readonly nonce?: string; readonly after?: string } = {},
  ): Promise<string> {
    const record = (await this.#record(nonce)) ?? this.#lostRecord(key);
    if (record?.message !== undefined) return record.message;
    const now = this.#clock.now();
    const looks = [...new Set([...(record?.looks ?? []), fingerprint(body, files)])].slice(-maxFingerprints);
    const age = record ? now - record.at : 0;
    const isNonceExpired = age < 0 || age >= nonceLifetime;
    const at = record && !isNonceExpired ? record.at : now;
    const found =
      record && isNonceExpired
        ? await this.#search(channel, record.at, { nonce, fingerprints: looks }, after)
        : undefined;
    if (!found) await this.#save(nonce, { at, looks });
    const life = nonceLifetime - (now - at);
    const content = { body, files, pace: { ...pace, beforeSending: this.#guards.expectLiving } };
    const { id } = found ?? (await this.#api.createMessage(channel, content, nonce, life));
    await this.#save(nonce, { at, message: id });
    return id;
  }

  /** The id of the message posted under a key, as far as it's on record. */
  async idOf(channel: string, key: string): Promise<string | undefined> {
    return (await this.#record(nonceOf(channel, key)))?.message;
  }

  /** Records that a message is about to be posted, if its first part has a key of its own. */
  async markStarted(channel: string, key: string): Promise<void> {
    await this.#save(nonceOf(channel, key), { at: this.#clock.now() });
  }

  /** Whether a message was posted under a key, or was about to be: it may be there. */
  async isStarted(channel: string, key: string): Promise<boolean> {
    const records = await Promise.all(
      [key, partKey(key, 0)].map((each) => this.#record(nonceOf(channel, each))),
    );
    return records.some((record) => record !== undefined);
  }

  /** The message that an earlier process posted under a key or was about to post, searched for by its record. */
  async findStarted(channel: string, key: string): Promise<APIMessage | undefined> {
    const nonce = nonceOf(channel, key);
    const record = await this.#record(nonce);
    if (record?.message !== undefined) return this.#api.message(channel, record.message);
    return record && this.#search(channel, record.at, { nonce, fingerprints: record.looks ?? [] });
  }

  /** Searches for a message that was sent without an answer; undefined if it isn't in the channel. */
  async find(
    channel: string,
    key: string,
    { body, files = [] }: MessageContent,
  ): Promise<string | undefined> {
    const nonce = nonceOf(channel, key);
    const record = await this.#record(nonce);
    if (!record || record.message !== undefined) return record?.message;
    const fingerprints = [...(record.looks ?? []), fingerprint(body, files)];
    const found = await this.#search(channel, record.at, { nonce, fingerprints });
    if (found) await this.#save(nonce, { at: record.at, message: found.id });
    return found?.id;
  }

  /** What a database that was restored may have lost of a post. */
  #lostRecord(key: string): PostRecord | undefined {
    const at = this.#guards.begunBefore?.(key);
    return at === undefined ? undefined : { at };
  }

  async #record(nonce: string): Promise<PostRecord | undefined> {
    return (await this.#records.get(nonce)) as PostRecord | undefined;
  }

  async #save(nonce: string, record: PostRecord): Promise<void> {
    await this.#records.set(nonce, record, recordLifetime);
  }

  /** Where nothing can be read, nothing can be posted: that says why. */
  #search(
    channel: string,
    at: number,
    sought: SoughtMessage,
    after = snowflakeAt(Math.min(at, this.#clock.now()) - nonceLifetime),
  ): Promise<APIMessage | undefined> {
    const matches = (message: APIMessage) => isMessage(message, sought, this.#identity());
    return undefinedIfRefused(findMessageAfter(this.#api, channel, after, matches, maxPages));
  }
}

const pageSize = 100;

/** A message that is searched for, as far as it's known. */
interface SoughtMessage {
  readonly nonce: string;
  /** The fingerprints it may have: its text may have differed when it was sent first. */
  readonly fingerprints: readonly string[];
}

/** The first message of a channel after the one of this id that matches, searched in at most `maxPages` of a hundred. */
export async function findMessageAfter(
  api: Pick<DiscordApi, 'messagesAfter'>,
  channel: string,
  after: string,
  matches: (message: APIMessage) => boolean,
  maxPages: number,
): Promise<APIMessage | undefined> {
  let from = after;
  for (let page = 0; page < maxPages; page++) {
    const messages = await api.messagesAfter(channel, from, pageSize);
    const found = messages.findLast(matches);
    const [newest] = messages;
    if (found || !newest || messages.length < pageSize) return found;
    from = newest.id;
  }
  return undefined;
}

/**
 * Whether a message is the one of the bot's that is searched for: by its nonce, which Discord may return only to the
 * request that sent it (discord.py#2451), else by its fingerprint.
 */
export function isMessage(
  message: APIMessage,
  { nonce, fingerprints }: SoughtMessage,
  bot: Identity,
): boolean {
  if (!isOwnMessage(message, bot)) return false;
  return message.nonce === nonce || fingerprints.includes(messageFingerprint(message));
}

/**
 * Tells messages apart by their text, their buttons (whose ids contain the job) and their files. Of those in a gallery
 * Discord tells too little. A hash: what a message says can't be read from it.
 */
export function fingerprint({ content, components = [] }: MessageBody, files: readonly RawFile[]): string {
  const isGallery = components.some(({ type }) => type === ComponentType.MediaGallery);
  const described = isGallery ? [] : files.map(({ name, data }) => describeFile(name, byteLength(data)));
  return hash(textOf(content, components), buttonsOf(components), described);
}

/** The same of a message as Discord returns it. */
export function messageFingerprint({ content, components = [], attachments }: APIMessage): string {
  const files = attachments.map(({ filename, size }) => describeFile(filename, size));
  return hash(textOf(content, components), buttonsOf(components), files);
}

type Component = BodyComponent | APIMessageTopLevelComponent;

/** Without white space and what nobody sees: Discord leaves some of that out (resources/message, create message). */
function textOf(content: string | null | undefined, components: readonly Component[]): string {
  const texts = components.map((one) => (one.type === ComponentType.TextDisplay ? one.content : ''));
  return [content, ...texts].join('\n').replace(/[\s\p{C}\uFE0F]+/gu, '');
}

function buttonsOf(components: readonly Component[]): readonly string[] {
  return components.flatMap((row) =>
    row.type === ComponentType.ActionRow
      ? row.components.map((button) => ('custom_id' in button ? button.custom_id : ''))
      : [],
  );
}

function hash(content: string, buttons: readonly string[], files: readonly string[]): string {
  return nonceOf(content, buttons.join(), files.join());
}

/** By its size, and by its name if Discord has no reason to change that. */
function describeFile(name: string, size: number): string {
  return /^[\w.-]+$/.test(name) ? `${size} ${name}` : String(size);
}

function byteLength(data: RawFile['data']): number {
  return typeof data === 'object' ? data.byteLength : Buffer.byteLength(String(data));
}

/** A further message of an interaction, posted by its token. */
interface FollowUp extends MessageContent {
  readonly token: string;
  /** The same if the same message is sent again. */
  readonly key: string;
  /** Only the requester sees it. */
  readonly hidden?: boolean;
}

interface FollowUpsDependencies {
  readonly api: DiscordApi;
  readonly applicationId: () => string;
  readonly capabilities: Capabilities;
  /** Records of what was sent. */
  readonly records: Keyv;
  readonly unlessTakenOver: () => Promise<void>;
  readonly clock: Clock;
}

/** How long their records are kept, in milliseconds: longer than a token lives. */
const followUpLifetime = 3_600_000;

/** Follow-ups of interactions. Each is posted at most once, whatever happens to the process. */
export class FollowUps {
  readonly #dependencies: FollowUpsDependencies;

  constructor(dependencies: FollowUpsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Posts a follow-up and returns its id. If the live check found that Discord recognises its nonce, it's repeated until
   * it's there. A record is written before and after: follow-ups can't be listed, so one can't be searched for.
   * @throws {UnconfirmedError} if nobody knows whether it's there, and it must not be sent again.
   */
  async post({ token, key, hidden, body, files = [], pace }: FollowUp): Promise<string> {
    const { api, applicationId, capabilities, records, unlessTakenOver, clock } = this.#dependencies;
    const name = nonceOf(token, key);
    // People needn't wait for what this machine can't read or write.
    const sent = await records.get<PostRecord>(name).catch(unlessLocal);
    if (sent?.message !== undefined) return sent.message;
    const isRecognised = (await capabilities.find(everyWorkspace, discordFeatures.followUpNonce)) === 'works';
    const now = clock.now();
    const at = sent?.at ?? now;
    const life = nonceLifetime - Math.abs(now - at);
    if (sent && !(isRecognised && life > 0)) throw new UnconfirmedError(undefined);
    await this.#save(name, { at });
    const once = isRecognised ? { nonce: name, life } : undefined;
    try {
      const flags = (body.flags ?? 0) | (hidden ? MessageFlags.Ephemeral : 0);
      const content = { body: { ...body, flags }, files, pace: { ...pace, beforeSending: unlessTakenOver } };
      const { id } = await api.followUp(applicationId(), token, content, once);
      await this.#save(name, { at, message: id });
      return id;
    } catch (error) {
      if (!mayBeThere(error, isRecognised)) await records.delete(name).catch(unlessLocal);
      throw error;
    }
  }

  async #save(name: string, record: PostRecord): Promise<void> {
    await this.#dependencies.records.set(name, record, followUpLifetime).catch(unlessLocal);
  }
}

/**
 * Whether a follow-up that failed may be there. One of several tries may have arrived, whatever the last response was.
 * Unknown Message (10008) is the response for one that somebody deleted, and for every follow-up after the loading
 * message was deleted: it's not sent again in either case.
 */
function mayBeThere(error: unknown, isRepeated: boolean): boolean {
  if (error instanceof UnconfirmedError || errorCode(error) === RESTJSONErrorCodes.UnknownMessage)
    return true;
  return isRepeated && !refusalOf(error);
}
