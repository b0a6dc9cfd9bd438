import { type Clock, sleep } from '../../clock.ts';
import type { Address, Button } from '../../port/index.ts';
import type { SlackApi } from './api.ts';
import { actions } from './blocks.ts';
import { isAnswerLost, slackCode } from './errors.ts';
import { methods } from './methods.ts';
import { threadOf } from './place.ts';
import { hasLink, quietMarkdown } from './text.ts';

/** Slack ends a stream by itself after about five minutes, and its message then reads as failed. */
const longestLife = 3.5 * 60_000;
/** A stream whose answer was lost may still be on its way, in milliseconds. */
const settleTime = 1_500;
/** Streams of a workspace open at once: each also needs one of the twenty stops a minute. */
const mostOpen = 12;

/** Who a stream is for; Slack asks for it outside direct messages. */
export interface Recipient {
  readonly user: string;
  readonly team: string;
}

/** A message that Slack itself shows growing (`chat.startStream`). Text can only be added to it. */
export class NativeStream {
  readonly ts: string;
  readonly #streams: NativeStreams;
  readonly #address: Address;
  readonly #startedAt: number;
  /** What Slack has. */
  #sent: string;
  /** The state before, whose beginning the next one has to share to be taken for settled. */
  #before: string;

  constructor(streams: NativeStreams, address: Address, ts: string, sent: string, before: string) {
    this.#streams = streams;
    this.#address = address;
    this.ts = ts;
    this.#sent = sent;
    this.#before = before;
    this.#startedAt = streams.clock.now();
  }

  /** Whether it should make way for edits before Slack ends it. */
  get isOld(): boolean {
    return this.#streams.clock.now() - this.#startedAt > longestLife;
  }

  /**
   * Adds what is settled of the text: what the state before had as well, for a growing text's end may close
   * what is still open. False where the text no longer begins with what was sent, or holds a link, of which
   * Slack would fetch a preview: edits have to show it.
   */
  async grow(text: string, hasSlot: boolean): Promise<boolean> {
    const settled = settledPart(this.#before, text);
    this.#before = text;
    if (hasLink(text) || !text.startsWith(this.#sent)) return false;
    if (settled.length <= this.#sent.length) return true;
    const addition = quietMarkdown(settled.slice(this.#sent.length));
    const { workspace, channel } = this.#address;
    const args = { channel, ts: this.ts, markdown_text: addition };
    try {
      await this.#streams.api.call(workspace, 'chat.appendStream', args, { hasSlot, urgent: false });
      this.#sent = settled;
      return true;
    } catch (error) {
      if (slackCode(error) === undefined && !isAnswerLost(error)) throw error;
      // Refused, or nobody knows whether it arrived: an edit makes it right.
      return false;
    }
  }

  /** Ends it; its message then is one like any other. Where Slack has ended it already, that is enough. */
  async stop(): Promise<void> {
    const { workspace, channel } = this.#address;
    this.#streams.ended(workspace);
    const stopped = this.#streams.api.call(workspace, 'chat.stopStream', { channel, ts: this.ts });
    await stopped.catch((error: unknown) => {
      if (slackCode(error) !== undefined || isAnswerLost(error)) return;
      throw error;
    });
  }
}

/** A workspace's streams. */
interface Use {
  open: number;
  /** When streams of the last minute were started. */
  started: readonly number[];
}

/** Opens native streams where Slack has room for them. */
export class NativeStreams {
  readonly api: SlackApi;
  readonly clock: Clock;
  readonly #uses = new Map<string, Use>();
  /** Whether Slack takes blocks, for the Stop button, in a stream. */
  #takesBlocks = true;

  constructor(api: SlackApi, clock: Clock) {
    this.api = api;
    this.clock = clock;
  }

  /**
   * Opens a stream under a message. Undefined where that is not possible or not wise: no thread, a link in the
   * text, too many streams at once, Slack refuses; the message is then an ordinary one. Where the answer is lost
   * `findLost` tells whether the message is there.
   */
  async start(
    address: Address,
    recipient: Recipient,
    text: string,
    buttons: readonly Button[],
    findLost: () => Promise<string | undefined>,
  ): Promise<NativeStream | undefined> {
    const { workspace, channel } = address;
    const thread = threadOf(address);
    if (thread === undefined || hasLink(text) || !this.#begin(workspace)) return undefined;
    const first = plainBeginning(text);
    const markdown = first === '' ? [] : [{ type: 'markdown_text', text: quietMarkdown(first) }];
    const blocks =
      this.#takesBlocks && buttons.length > 0 ? [{ type: 'blocks', blocks: [actions(buttons)] }] : [];
    try {
      const { ts } = await this.api.call(workspace, 'chat.startStream', {
        channel,
        thread_ts: thread,
        recipient_user_id: recipient.user,
        recipient_team_id: recipient.team,
        chunks: [...blocks, ...markdown],
      });
      return new NativeStream(this, address, String(ts), first, text);
    } catch (error) {
      if (isAnswerLost(error)) {
        await sleep(this.clock, settleTime);
        const ts = await findLost();
        if (ts !== undefined) return new NativeStream(this, address, ts, first, text);
      }
      this.ended(workspace);
      if (isAnswerLost(error)) return undefined;
      const code = slackCode(error);
      if (code === undefined) throw error;
      if (code.startsWith('invalid_')) this.#takesBlocks = false;
      return undefined;
    }
  }

  /** Makes room for another. */
  ended(workspace: string): void {
    const use = this.#uses.get(workspace);
    if (use) use.open -= 1;
  }

  /** Counts a stream that is begun; false where there is no room for it without waiting. */
  #begin(workspace: string): boolean {
    const { limit, window } = methods['chat.startStream'].rate;
    const now = this.clock.now();
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

/**
 * What of a growing text will stay as it is: what two states have in common from the start, and the plain words
 * after it; less a `<` that may begin a mention.
 */
function settledPart(before: string, now: string): string {
  let same = 0;
  while (same < before.length && before[same] === now[same]) same += 1;
  const part = now.slice(0, same) + plainBeginning(now.slice(same));
  return part.replace(/[<\uD800-\uDBFF]$/, '');
}

/** The words before anything that may still be open. */
function plainBeginning(text: string): string {
  return /^[^*_~`[\]|#>\\<\n]*/.exec(text)?.[0] ?? '';
}
