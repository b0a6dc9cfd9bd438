import type { Signals } from '../../../../coordination/index.ts';
import { sleep } from '../../../../lib/clock.ts';
import type { Address, Capability } from '../../../../port/index.ts';
import {
  isAnswerLost,
  isFeatureMissing,
  isFormatRefused,
  retryAfter,
  slackCode,
  slackFeatures,
} from '../../api/errors.ts';
import type { RateLimits } from '../../api/rate-limits.ts';
import type { SlackApi } from '../../api/slack-api.ts';
import { hasLink } from '../../markup/mrkdwn.ts';
import { isDirect, threadOf } from '../../post/address.ts';
import { chunksOf, deleteMessage, endStream } from '../../post/edits.ts';
import { settleTime } from '../../post/posted-messages.ts';
import { firstWords, NativeStream, type StreamDependencies } from './native-stream.ts';

/** How long the first words wait where Slack asks to, in milliseconds: an ordinary message needn't. */
const patience = 2_000;
/** How many streams all processes may have open in a workspace: each also needs one of the twenty stops a minute. */
const mostOpen = 12;

/** Tells the other processes that a person has stopped a stream, by its key. */
const stopped = 'slack-stream-stopped';

interface NativeStreamsDependencies extends StreamDependencies {
  readonly rateLimits: Pick<RateLimits, 'takeFree'>;
  readonly signals: Signals;
  /** How many streams the other processes are writing in a workspace. */
  readonly openElsewhere: (workspace: string) => Promise<number>;
  /** Awaited right before a stream is started: rejects where others have taken this process for dead. */
  readonly expectLiving?: (() => Promise<void>) | undefined;
}

/**
 * Starts native streams where Slack has capacity for them: only in direct messages. In channels a stream is live for
 * one person, the others see its beginning and then its end (agentconnect#1494), and some workspaces allow none there
 * (integration-templates#676).
 */
export class NativeStreams {
  readonly #dependencies: NativeStreamsDependencies;
  /** How many streams this process has open or starts, by workspace. */
  readonly #counts = new Map<string, number>();
  readonly #open = new Map<string, NativeStream>();

