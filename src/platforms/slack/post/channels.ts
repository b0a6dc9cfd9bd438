import type { Clock } from '../../../lib/clock.ts';
import { inTime } from '../../../lib/in-time.ts';
import { type Address, PlatformError } from '../../../port/index.ts';
import { platformError, unpostableKinds } from '../api/errors.ts';
import type { CallOptions, SlackApi } from '../api/slack-api.ts';
import { isDirect, threadOf } from './address.ts';
import type { ChannelRefusals } from './channel-refusals.ts';
import type { PostRecord } from './posted-messages.ts';

/** Nothing waits longer to learn about a channel, in milliseconds. */
const patience = 1_000;
/** For so long a channel where the bot may post counts as such, in milliseconds; so many are remembered. */
const openFor = 5 * 60_000;
const remembered = 5_000;

/** What `conversations.info` tells of a channel, each from where the bot stands (conversation object). */
interface ChannelInfo {
  readonly name?: string;
  readonly is_member?: boolean;
  readonly is_archived?: boolean;
  /** Only some may post there, and the bot isn't one of them. */
  readonly is_read_only?: boolean;
  /** The same, but for replies. */
  readonly is_thread_only?: boolean;
}

interface ChannelsDependencies {
  readonly api: SlackApi;
  readonly shut: ChannelRefusals;
  readonly clock: Clock;
}

/** What is known of channels before anything is posted or paid for. */
export class Channels {
  readonly #dependencies: ChannelsDependencies;
  /** Channels where the bot may post, with the time of `steady` until which that counts. */
  readonly #open = new Map<string, number>();

  constructor(dependencies: ChannelsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Why nothing can be posted at a place: `not-a-member`, or what its settings say; undefined where nothing is known
   * against it. Slack is asked, anew where `fresh` is set; where it doesn't tell, or not in time, posting will show.
   */
  async refusalAt(
    address: Address,
    { fresh }: { readonly fresh: boolean },
  ): Promise<PlatformError | undefined> {
    const { workspace, channel } = address;
    if (isDirect(channel)) return undefined;
    const { shut, clock, api } = this.#dependencies;
    const before = await shut.refusalAt(address);
    if (before) return before;
    const key = `${workspace} ${channel}`;
    if (!fresh && (this.#open.get(key) ?? 0) > clock.steady()) return undefined;
    this.#open.delete(key);
    // Asked too often to hear it in time.
    if (api.delay(workspace, 'conversations.info') > patience) return undefined;
    const looked = this.#look(address, { patience }).catch((error: PlatformError) => error);
    const info = await inTime(clock, patience, looked, undefined);
    if (!info) return undefined;
    if (info instanceof PlatformError) return info.kind === 'not-a-member' ? info : undefined;
    const refusal = refusalBy(info, address);
    if (!refusal && info.is_thread_only !== true) this.#noteOpen(key);
    return refusal;
  }

  /**
   * Whether a place takes posts is known before a file is brought to Slack for it. Where one was brought `before`, its
   * message may stand there already, whatever the place takes by now: then it's looked for instead.
   * @throws {PlatformError} the refusal that would come after the upload.
   */
  async expectOpen(address: Address, before: PostRecord | undefined, kinds = unpostableKinds): Promise<void> {
    if (Object.keys(before?.files ?? {}).length > 0) return;
    const refusal = await this.refusalAt(address, { fresh: true });
    if (refusal && kinds.includes(refusal.kind)) throw refusal;
  }

  /** Slack tells of a change of the channel: what is known of it counts no more. */
  async changed(workspace: string, channel: string): Promise<void> {
    this.#open.delete(`${workspace} ${channel}`);
    await this.#dependencies.shut.changed(workspace, channel);
  }

  /** What people call a channel; undefined for direct messages. */
  async nameOf(address: Address): Promise<string | undefined> {
    return isDirect(address.channel) ? undefined : (await this.#look(address)).name;
  }

  async #look({ workspace, channel }: Address, options: CallOptions = {}): Promise<ChannelInfo> {
    try {
      const answer = await this.#dependencies.api.call(workspace, 'conversations.info', { channel }, options);
      return answer.channel as ChannelInfo;
    } catch (error) {
      throw platformError(error);
    }
  }

  #noteOpen(key: string): void {
    this.#open.set(key, this.#dependencies.clock.steady() + openFor);
    const [oldest] = this.#open.keys();
    if (this.#open.size > remembered && oldest !== undefined) this.#open.delete(oldest);
  }
}

/** The refusals that a post would meet, by the names Slack has for them. */
function refusalBy(info: ChannelInfo, address: Address): PlatformError | undefined {
  const { is_member, is_archived, is_read_only, is_thread_only } = info;
  if (is_member === false) return new PlatformError('not-a-member', 'not_in_channel');
  if (is_archived) return new PlatformError('gone', 'is_archived');
  if (is_read_only) return new PlatformError('no-permission', 'restricted_action_read_only_channel');
  if (!is_thread_only || threadOf(address) !== undefined) return undefined;
  return new PlatformError('no-permission', 'restricted_action_thread_only_channel');
}
