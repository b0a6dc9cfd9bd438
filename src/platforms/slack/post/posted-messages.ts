import { createHash } from 'node:crypto';
import type { types } from '@slack/bolt';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { isLocal } from '../../../lib/local-faults.ts';
import { type Address, conversationKey, PlatformError, undefinedIfRefused } from '../../../port/index.ts';
import type { KeyValueStore, PostGuards } from '../../../store/index.ts';
import { isAnswerLost, platformError, slackCode, threadForbidden, writeError } from '../api/errors.ts';
import {
  type Answer,
  type Arguments,
  type CallOptions,
  isInThread,
  pagesOf,
  type SlackApi,
} from '../api/slack-api.ts';
import type { SharedFile } from '../media/uploads.ts';
import { slackAddress, stampOf, threadOf } from './address.ts';
import { deleteMessage } from './edits.ts';

/** How long a post is remembered under its key, in milliseconds. */
const lifetime = 30 * 86_400_000;
/** How long a channel counts as one without threads, in milliseconds: settings may change, so they’re tried again. */
const threadlessFor = 7 * 86_400_000;
/** The messages of a channel that take no replies, at most so many; true: none does. */
type Threadless = true | readonly string[];
const mostThreadless = 100;
/** How far Slack’s clock may be from ours, in milliseconds. */
export const clockSlack = 60_000;
/** Most posts exist this long after they were begun, in milliseconds. */
const soon = 15 * 60_000;
/** A call that got no response may still be on its way, in milliseconds. */
export const settleTime = 1_500;
const maxTries = 4;
const pageSize = 100;
const maxPages = 5;

/** `event_type` of the metadata that troupe's messages carry. */
const metadataType = 'troupe_post';

/** A post under a key: begun, or done. Files that are already in Slack are not uploaded again. */
export interface PostRecord {
  readonly at: number;
  readonly files: Readonly<Record<string, string>>;
  readonly ts?: string;
  /** The time stamps of further messages that it took. */
  readonly parts?: readonly string[];
  /** Whether the bot has begun to remove the announcement in whose place it is, or somebody deleted that before. */
  readonly announcement?: 'removed' | 'deleted';
}

/** Whether a post belongs into its thread alone: not into the channel itself where that turns out to have no threads. */
export interface InThread {
  readonly mustBeHidden?: boolean | undefined;
}

/** The messages that a post took, by their time stamps: the one with its buttons, and others. */
export interface PostedParts {
  readonly ts: string;
  readonly parts: readonly string[];
}

/** A message as Slack returns it. */
export interface FoundMessage {
  readonly ts: string;
  readonly thread_ts?: string;
  /** `tombstone`: a notice in place of a deleted message that had replies. */
  readonly subtype?: string;
  readonly text?: string;
  readonly bot_id?: string;
  /** Set for native streams. */
  readonly streaming_state?: string;
  readonly blocks?: readonly types.KnownBlock[];
  readonly files?: readonly { readonly id: string }[];
  readonly metadata?: {
    readonly event_type?: string;
    readonly event_payload?: { readonly key?: string; readonly files?: readonly string[] };
  };
}

/**
 * What was posted under which key. Each message carries its key as metadata: a post that was begun before, or got no
 * response, is looked for by it before it’s made again.
 */
export class PostedMessages {
  readonly #api: SlackApi;
  readonly #store: KeyValueStore;
  readonly #clock: Clock;
  readonly #guards: PostGuards;

  constructor(api: SlackApi, store: KeyValueStore, clock: Clock, guards: PostGuards = {}) {
    this.#guards = guards;
    this.#api = api;
    this.#store = store;
    this.#clock = clock;
  }

  /** The record for a key at an address. */
  async record(address: Address, key: string): Promise<PostRecord | undefined> {
    return this.#store.get<PostRecord>(recordKey(address, key));
  }

  /** What a database that was restored has lost of a post: it's put on record again. */
  async lostRecord(address: Address, key: string): Promise<PostRecord | undefined> {
    const at = this.#guards.begunBefore?.(key);
    if (at === undefined) return undefined;
    const found = await this.find(address, markOf(address, key), at);
    const record = { at, files: {}, ...(found && { ts: found.ts }) };
    await this.note(address, key, record);
    return record;
  }

