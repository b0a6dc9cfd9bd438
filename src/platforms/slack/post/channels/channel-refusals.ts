import { BoundedMap } from '../../../../lib/bounded-map.ts';
import { type Address, PlatformError } from '../../../../port/index.ts';
import { platformError, slackCode } from '../../api/errors.ts';
import type { KeyValueStore } from '../../api/key-value-store.ts';
import type { Arguments } from '../../api/slack-api.ts';
import { isDirect, threadOf } from '../address.ts';

/** How long a refusal is remembered, in milliseconds: short, so that changed settings count soon. */
const lifetime = 10 * 60_000;
/** How many refusals this process forgets as soon as a post succeeds; older ones just expire. */
const watched = 1_000;

/** Only replies in threads are allowed there. */
const threadsOnly = 'restricted_action_thread_only_channel';

/**
 * Error codes that are about the whole channel, not one thread or message. `no_permission` isn’t one: it says that
 * the bot may not be a member (chat.postMessage), and an invitation solves that.
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
 * Channels that refused a post a short while ago, whatever `conversations.info` says: the next command there is
 * refused before it costs anything. Shared by all processes; forgotten when a post succeeds, when Slack reports a
 * change of the channel, and after ten minutes.
 */
export class ChannelRefusals {
  readonly #store: KeyValueStore;
  /** Refusals that this process has seen. */
  readonly #watchedChannels = new BoundedMap<string, true>({ most: watched });

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  /** Notes the outcome of a call; without `error` it succeeded. */
  async noteAnswer(workspace: string, method: string, args: Arguments, error?: unknown): Promise<void> {
    const channel = args[channelIn[method] ?? ''];
    if (typeof channel !== 'string' || isDirect(channel)) return;
    const key = keyOf(workspace, channel);
    if (error !== undefined) {
      const code = slackCode(error);
      if (code !== undefined && channelCodes.includes(code)) await this.#note(key, platformError(error));
    } else if (this.#watchedChannels.has(key)) {
      const isReply = args.thread_ts !== undefined;
      if (!isReply || (await this.#store.get<Refusal>(key))?.code !== threadsOnly) await this.#forget(key);
    }
  }

  /** Why a post was refused there a short while ago; undefined if none was. */
  async refusalAt(address: Address): Promise<PlatformError | undefined> {
    const { workspace, channel } = address;
    if (isDirect(channel)) return undefined;
    const key = keyOf(workspace, channel);
    const refusal = await this.#store.get<Refusal>(key);
    if (!refusal || (refusal.code === threadsOnly && threadOf(address) !== undefined)) return undefined;
    this.#watchedChannels.set(key, true);
    return new PlatformError(refusal.kind, refusal.code);
  }

  /** Forgets a refusal: Slack reports a change of the channel. */
  async changed(workspace: string, channel: string): Promise<void> {
    await this.#forget(keyOf(workspace, channel));
  }

  async #note(key: string, { kind, detail = '' }: PlatformError): Promise<void> {
    this.#watchedChannels.set(key, true);
    await this.#store.set(key, { kind, code: detail } satisfies Refusal, lifetime);
  }

  async #forget(key: string): Promise<void> {
    this.#watchedChannels.delete(key);
    await this.#store.delete(key);
  }
}

interface Refusal {
  readonly kind: PlatformError['kind'];
  readonly code: string;
}

function keyOf(workspace: string, channel: string): string {
  return `shut ${workspace} ${channel}`;
}
