import type { webApi } from '@slack/bolt';
import type { Signals } from '../../../../coordination/index.ts';
import { BoundedMap } from '../../../../lib/bounded-map.ts';
import { type Clock, inTime } from '../../../../lib/clock.ts';
import { type Address, ArchivedError, PlatformError } from '../../../../port/index.ts';
import type { KeyValueStore } from '../../../../store/index.ts';
import { platformError, slackCode, unpostableKinds } from '../../api/errors.ts';
import { type Arguments, type CallOptions, pagesOf, type SlackApi } from '../../api/slack-api.ts';
import { isDirect, isWorkspace, slackAddress, threadOf } from '../address.ts';
import type { PostRecord } from '../posted-messages.ts';

/** How long to wait for information about a channel, in milliseconds. */
const patience = 1_000;
/** How long what Slack said of a channel counts, in milliseconds, and how many are remembered. */
const freshFor = 5 * 60_000;
const remembered = 5_000;

/** How long it's known that the bot was in a channel, in milliseconds: longer than a `response_url` works there. */
const wasInFor = 60 * 60_000;

/** How many channels of one text are looked up. */
const named = 5;

/** Tells the other processes of a change of a channel. */
const changed = 'slack-channel-changed';

/** A channel as the bot sees it (conversation object). */
type ChannelInfo = NonNullable<webApi.ConversationsInfoResponse['channel']>;

interface ChannelsDependencies {
  readonly api: SlackApi;
  readonly refusals: ChannelRefusals;
  /** Shared by all processes. */
  readonly store: Pick<KeyValueStore, 'get' | 'set'>;
  readonly signals: Signals;
  readonly clock: Clock;
}

/** What Slack said of a channel last. */
interface Known {
  /** The bot may post there. */
  readonly isOpen: boolean;
  /** It's direct messages of several people. */
  readonly isGroup: boolean;
  /** Other organizations share it. */
  readonly isExternal: boolean;
  /** Undefined where only its members may know it, or other workspaces of an organization. */
  readonly publicName: string | undefined;
}

/** What is known of channels before anything is posted or spent. */
export class Channels {
  readonly #dependencies: ChannelsDependencies;
  readonly #known = new BoundedMap<string, Known>({ most: remembered });
  /** Channels of which that still counts. */
  readonly #fresh: BoundedMap<string, true>;
  /** The workspaces of channels. */
  readonly #workspaces: BoundedMap<string, string>;