  /** Adds to the record of a post; without one, the post begins now. */
  async note(address: Address, key: string, more: Partial<PostRecord>): Promise<void> {
    const record = (await this.record(address, key)) ?? { at: this.#clock.now(), files: {} };
    await this.#store.set(recordKey(address, key), { ...record, ...more }, lifetime);
  }

  /**
   * Posts, and returns the time stamp. `before`: the record of an earlier try, so the message may already be there.
   * @throws {PlatformError} `file-not-allowed` if it must be hidden and there's no thread; `gone` if the message that began the
   * thread was deleted.
   */
  async post(
    address: Address,
    key: string,
    args: Arguments,
    before: PostRecord | undefined,
    { mustBeHidden, ...options }: CallOptions & InThread = {},
  ): Promise<string> {
    const mark = markOf(address, key);
    const since = before?.at ?? this.#clock.now();
    let look = before !== undefined;
    let lost: unknown;
    for (let tries = 1; ; tries++) {
      const there = look ? await this.#posted(address, mark, since) : undefined;
      if (there !== undefined) return there.ts;
      if (look) options.sign?.begin();
      if (tries > maxTries) throw writeError(lost);
      try {
        const thread = await this.threadFor(address, { mustBeHidden });
        const content = {
          channel: address.channel,
          ...(thread !== undefined && { thread_ts: thread }),
          unfurl_links: false,
          unfurl_media: false,
          metadata: metadataOf(address, key),
          ...args,
        };
        const beforeSending = this.#guards.expectLiving;
        const how = { ...(tries === 1 && options), sign: options.sign, beforeSending };
        const { ts, message } = await this.#api.call(address.workspace, 'chat.postMessage', content, how);
        // The thread may only be left out of the response.
        const isOut = thread !== undefined && isWithoutThread(message);
        if (isOut && !(await isInThread(this.#api, address, String(ts))))
          await this.#takeBack(address, String(ts));
        return String(ts);
      } catch (error) {
        if (isLocal(error)) throw error;
        if (await this.noteThreadsForbidden(address, error)) continue;
        if (!isAnswerLost(error)) {
          const known = platformError(error);
          // It may be taken later, and certainly isn't there.
          if (known.kind === 'unreachable') options.sign?.begin();
          throw known;
        }
        lost = error;
        await sleep(this.#clock, settleTime * tries);
        look = true;
      }
    }
  }

  /** The message with this mark; in the thread of a deleted one there's none, and nothing is left of it in the channel. */
  async #posted(address: Address, mark: string, since: number): Promise<FoundMessage | undefined> {
    try {
      return await this.find(address, mark, since);
    } catch (error) {
      const isGone = error instanceof PlatformError && slackCode(error.cause) === 'thread_not_found';
      const channel = slackAddress(address.workspace, address.channel);
      const outside = isGone && (await undefinedIfRefused(this.find(channel, mark, since)));
      if (outside) await this.#takeBack(channel, outside.ts);
      throw error;
    }
  }

  /** Slack has posted a reply to a deleted message in the channel itself (slack-go#1571). */
  async #takeBack(address: Address, ts: string): Promise<never> {
    await deleteMessage(this.#api, address, ts);
    throw new PlatformError('gone', 'thread');
  }

  /** The `thread_ts` for a post; undefined for the channel itself, also where that, or the message, takes no replies. */
  async threadAt(address: Address): Promise<string | undefined> {
    const thread = threadOf(address);
    if (thread === undefined) return undefined;
    const threadless = await this.#store.get<Threadless>(threadlessKey(address));
    return threadless === true || threadless?.includes(thread) ? undefined : thread;
  }

  /**
   * The same for what may have to be hidden in its thread.
   * @throws {PlatformError} `file-not-allowed` if it must be and there's no thread.
   */
  async threadFor(address: Address, { mustBeHidden }: InThread): Promise<string | undefined> {
    const thread = await this.threadAt(address);
    if (mustBeHidden && thread === undefined) throw new PlatformError('file-not-allowed', 'spoiler');
    return thread;
  }

  /** If a post was refused because there can be no thread, notes it: the next post goes to the channel itself. */
  async noteThreadsForbidden(address: Address, error: unknown): Promise<boolean> {
    const where = threadForbidden(error);
    const thread = where && (await this.threadAt(address));
    if (thread === undefined) return false;
    const key = threadlessKey(address);
    const before = await this.#store.get<Threadless>(key);
    const others = Array.isArray(before) ? before : [];
    const threadless = where === 'channel' || [...others, thread].slice(-mostThreadless);
    await this.#store.set(key, threadless, threadlessFor);
    return true;
  }

  /** The message that was posted under a key, by this process or an earlier one; undefined if there is none. */
  async foundUnder(address: Address, key: string): Promise<FoundMessage | undefined> {
    const record = await this.record(address, key);
    if (!record) return undefined;
    if (record.ts !== undefined) return this.at(address, record.ts);
    return this.find(address, markOf(address, key), record.at);
  }

  /** Finds the message with this mark, from `since` on. */
  async find(address: Address, mark: string, since: number): Promise<FoundMessage | undefined> {
    for await (const message of this.since(address, since)) {
      if (message.metadata?.event_payload?.key === mark) return message;
    }
    return undefined;
  }

  /** The first of these files that a message from `since` on has. */
  async fileShown(address: Address, ids: readonly string[], since: number): Promise<SharedFile | undefined> {
    for await (const { ts, thread_ts: thread, files = [] } of this.since(address, since)) {
      const file = files.find(({ id }) => ids.includes(id));
      if (file) return { id: file.id, ts, thread };
    }
    return undefined;
  }

  /**
   * Messages at an address from a time on, in no particular order: those from soon after that time, and the latest.
   * Slack returns a channel’s newest messages first (conversations.history): in a busy channel a message from hours
   * ago is on none of the pages that are read, so the time in which it most likely came is read separately.
   */
  async *since(address: Address, time: number): AsyncGenerator<FoundMessage> {
    const [oldest, end] = [Math.max(0, time - clockSlack), time + soon];
    if (end >= this.#clock.now()) return yield* this.#between(address, { oldest });
    yield* this.#between(address, { oldest, latest: end });
    yield* this.#between(address, { oldest: end });
  }

  async *#between(
    address: Address,
    { oldest, latest }: { readonly oldest: number; readonly latest?: number },
  ): AsyncGenerator<FoundMessage> {
    const thread = await this.threadAt(address);
    const args = {
      ...(thread !== undefined && { ts: thread }),
      oldest: stampOf(oldest),
      ...(latest !== undefined && { latest: stampOf(latest) }),
      inclusive: true,
      limit: pageSize,
    };
    const read = (at: Arguments) => this.#read(address, { ...args, ...at });
    for await (const page of pagesOf(read, maxPages)) yield* messagesIn(page);
  }

  /** A message as it is now. */
  async at(address: Address, ts: string): Promise<FoundMessage | undefined> {
    const root = (await this.threadAt(address)) ?? ts;
    const args = { ts: root, oldest: ts, latest: ts, inclusive: true, limit: 2 };
    return messagesIn(await this.#read(address, args)).find((message) => message.ts === ts);
  }

  #read({ workspace, channel }: Address, args: Arguments): Promise<Answer> {
    const method = args.ts === undefined ? 'conversations.history' : 'conversations.replies';
    return this.#api.ask(workspace, method, { channel, include_all_metadata: true, ...args });
  }
}

function messagesIn({ messages }: Answer): readonly FoundMessage[] {
  return (messages ?? []) as readonly FoundMessage[];
}

/** Whether Slack's response about a message names no thread. */
function isWithoutThread(message: unknown): boolean {
  return typeof message === 'object' && message !== null && !('thread_ts' in message);
}

/** The key of one of the messages of a live answer to an event. */
export function liveKeyOf(eventId: string, index: number): string {
  return `${eventId}:live:${index}`;
}

/** The key of what takes the place of such a message, where that can't show it. */
export function insteadOfKeyOf(eventId: string, index: number): string {
  return `${liveKeyOf(eventId, index)}:after`;
}

function recordKey(address: Address, key: string): string {
  return `post ${markOf(address, key)}`;
}

/** Metadata of a post: its key, and the files that belong to it. */
export function metadataOf(address: Address, key: string, files: readonly string[] = []) {
  return { event_type: metadataType, event_payload: { key: markOf(address, key), files } };
}

/** A key at an address as a short hash, which says nothing about the content. */
export function markOf(address: Address, key: string): string {
  return createHash('sha256')
    .update(`${conversationKey(address)} ${key}`)
    .digest('base64url')
    .slice(0, 32);
}

function threadlessKey({ workspace, channel }: Address): string {
  return `threadless ${workspace} ${channel}`;
}
