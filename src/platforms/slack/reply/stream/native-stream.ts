import { type Clock, sleep } from '../../../../lib/clock.ts';
import {
  type Address,
  type Button,
  type Capabilities,
  PlatformError,
  undefinedIfRefused,
} from '../../../../port/index.ts';
import {
  isAnswerLost,
  isRefused,
  platformError,
  slackCode,
  type SlackFeature,
  slackFeatures,
} from '../../api/errors.ts';
import type { CallOptions, SlackApi } from '../../api/slack-api.ts';
import { actions, hasVotes, type VotesAs } from '../../markup/blocks.ts';
import { hasLink } from '../../markup/mrkdwn.ts';
import { chunksOf, endStream } from '../../post/edits.ts';
import { metadataOf, type PostedMessages, settleTime } from '../../post/posted-messages.ts';
import type { StatusAfter } from './agent-sessions.ts';

/**
 * How long a stream may live, in milliseconds: Slack ends it after about five minutes, and its message then looks
 * failed.
 */
const longestLife = 3.5 * 60_000;
/** How often the end of a stream is tried. */
const maxTries = 4;

export interface StreamDependencies {
  readonly api: SlackApi;
  readonly postedMessages: PostedMessages;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
}

/** How a stream’s message ends. */
interface StreamEnd {
  readonly buttons: readonly Button[];
  /** The status of the thread’s session afterwards. */
  readonly sessionStatus: StatusAfter;
  /** Aborted when nobody waits for it any more: then another call ends it. */
  readonly signal: AbortSignal;
}

/**
 * A message that Slack itself shows as it’s being written. Text can only be added, and once the stream has ended the
 * message isn’t edited any more: chat.update answers `block_mismatch`, or shows the text twice (hermes-agent#109525).
 */
export class NativeStream {
  readonly ts: string;
  readonly #dependencies: StreamDependencies;
  readonly #address: Address;
  readonly #closed: () => void;
  readonly #startedAt: number;
  /** The text that Slack has. */
  #sent: string;
  /** The previous text: only what the next one has in common with it counts as settled. */
  #before: string;
  #state: 'open' | 'ended' | 'stopped by a person' = 'open';
  /** An addition got no response: nobody knows what the message shows. */
  #isUncertain = false;
  /** How many buttons stand below its whole text; undefined until it has ended with that. */
  #buttons: number | undefined;
  /** Somebody has deleted it: nothing takes its place. */
  #deleted: PlatformError | undefined;

  /** `closed` is called once, when the stream is over. */
  constructor(
    dependencies: StreamDependencies,
    address: Address,
    { ts, sent, before }: { readonly ts: string; readonly sent: string; readonly before: string },
    closed: () => void,
  ) {
    this.#dependencies = dependencies;
    this.#address = address;
    this.#closed = closed;
    this.ts = ts;
    this.#sent = sent;
    this.#before = before;
    this.#startedAt = dependencies.clock.steady();
  }

  /** Whether an ordinary message should take over before Slack ends it. */
  get isOld(): boolean {
    return this.#dependencies.clock.steady() - this.#startedAt > longestLife;
  }