  constructor(dependencies: ChannelsDependencies) {
    this.#dependencies = dependencies;
    const { clock, signals } = dependencies;
    const lifetime = { milliseconds: freshFor, clock };
    this.#fresh = new BoundedMap({ most: remembered, lifetime });
    this.#workspaces = new BoundedMap({ most: remembered, lifetime });
    signals.on(changed, (key) => this.#fresh.delete(key));
  }

  /**
   * Why the bot can’t post at an address: `not-a-member`, or what the channel’s settings say; undefined where nothing
   * is known against it. `fresh` asks Slack again. Where Slack doesn’t say, or not in time, posting will show.
   */
  async refusalAt(
    address: Address,
    { fresh }: { readonly fresh: boolean },
  ): Promise<PlatformError | undefined> {
    const { workspace, channel } = address;
    if (isDirect(channel)) return undefined;
    const { refusals } = this.#dependencies;
    const before = await refusals.refusalAt(address);
    if (before) return before;
    const key = `${workspace} ${channel}`;
    if (!fresh && this.#fresh.has(key) && this.#known.get(key)?.isOpen) return undefined;
    const info = await this.#lookQuickly(address);
    if (info instanceof PlatformError) return info.kind === 'not-a-member' ? info : undefined;
    return info && refusalBy(info, address);
  }

  /**
   * Checks before an upload that a post is allowed. Where a file was uploaded `before`, its message may already be
   * there, so it’s looked for instead.
   * @throws {PlatformError} the refusal that would come after the upload.
   */
  async expectOpen(address: Address, before: PostRecord | undefined): Promise<void> {
    if (Object.keys(before?.files ?? {}).length > 0) return;
    const refusal = await this.refusalAt(address, { fresh: true });
    if (refusal && unpostableKinds.includes(refusal.kind)) throw refusal;
  }

  /**
   * Whether somebody took the bot out of a channel after something was asked for there (`since`, in milliseconds since the
   * epoch). False where it wasn't a member then, or nobody knows; where it was and Slack doesn't say what it is now, true.
   */
  async isTakenOut(address: Address, since: number): Promise<boolean> {
    const { workspace, channel } = address;
    if (isDirect(channel)) return false;
    const wasIn = await this.#dependencies.store.get<number>(wasInKey(`${workspace} ${channel}`));
    // What was known shortly before counted then.
    if (wasIn === undefined || wasIn < since - freshFor) return false;
    const info = await this.#lookQuickly(address);
    return !(info && 'is_member' in info && info.is_member === true);
  }

  /** What is known of a channel counts no more: Slack reports a change. */
  async changed(workspace: string, channel: string): Promise<void> {
    const key = `${workspace} ${channel}`;
    this.#fresh.delete(key);
    // Only one process is told by Slack. Where this is lost, the others find out a few minutes later.
    await this.#dependencies.signals.send(changed, key).catch(() => undefined);
    await this.#dependencies.refusals.changed(workspace, channel);
  }

  /**
   * A channel’s name; only its members know that of a private one, or who is in direct messages of several people. Undefined
   * for a person’s.
   */
  async nameOf(address: Address, reader?: string): Promise<string | undefined> {
    if (isDirect(address.channel)) return undefined;
    const { name, is_private, is_mpim: isGroup } = await this.#look(address);
    const isKnown =
      (is_private === false && !isGroup) ||
      (reader !== undefined && (await isMember(this.#dependencies.api, reader, address)));
    if (!isKnown) return undefined;
    return isGroup ? peopleIn(name) : name;
  }

  /** Whether only its members can read a channel. @throws {PlatformError} if Slack doesn’t say. */
  async isPrivate(address: Address): Promise<boolean> {
    return isDirect(address.channel) || (await this.#look(address)).is_private === true;
  }

  /** Whether a channel is direct messages of several people. */
  isGroup(address: Address): Promise<boolean> {
    return this.#is('isGroup', address);
  }

  /** Whether other organizations share a channel (Slack Connect). */
  isExternal(address: Address): Promise<boolean> {
    return this.#is('isExternal', address);
  }

  /** Whether a channel is in the workspace of its address, as far as Slack says: an organization’s token reaches the others’, too. */
  async isInWorkspace(address: Address): Promise<boolean> {
    const info = await this.#lookQuickly(address);
    return !info || info instanceof PlatformError || isIn(info, address.workspace);
  }

  /**
   * The names of public channels, as far as they’re known or quickly found, for those who read an address: none where other
   * organizations may.
   */
  async publicNamesAt(
    { workspace, channel }: Pick<Address, 'workspace' | 'channel'>,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const some = [...new Set(ids)].slice(0, named);
    if (some.length === 0) return new Map();
    const [here, ...names] = await Promise.all([
      isDirect(channel) ? undefined : this.#find(slackAddress(workspace, channel)),
      ...some.map(async (id) => [id, (await this.#find(slackAddress(workspace, id)))?.publicName] as const),
    ]);
    if (!isDirect(channel) && here?.isExternal !== false) return new Map();
    return new Map(names.flatMap(([id, name]) => (name === undefined ? [] : [[id, name] as const])));
  }

  async #is(what: 'isGroup' | 'isExternal', address: Address): Promise<boolean> {
    return !isDirect(address.channel) && (await this.#find(address))?.[what] === true;
  }

  /** What Slack said last, where it doesn’t say so again in time; undefined where it never did. */
  async #find(address: Address): Promise<Known | undefined> {
    const key = `${address.workspace} ${address.channel}`;
    if (!this.#fresh.has(key)) await this.#lookQuickly(address);
    return this.#known.get(key);
  }

  /**
   * The workspace of a channel in an organization, by what Slack tells the bot in any of its workspaces (`asking`); of a
   * channel that several share, the same for everybody, or `asking` where Slack names none. Undefined where it doesn’t show the
   * bot the channel.
   * @throws {PlatformError} if Slack doesn’t say, or not in time.
   */
  async workspaceOf(asking: string, channel: string): Promise<string | undefined> {
    const known = this.#workspaces.get(channel);
    if (known !== undefined) return known;
    const info = await this.#lookQuickly(slackAddress(asking, channel));
    if (info instanceof PlatformError && info.kind === 'not-a-member') return undefined;
    if (!info || info instanceof PlatformError) throw info ?? new PlatformError('unreachable');
    const [workspace] = workspacesOf(info);
    if (workspace !== undefined) this.#workspaces.set(channel, workspace);
    return workspace ?? asking;
  }

  /** What Slack says of a channel, or why it says nothing; undefined where that would take too long. */
  async #lookQuickly(address: Address): Promise<ChannelInfo | PlatformError | undefined> {
    const { clock, api, store } = this.#dependencies;
    // The rate limit is used up: the answer would come too late.
    if (api.delay(address.workspace, 'conversations.info') > patience) return undefined;
    const looked = this.#look(address, { patience }).catch((error: PlatformError) => error);
    const info = await inTime(clock, patience, looked, undefined);
    const { workspace, channel } = address;
    const key = `${workspace} ${channel}`;
    if (!info || info instanceof PlatformError) {
      this.#fresh.delete(key);
      return info;
    }
    this.#known.set(key, {
      isOpen: !refusalBy(info, address) && info.is_thread_only !== true,
      isGroup: info.is_mpim === true,
      isExternal: info.is_ext_shared === true,
      publicName: info.is_private === false && isIn(info, workspace) ? info.name : undefined,
    });
    this.#fresh.set(key, true);
    // Nothing waits for it.
    if (info.is_member) void store.set(wasInKey(key), clock.now(), wasInFor).catch(() => undefined);
    return info;
  }

  async #look({ workspace, channel }: Address, options: CallOptions = {}): Promise<ChannelInfo> {
    const answer = await this.#dependencies.api.ask(workspace, 'conversations.info', { channel }, options);
    return answer.channel as ChannelInfo;
  }
}

const wasInKey = (channel: string) => `was in ${channel}`;

/** The workspaces that a channel is in, as far as Slack names them: none of what a whole organization shares, at times. */
function workspacesOf({ context_team_id: context = '', internal_team_ids: within = [] }: ChannelInfo) {
  return [context, ...within].filter(isWorkspace);
}

/** Whether a channel is in a workspace, or may be. */
function isIn(info: ChannelInfo, workspace: string): boolean {
  const within = workspacesOf(info);
  return within.length === 0 || within.includes(workspace);
}

/**
 * The refusal that a post would meet, with Slack’s own code. In what’s read-only some people may post, and in what’s thread-only
 * too, where all others may reply; the bot isn’t one of them.
 */
function refusalBy(info: ChannelInfo, address: Address): PlatformError | undefined {
  const { is_member, is_archived, is_read_only, is_thread_only } = info;
  if (is_member === false) return new PlatformError('not-a-member', 'not_in_channel');
  if (is_archived) return new ArchivedError('is_archived');
  if (is_read_only) return new PlatformError('no-permission', 'restricted_action_read_only_channel');
  if (!is_thread_only || threadOf(address) !== undefined) return undefined;
  return new PlatformError('no-permission', 'restricted_action_thread_only_channel');
}

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

/** Who is in direct messages of several people, by the name that Slack makes of theirs: `mpdm-ada--ben-1`. */
function peopleIn(name = ''): string | undefined {
  const [, people] = /^mpdm-(.+)-\d+$/.exec(name) ?? [];
  return people?.replaceAll('--', ', ');
}

/** Members in a page of `conversations.members`: the most there can be. */
const pageLength = 999;

/**
 * Whether a person is in a channel now; in direct messages with the bot they are. Reads the members page by page until
 * they're found.
 * @throws {PlatformError} if Slack doesn’t say, as where the bot isn’t in the channel.
 */
export async function isMember(
  api: SlackApi,
  person: string,
  { workspace, channel }: Pick<Address, 'workspace' | 'channel'>,
): Promise<boolean> {
  if (isDirect(channel)) return true;
  const read = (at: Arguments) =>
    api.ask(workspace, 'conversations.members', { channel, limit: pageLength, ...at });
  for await (const { members } of pagesOf(read))
    if (((members ?? []) as readonly string[]).includes(person)) return true;
  return false;
}