  constructor(dependencies: NativeStreamsDependencies) {
    this.#dependencies = dependencies;
    dependencies.signals.on(stopped, (key) => this.#open.get(key)?.noteStopped());
  }

  /** Whether streams are used at an address: in threads of direct messages. */
  static fit(address: Address): boolean {
    return threadOf(address) !== undefined && isDirect(address.channel);
  }

  /**
   * Starts a stream under a message. Undefined where that isn’t possible or wise: a link in the text, too many
   * streams at once, a refusal by Slack; then an ordinary message takes its place. If the start gets no response,
   * `findLost` tells whether the message exists.
   */
  async start(
    address: Address,
    text: string,
    findLost: () => Promise<string | undefined>,
  ): Promise<NativeStream | undefined> {
    const { workspace, channel } = address;
    const thread = threadOf(address);
    if (!NativeStreams.fit(address) || hasLink(text)) return undefined;
    if ((await this.#seen(workspace)) === 'refused') return undefined;
    if (!(await this.#begin(address))) return undefined;
    const sent = firstWords(text);
    const chunks = chunksOf(sent);
    const args = { channel, thread_ts: thread, ...(chunks.length > 0 && { chunks }) };
    try {
      const { ts } = await this.#dependencies.api.call(workspace, 'chat.startStream', args, {
        hasSlot: true,
        patience,
        beforeSending: this.#dependencies.expectLiving,
      });
      await this.#note(workspace, 'works');
      return this.#keep(address, { ts: String(ts), sent, before: text });
    } catch (error) {
      if (isAnswerLost(error)) {
        await sleep(this.#dependencies.clock, settleTime);
        const ts = await findLost().catch((unknown: unknown) => {
          this.#count(workspace, -1);
          throw unknown;
        });
        if (ts !== undefined) return this.#keep(address, { ts, sent, before: text });
      }
      this.#count(workspace, -1);
      if (isAnswerLost(error)) return undefined;
      if (slackCode(error) === undefined && retryAfter(error) === undefined) throw error;
      // An empty start may be refused for that alone, and other errors are about one conversation.
      const isForAll = isFeatureMissing(error) || isFormatRefused(error);
      if (isForAll && chunks.length > 0) await this.#note(workspace, 'refused');
      return undefined;
    }
  }

  /** Continues a stream that was started with a text, though the start got no response. */
  takeUp(address: Address, ts: string, text: string): NativeStream {
    this.#count(address.workspace, 1);
    return this.#keep(address, { ts, sent: firstWords(text), before: text });
  }

  /** Whether a message is a stream that this process is writing. */
  isOpen(workspace: string, channel: string, ts: string): boolean {
    return this.#open.has(keyOf(workspace, channel, ts));
  }

  /** Slack has ended these streams because a person pressed its Stop button; any process may be writing them. */
  async noteStopped(workspace: string, channel: string, messages: readonly string[]): Promise<void> {
    for (const ts of messages) {
      const key = keyOf(workspace, channel, ts);
      this.#open.get(key)?.noteStopped();
      // Where it’s lost, the process finds out when Slack takes nothing more.
      await this.#dependencies.signals.send(stopped, key).catch(() => undefined);
    }
  }

  #keep(
    address: Address,
    begun: { readonly ts: string; readonly sent: string; readonly before: string },
  ): NativeStream {
    const { workspace, channel } = address;
    const key = keyOf(workspace, channel, begun.ts);
    const stream = new NativeStream(this.#dependencies, address, begun, () => {
      this.#open.delete(key);
      this.#count(workspace, -1);
    });
    this.#open.set(key, stream);
    return stream;
  }

  #seen(workspace: string): Promise<Capability | undefined> {
    return this.#dependencies.capabilities.find(workspace, slackFeatures.streamInDirectMessage);
  }

  async #note(workspace: string, seen: Capability): Promise<void> {
    if ((await this.#seen(workspace)) === seen) return;
    await this.#dependencies.capabilities.note(workspace, slackFeatures.streamInDirectMessage, seen);
  }

  /** Counts a stream before it starts; false where Slack has no capacity for it without waiting. */
  async #begin({ workspace, channel }: Address): Promise<boolean> {
    const { rateLimits, openElsewhere } = this.#dependencies;
    if ((this.#counts.get(workspace) ?? 0) >= mostOpen) return false;
    this.#count(workspace, 1);
    const elsewhere = async () => openElsewhere(workspace).catch(() => 0);
    const hasCapacity =
      (await rateLimits.takeFree('chat.startStream', workspace, channel)) &&
      (this.#counts.get(workspace) ?? 0) + (await elsewhere()) <= mostOpen;
    if (!hasCapacity) this.#count(workspace, -1);
    return hasCapacity;
  }

  #count(workspace: string, by: number): void {
    const count = (this.#counts.get(workspace) ?? 0) + by;
    if (count > 0) this.#counts.set(workspace, count);
    else this.#counts.delete(workspace);
  }
}

function keyOf(workspace: string, channel: string, ts: string): string {
  return `${workspace} ${channel} ${ts}`;
}

/** Starts an answer's streams, and finds the one whose start got no response. */
export class StreamStarter {
  readonly #api: SlackApi;
  readonly #nativeStreams: NativeStreams;
  readonly #findLostStream: (known: readonly string[]) => Promise<string | undefined>;
  /** The text of a stream that may exist: its start got no response, and nobody could look for it so far. */
  #lostText: string | undefined;

  /** `findLostStream` looks for a stream of this answer whose start got no response; `known` are certainly not it. */
  constructor(
    api: SlackApi,
    nativeStreams: NativeStreams,
    findLostStream: (known: readonly string[]) => Promise<string | undefined>,
  ) {
    this.#api = api;
    this.#nativeStreams = nativeStreams;
    this.#findLostStream = findLostStream;
  }

  /** Whether a stream may exist that nobody knows of. */
  get mayHaveLost(): boolean {
    return this.#lostText !== undefined;
  }

  /** Starts a stream, or takes up the lost one where it exists; undefined where the place takes none now. */
  async start(address: Address, text: string, known: readonly string[]): Promise<NativeStream | undefined> {
    const lostText = this.#lostText;
    const found = lostText === undefined ? undefined : await this.#find(lostText, known);
    if (lostText !== undefined && found !== undefined)
      return this.#nativeStreams.takeUp(address, found, lostText);
    return this.#nativeStreams.start(address, text, () => this.#find(text, known));
  }

  /** The answer ends before its lost stream was found: it's ended and deleted, for an ordinary message has all. */
  async discardLost(address: Address): Promise<void> {
    if (!this.mayHaveLost) return;
    const ts = await this.#findLostStream([]);
    if (ts !== undefined && (await endStream(this.#api, address, ts)) === 'ended')
      await deleteMessage(this.#api, address, ts);
    this.#lostText = undefined;
  }

  async #find(text: string, known: readonly string[]): Promise<string | undefined> {
    this.#lostText = text;
    const found = await this.#findLostStream(known);
    this.#lostText = undefined;
    return found;
  }
}