  /** The text that people can read. */
  get sent(): string {
    return this.#sent;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Whether it has ended with its whole text. */
  get isWhole(): boolean {
    return this.#buttons !== undefined;
  }

  get isStoppedByPerson(): boolean {
    return this.#state === 'stopped by a person';
  }

  /** Slack has ended it because a person pressed its Stop button: nothing can be added or stopped any more. */
  noteStopped(): void {
    this.#close('stopped by a person');
  }

  /**
   * Adds the settled text: what the previous text had too, because the end of a growing text may close what is still
   * open. False where it can’t: the text no longer begins with what was sent, it has a link, which Slack would
   * preview, or Slack takes no more.
   * @throws {PlatformError} `deleted` if somebody has deleted it.
   */
  async grow(text: string, options: Pick<CallOptions, 'hasSlot' | 'signal'>): Promise<boolean> {
    if (this.#deleted) throw this.#deleted;
    const settled = settledPart(this.#before, text);
    this.#before = text;
    if (!this.#continues(text)) return false;
    if (settled.length <= this.#sent.length) return true;
    const chunks = chunksOf(settled.slice(this.#sent.length));
    const { workspace, channel } = this.#address;
    const args = { channel, ts: this.ts, chunks };
    try {
      await this.#dependencies.api.call(workspace, 'chat.appendStream', args, { ...options, urgent: false });
      this.#sent = settled;
      return true;
    } catch (error) {
      this.#isUncertain = isAnswerLost(error);
      if (!this.#isUncertain && platformError(error).kind === 'unreachable') throw error;
      await this.#noteEnd(error);
      return false;
    }
  }

  /**
   * Ends it with the rest of the text and its buttons. False where its message doesn’t show both: only the buttons
   * may be missing (`isWhole`).
   * @throws {PlatformError} `deleted` if somebody has deleted it.
   */
  async finish(text: string, end: StreamEnd, key: string): Promise<boolean> {
    if (this.#deleted) throw this.#deleted;
    if (this.#buttons !== undefined) return this.#sent === text && end.buttons.length <= this.#buttons;
    let buttons = (await this.#takes(slackFeatures.blocksAtStreamStop)) ? end.buttons : [];
    const takesVotes = hasVotes(buttons) && (await this.#takes(slackFeatures.feedbackButtons));
    let votes: VotesAs = takesVotes ? 'feedback' : 'buttons';
    let feedbackRefused = false;
    let blocksRefused = false;
    for (let tries = 1; this.#continues(text) && tries <= maxTries; tries++) {
      let isEnded = true;
      try {
        await this.#stop(text, { ...end, buttons, votes }, key);
      } catch (error) {
        isEnded = false;
        await this.#noteEnd(error);
        const known = platformError(error);
        if (isAnswerLost(error)) isEnded = await this.#hasArrived(key);
        else if (known.kind === 'unreachable') throw known;
        else if (buttons.length === 0) break;
        else if (votes === 'feedback') {
          feedbackRefused = isRefused(known);
          votes = 'buttons';
        } else {
          // Perhaps Slack refuses the blocks.
          blocksRefused = isRefused(known);
          buttons = [];
        }
      }
      if (!isEnded) continue;
      this.#sent = text;
      this.#buttons = buttons.length;
      this.#close('ended');
      if (blocksRefused) await this.#noteRefused(slackFeatures.blocksAtStreamStop);
      else if (feedbackRefused) await this.#noteRefused(slackFeatures.feedbackButtons);
      return buttons.length === end.buttons.length;
    }
    return false;
  }

  async #takes(feature: SlackFeature): Promise<boolean> {
    return (await this.#dependencies.capabilities.find(this.#address.workspace, feature)) !== 'refused';
  }

  async #noteRefused(feature: SlackFeature): Promise<void> {
    await this.#dependencies.capabilities.note(this.#address.workspace, feature, 'refused');
  }

  /** Ends it as it is. If Slack has ended it already, that’s enough. */
  async close(): Promise<void> {
    if (this.#state !== 'open') return;
    await endStream(this.#dependencies.api, this.#address, this.ts);
    this.#close('ended');
  }

  /** Ends it as it is. Where Slack can’t be reached, it ends it by itself after some minutes. */
  async giveUp(): Promise<void> {
    try {
      await this.close();
    } finally {
      this.#close('ended');
    }
  }

  async #stop(
    text: string,
    { buttons, votes, sessionStatus, signal }: StreamEnd & { readonly votes: VotesAs },
    key: string,
  ): Promise<void> {
    const { workspace, channel } = this.#address;
    const chunks = chunksOf(text.slice(this.#sent.length));
    const args = {
      channel,
      ts: this.ts,
      ...(chunks.length > 0 && { chunks }),
      ...(buttons.length > 0 && { blocks: actions(buttons, votes) }),
      session_status: sessionStatus,
      metadata: metadataOf(this.#address, key),
    };
    await this.#dependencies.api.call(workspace, 'chat.stopStream', args, { signal });
  }

  /** Whether the end that got no response came through: it adds the message’s metadata. */
  async #hasArrived(key: string): Promise<boolean> {
    await sleep(this.#dependencies.clock, settleTime);
    const found = await this.#dependencies.postedMessages.at(this.#address, this.ts).catch(() => undefined);
    const { event_payload: mark } = metadataOf(this.#address, key);
    return found?.metadata?.event_payload?.key === mark.key;
  }

  /** Whether additions can lead to this text. */
  #continues(text: string): boolean {
    return this.#state === 'open' && !this.#isUncertain && text.startsWith(this.#sent) && !hasLink(text);
  }

  /** Slack’s documentation doesn’t say whether only what was deleted isn’t found: so it’s looked for. */
  async #noteEnd(error: unknown): Promise<void> {
    const code = slackCode(error);
    if (code === 'message_not_in_streaming_state') this.#close('ended');
    // Slack’s event may come later, or never.
    if (code === 'stopped_by_user') this.noteStopped();
    if (code !== 'message_not_found') return;
    const { postedMessages } = this.#dependencies;
    if (await undefinedIfRefused(postedMessages.at(this.#address, this.ts))) return;
    this.#close('ended');
    this.#deleted = new PlatformError('deleted', code, { cause: error });
    throw this.#deleted;
  }

  #close(state: 'ended' | 'stopped by a person'): void {
    if (this.#state !== 'open') return;
    this.#state = state;
    this.#closed();
  }
}

/**
 * The part of a growing text that won’t change: what two states have in common from the start, and the plain words
 * after it; without a word that may go on, or a `<` that may begin a mention.
 */
function settledPart(before: string, now: string): string {
  let same = 0;
  while (same < before.length && before[same] === now[same]) same += 1;
  return wholeWords(now.slice(0, same) + plainBeginning(now.slice(same)));
}

/** The words before any formatting that may still be open. */
function plainBeginning(text: string): string {
  return /^[^*_~`[\]|#>\\<\n]*/.exec(text)?.[0] ?? '';
}

/** What a stream can begin with: whole words, or a first word that can’t become a link. */
export function firstWords(text: string): string {
  const plain = plainBeginning(text);
  const isWord = /^\p{L}+$/u.test(plain) && !/^(?:h(?:t(?:tps?|t)?)?|w{1,3})$/i.test(plain);
  return isWord ? plain : wholeWords(plain);
}

const longestWord = 40;
const wordEnd = '\\s\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}，。；：！？、';
const unfinishedWord = new RegExp(`(?<=^|[${wordEnd}])[^${wordEnd}]+$`, 'u');

/** What may become a mention: the beginning of `<!channel>` or `@channel`, also within a very long word. */
const mentionBeginning = /(?:[<\uD800-\uDBFF]|@[A-Za-z]{0,8})$/;

/** Text up to its last whole word, so that a link or mention is recognized before any of it is shown. */
function wholeWords(text: string): string {
  const word = unfinishedWord.exec(text)?.[0] ?? '';
  const held = word.length <= longestWord ? word : word.slice(-longestWord);
  return text.slice(0, text.length - held.length).replace(mentionBeginning, '');
}
