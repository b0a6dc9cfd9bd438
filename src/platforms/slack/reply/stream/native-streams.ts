import { sleep } from '../../../../lib/clock.ts';
import type { Address } from '../../../../port/index.ts';
import { isAnswerLost, isRefused, platformError, slackCode } from '../../api/errors.ts';
import { slackFeatures } from '../../api/features.ts';
import { methods } from '../../api/methods.ts';
import { hasLink } from '../../markup/safe-text.ts';
import { isDirect, threadOf } from '../../post/address.ts';
import { chunksOf } from '../../post/end-stream.ts';
import { firstWords, NativeStream, type StreamDependencies } from './native-stream.ts';

/** A stream whose start got no response may still be on its way, in milliseconds. */
const settleTime = 1_500;
/** How many streams a workspace may have open: each also needs one of the twenty stops a minute. */
const mostOpen = 12;

/** A workspace's streams. */
interface Use {
  open: number;
  /** When streams of the last minute were started. */
  started: readonly number[];
}

/**
 * Starts native streams where Slack has capacity for them: only in direct messages. In channels a stream is live for
 * one person, the others see its beginning and then its end (agentconnect#1494), and some workspaces allow none there
 * (integration-templates#676).
 */
export class NativeStreams {
  readonly #dependencies: StreamDependencies;
  readonly #uses = new Map<string, Use>();
  readonly #open = new Map<string, NativeStream>();

  constructor(dependencies: StreamDependencies) {
    this.#dependencies = dependencies;
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
    if (await this.#isRefused(workspace)) return undefined;
    if (!this.#begin(workspace)) return undefined;
    const sent = firstWords(text);
    const chunks = chunksOf(sent);
    const args = { channel, thread_ts: thread, ...(chunks.length > 0 && { chunks }) };
    try {
      const { ts } = await this.#dependencies.api.call(workspace, 'chat.startStream', args);
      await this.#note(workspace, 'works');
      return this.#keep(address, { ts: String(ts), sent, before: text });
    } catch (error) {
      if (isAnswerLost(error)) {
        await sleep(this.#dependencies.clock, settleTime);
        const ts = await findLost().catch((unknown: unknown) => {
          this.#ended(workspace);
          throw unknown;
        });
        if (ts !== undefined) return this.#keep(address, { ts, sent, before: text });
      }
      this.#ended(workspace);
      if (isAnswerLost(error)) return undefined;
      if (slackCode(error) === undefined) throw error;
      // An empty start may be refused for that alone.
      if (isRefused(platformError(error)) && chunks.length > 0) await this.#note(workspace, 'refused');
      return undefined;
    }
  }

  /** Continues a stream that was started with a text, though the start got no response. */
  takeUp(address: Address, ts: string, text: string): NativeStream {
    const use = this.#uses.get(address.workspace) ?? { open: 0, started: [] };
    this.#uses.set(address.workspace, { ...use, open: use.open + 1 });
    return this.#keep(address, { ts, sent: firstWords(text), before: text });
  }

  /** Whether a message is a stream that this process is writing. */
  isOpen(workspace: string, channel: string, ts: string): boolean {
    return this.#open.has(keyOf(workspace, channel, ts));
  }

  /** Slack has ended these streams because a person pressed its Stop button. */
  noteStopped(workspace: string, channel: string, messages: readonly string[]): void {
    for (const ts of messages) this.#open.get(keyOf(workspace, channel, ts))?.noteStopped();
  }

  #keep(
    address: Address,
    begun: { readonly ts: string; readonly sent: string; readonly before: string },
  ): NativeStream {
    const { workspace, channel } = address;
    const key = keyOf(workspace, channel, begun.ts);
    const stream = new NativeStream(this.#dependencies, address, begun, () => {
      this.#open.delete(key);
      this.#ended(workspace);
    });
    this.#open.set(key, stream);
    return stream;
  }

  async #isRefused(workspace: string): Promise<boolean> {
    return (
      (await this.#dependencies.capabilities.find(workspace, slackFeatures.streamInDirectMessage)) ===
      'refused'
    );
  }

  async #note(workspace: string, seen: 'works' | 'refused'): Promise<void> {
    const feature = slackFeatures.streamInDirectMessage;
    if ((await this.#dependencies.capabilities.find(workspace, feature)) === seen) return;
    await this.#dependencies.capabilities.note(workspace, feature, seen);
  }

  /** Makes capacity for another stream. */
  #ended(workspace: string): void {
    const use = this.#uses.get(workspace);
    if (use) use.open -= 1;
  }

  /** Counts a stream before it starts; false where there is no capacity without waiting. */
  #begin(workspace: string): boolean {
    const { limit, window } = methods['chat.startStream'].rate;
    const now = this.#dependencies.clock.steady();
    for (const [other, { open, started }] of this.#uses) {
      if (open === 0 && started.every((at) => now - at >= window)) this.#uses.delete(other);
    }
    const use = this.#uses.get(workspace) ?? { open: 0, started: [] };
    const started = use.started.filter((at) => now - at < window);
    if (use.open >= mostOpen || started.length >= limit) return false;
    this.#uses.set(workspace, { open: use.open + 1, started: [...started, now] });
    return true;
  }
}

function keyOf(workspace: string, channel: string, ts: string): string {
  return `${workspace} ${channel} ${ts}`;
}
