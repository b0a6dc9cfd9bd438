import { type Address, PlatformError } from '../../../port/index.ts';
import { platformError, slackCode } from '../api/errors.ts';
import type { Arguments } from '../api/slack-api.ts';
import type { KeyValueStore } from '../key-value-store.ts';
import { isDirect, threadOf } from './address.ts';

/** For how long a refusal is remembered, in milliseconds: who changes a channel's settings need not wait long. */
const lifetime = 10 * 60_000;
/** Channels that this process forgets as soon as something is taken there; the oldest is left to its lifetime. */
const watched = 1_000;

/** Only replies are taken there. */
const threadsOnly = 'restricted_action_thread_only_channel';

/**
 * What Slack says of a whole channel where it takes no post of the bot's; others are about one thread or message.
 * `no_permission` isn't one: it says that the bot may not be a member (chat.postMessage), and an invitation mends that.
 */
const channelCodes: readonly string[] = [
  'is_archived',
  'posting_to_channel_denied',
  'posting_to_general_channel_denied',
  'restricted_action',
  'restricted_action_read_only_channel',
  threadsOnly,
  'ekm_access_denied',
  'access_denied',
];

/** Methods that post, with the argument that names the channel. */
const channelIn: Readonly<Record<string, string>> = {
  'chat.postMessage': 'channel',
  'chat.startStream': 'channel',
  'files.completeUploadExternal': 'channel_id',
};

/**
 * Channels that refused a post a short while ago, whatever Slack tells of them beforehand: the next thing asked for
 * there is not paid for in vain. Kept for all processes; forgotten when something is taken there, when Slack tells of
 * a change of the channel, and after ten minutes.
 */
export class ChannelRefusals {
  readonly #memory: KeyValueStore;
  /** Those that this process has seen to be shut. */
  readonly #watchedChannels = new Set<string>();

  constructor(memory: KeyValueStore) {
    this.#memory = memory;
  }

  /** Notes how a call was answered; without `error` it was carried out. */
  async noteAnswer(workspace: string, method: string, args: Arguments, error?: unknown): Promise<void> {
    const channel = args[channelIn[method] ?? ''];
    if (typeof channel !== 'string' || isDirect(channel)) return;
    const key = keyOf(workspace, channel);
    if (error !== undefined) {
      const code = slackCode(error);
      if (code !== undefined && channelCodes.includes(code)) await this.#note(key, platformError(error));
    } else if (this.#watchedChannels.has(key)) {
      const isReply = args.thread_ts !== undefined;
      if (!isReply || (await this.#memory.get<Refusal>(key))?.code !== threadsOnly) await this.#forget(key);
    }
  }

  /** Why a place took nothing a short while ago; undefined where nothing is known of that. */
  async refusalAt(address: Address): Promise<PlatformError | undefined> {
    const { workspace, channel } = address;
    if (isDirect(channel)) return undefined;
    const key = keyOf(workspace, channel);
    const refusal = await this.#memory.get<Refusal>(key);
    if (!refusal || (refusal.code === threadsOnly && threadOf(address) !== undefined)) return undefined;
    this.#watch(key);
    return new PlatformError(refusal.kind, refusal.code);
  }

  /** Slack tells of a change of the channel. */
  async changed(workspace: string, channel: string): Promise<void> {
    await this.#forget(keyOf(workspace, channel));
  }

  async #note(key: string, { kind, detail = '' }: PlatformError): Promise<void> {
    this.#watch(key);
    await this.#memory.set(key, { kind, code: detail } satisfies Refusal, lifetime);
  }

  async #forget(key: string): Promise<void> {
    this.#watchedChannels.delete(key);
    await this.#memory.delete(key);
  }

  #watch(key: string): void {
    this.#watchedChannels.delete(key);
    this.#watchedChannels.add(key);
    const [oldest] = this.#watchedChannels;
    if (this.#watchedChannels.size > watched && oldest !== undefined) this.#watchedChannels.delete(oldest);
  }
}

interface Refusal {
  readonly kind: PlatformError['kind'];
  readonly code: string;
}

function keyOf(workspace: string, channel: string): string {
  return `shut ${workspace} ${channel}`;
}
