import { type Address, type Button, fileOf, type Message, type MessageAddress } from '../../../port/index.ts';
import {
  type Ending,
  type MessageContext,
  markdownAfter,
  type Pacing,
  type ReplySink,
  RetryableWriteError,
  sharedLength,
} from '../../../reply/index.ts';
import {
  BrokenWriteError,
  isAnswerLost,
  isUneditable,
  platformError,
  slackCode,
  writeError,
} from '../api/errors.ts';
import type { RateLimits } from '../api/rate-limits.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { maxMessageLength, wireLength } from '../markup/blocks.ts';
import type { Chrome } from '../markup/message-chrome.ts';
import { type MessageFormat, type MessageFormats, renderIn } from '../markup/message-formats.ts';
import type { SlackAdapter } from '../post/adapter.ts';
import { messageAt, streamAt, threadOf } from '../post/address.ts';
import { liveKeyOf, type PostedMessages } from '../post/posted-messages.ts';
import type { AgentSession } from './stream/agent-sessions.ts';
import { endStream, type NativeStream } from './stream/native-stream.ts';
import { NativeStreams } from './stream/native-streams.ts';

export interface LiveSinkDependencies {
  readonly api: SlackApi;
  readonly rateLimits: RateLimits;
  readonly postedMessages: PostedMessages;
  readonly adapter: SlackAdapter;
  readonly nativeStreams: NativeStreams;
  readonly formats: MessageFormats;
}

export interface LiveTarget {
  readonly address: Address;
  /** Makes the messages' keys. */
  readonly key: string;
  /** The line above the first message: who asked what. */
  readonly header: string | undefined;
  readonly buttons: (ending: Ending | undefined) => readonly Button[];
  readonly session: AgentSession;
  /** Resolves when the answer is on record; nothing is posted before. */
  readonly onRecord: () => Promise<void>;
  /** Called before the first message is posted. */
  readonly beforeFirst: () => void;
  /** A stream was opened: it carries no button by which it could be found. */
  readonly streamStarted: (ts: string) => Promise<void>;
  /** Looks for a stream of the answer's whose beginning was not answered. */
  readonly findLostStream: (known: readonly string[]) => Promise<string | undefined>;
}

/** One message of the answer, as it stands in Slack. */
interface LiveMessage {
  /** Undefined between one that could not go on and the message that takes its place. */
  address: MessageAddress | undefined;
  /** What was last written into it, where it is no stream. */
  shown: string;
  /** Slack lets it be changed no more: what it lacks comes below it, in one piece. */
  isFixed: boolean;
  /** Where it is one, or was one to its end. */
  stream: NativeStream | undefined;
  /** Characters of its text that people read elsewhere: in a stream that was left as it is. */
  from: number;
}

/**
 * A live reply's messages in Slack: native streams in direct messages, where Slack's own Stop button is; edits
 * elsewhere. A stream that cannot go on makes way for an ordinary message. Below a root message the text goes on
 * in its thread.
 */
export class LiveSink implements ReplySink<MessageAddress> {
  readonly maxLength = maxMessageLength;
  readonly #dependencies: LiveSinkDependencies;
  readonly #target: LiveTarget;
  #root: MessageAddress | undefined;
  /** By the time stamp under which the reply knows each message: its first one. */
  readonly #messages = new Map<string, LiveMessage>();
  #format: MessageFormat | undefined;
  #held: 'chat.appendStream' | 'chat.update' = 'chat.update';
  #sessionIsSet = false;
  /** The text of a stream that may stand there: its answer was lost, and nobody could say so far. */
  #lost: string | undefined;

  constructor(dependencies: LiveSinkDependencies, place: LiveTarget) {
    this.#dependencies = dependencies;
    this.#target = place;
  }

  /** Whether the end of a stream has ended the session's work too. */
  get sessionIsSet(): boolean {
    return this.#sessionIsSet;
  }

  /** Whether a stream may stand there that nobody knows of. */
  get mayHaveLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Where a message stands by now. */
  addressOf(message: MessageAddress): MessageAddress {
    return this.#messages.get(message.message)?.address ?? message;
  }

  /** What a message shows of its text: a stream lags behind, and what follows one begins later. */
  shownOf(message: MessageAddress, text: string): string {
    const { stream, isFixed, address, shown = '', from = 0 } = this.#messages.get(message.message) ?? {};
    if (stream) return stream.sent;
    if (isFixed && !address) return shown;
    return from === 0 ? text : markdownAfter(text, from);
  }

  length(text: string): number {
    return wireLength(text);
  }

  /** The budget of the next edit: additions to a stream have another than edits. */
  get pacing(): Pacing {
    const { workspace, channel } = this.#target.address;
    const { rateLimits } = this.#dependencies;
    const current = () => (this.#growing() ? 'chat.appendStream' : 'chat.update');
    return {
      slot: async (options) => {
        const method = current();
        const slot = await rateLimits.of(method, workspace, channel).slot(options);
        this.#held = method;
        return slot;
      },
      learn: () => {},
      pause: (milliseconds) => rateLimits.of(current(), workspace, channel).pause(milliseconds),
    };
  }

  get postPacing(): Pacing {
    const { workspace, channel } = this.#target.address;
    return this.#dependencies.rateLimits.of('chat.postMessage', workspace, channel);
  }

  async post(text: string, context: MessageContext): Promise<MessageAddress> {
    await this.#target.onRecord();
    if (context.index === 0) this.#target.beforeFirst();
    const address = this.#addressFor(context.index);
    const { message, stream } = await retryable(() => this.#postAt(address, text, context));
    this.#messages.set(message.message, { address: message, stream, shown: text, isFixed: false, from: 0 });
    if (context.index === 0 && threadOf(address) === undefined) this.#root = message;
    return message;
  }

  async edit(message: MessageAddress, text: string, context: MessageContext): Promise<void> {
    await retryable(async () => {
      const live = this.#messages.get(message.message);
      if (!live) throw new Error('an edit of a message that was not posted');
      const { stream } = live;
      if (stream && (await this.#writeStream(stream, text, context))) return;
      if (stream) await this.#leaveStream(live, stream, text);
      await this.#writeMessage(live, text, context);
    });
  }

  async attachWhole(text: string, after: MessageAddress): Promise<void> {
    const under = messageAt(this.#addressFor(1), after.message);
    await retryable(() =>
      this.#dependencies.adapter.post(under, { files: [wholeAnswer(text)] }, `${this.#target.key}:whole`),
    );
  }

  async #postAt(
    address: Address,
    text: string,
    context: MessageContext,
  ): Promise<{ readonly message: MessageAddress; readonly stream: NativeStream | undefined }> {
    const { session, findLostStream, streamStarted } = this.#target;
    const mayStream = context.phase === 'growing' && !context.restAsFile && NativeStreams.fit(address);
    if (mayStream && (await session.shown()) === 'stoppable') {
      const known = [...this.#messages.values()].flatMap(({ address: at }) => at?.message ?? []);
      const find = async (onRecord: string) => {
        this.#lost = onRecord;
        const found = await findLostStream(known);
        this.#lost = undefined;
        return found;
      };
      const stream = await this.#begin(address, text, find);
      if (stream) {
        await streamStarted(stream.ts);
        return { message: streamAt(address, stream.ts), stream };
      }
    }
    if (!mayStream && this.#lost !== undefined) await this.#discardLost();
    // A slot that was held while something was tried is too old: the next post may follow at once.
    const key = liveKeyOf(this.#target.key, context.index);
    const message = await this.#postMessage(address, text, context, { key, hasSlot: !mayStream });
    return { message, stream: undefined };
  }

  /** Begins a stream, or goes on with one that was begun and whose answer was lost, where it stands there. */
  async #begin(
    address: Address,
    text: string,
    find: (onRecord: string) => Promise<string | undefined>,
  ): Promise<NativeStream | undefined> {
    const { nativeStreams: streams } = this.#dependencies;
    const onRecord = this.#lost;
    const found = onRecord === undefined ? undefined : await find(onRecord);
    if (onRecord !== undefined && found !== undefined) return streams.takeUp(address, found, onRecord);
    return streams.start(address, text, () => find(text));
  }

  /** The answer ends before anybody knows of its stream: all of it comes in an ordinary message. */
  async #discardLost(): Promise<void> {
    const { address, findLostStream } = this.#target;
    const ts = await findLostStream([]);
    if (ts !== undefined && (await endStream(this.#dependencies.api, address, ts)) === 'ended')
      await this.#delete(ts);
    this.#lost = undefined;
  }

  #postMessage(
    address: Address,
    text: string,
    context: MessageContext,
    { key, hasSlot }: { readonly key: string; readonly hasSlot: boolean },
  ): Promise<MessageAddress> {
    const message = this.#message(text, context);
    return this.#dependencies.adapter.postLive(address, message, this.#chrome(context), key, { hasSlot });
  }

  /** Adds to a stream, or ends it; false where its message cannot show this. */
  async #writeStream(stream: NativeStream, text: string, context: MessageContext): Promise<boolean> {
    const { phase, index, signal } = context;
    if (phase === 'growing') {
      // The answer is about to end.
      if (stream.isStoppedByPerson) return true;
      return !stream.isOld && stream.grow(text, { hasSlot: this.#held === 'chat.appendStream', signal });
    }
    const { buttons = [] } = this.#message(text, context);
    const sessionStatus = phase === 'ended' ? this.#target.session.statusAfter : 'processing';
    const key = liveKeyOf(this.#target.key, index);
    if (!(await stream.finish(text, { buttons, sessionStatus }, key))) return false;
    this.#sessionIsSet ||= sessionStatus === 'active';
    return true;
  }

  /**
   * Makes way for an ordinary message: one that shows what the stream does not, where a person stopped it or it
   * lacks its buttons alone; else one that shows all, and the stream's is taken away.
   */
  async #leaveStream(live: LiveMessage, stream: NativeStream, text: string): Promise<void> {
    await stream.close();
    const mayStay = stream.isStoppedByPerson || (stream.isWhole && text.startsWith(stream.sent));
    const isGone = !mayStay && (await this.#delete(stream.ts));
    live.from = isGone ? 0 : sharedLength(stream.sent, text);
    live.stream = undefined;
    live.address = undefined;
  }

  async #delete(ts: string): Promise<boolean> {
    const { workspace, channel } = this.#target.address;
    try {
      await this.#dependencies.api.call(workspace, 'chat.delete', { channel, ts });
      return true;
    } catch (error) {
      if (slackCode(error) === 'message_not_found') return true;
      if (platformError(error).kind === 'unreachable') throw error;
      return false;
    }
  }

  /** Shows what of the text is not read elsewhere in an ordinary message. */
  async #writeMessage(live: LiveMessage, text: string, context: MessageContext): Promise<void> {
    if (live.address && (await this.#change(live, live.address, text, context))) return;
    if (live.isFixed && context.phase === 'growing') return;
    const own = live.from === 0 ? text : markdownAfter(text, live.from);
    if (own === '' && !this.#message(own, context).buttons?.length) return;
    // The one above, which stands there still, may carry the message's own key.
    const key = `${liveKeyOf(this.#target.key, context.index)}:after`;
    const shown = asShown(live, context);
    const place = this.#addressFor(shown.index);
    live.address = await this.#postMessage(place, own, shown, { key, hasSlot: false });
    live.shown = own;
  }

  /** Changes a message; false where that cannot be done any more, and another has to take its place. */
  async #change(
    live: LiveMessage,
    address: MessageAddress,
    text: string,
    context: MessageContext,
  ): Promise<boolean> {
    const own = live.from === 0 ? text : markdownAfter(text, live.from);
    if (await this.#update(address, own, asShown(live, context))) {
      live.shown = own;
      return true;
    }
    // What a second one lacks cannot be told from its text alone: then all of it comes again.
    if (live.from === 0) live.from = sharedLength(live.shown, text);
    live.isFixed = true;
    live.address = undefined;
    return false;
  }

  /** Edits a message; false where it can be changed no more. */
  async #update(address: MessageAddress, text: string, context: MessageContext): Promise<boolean> {
    const { api, formats } = this.#dependencies;
    const { workspace, channel, message: ts } = address;
    const message = this.#message(text, context);
    let hasSlot = this.#held === 'chat.update';
    this.#format ??= await formats.first(workspace);
    const isGrowing = context.phase === 'growing';
    const edit = async (format: MessageFormat) => {
      this.#format = format;
      const options = { hasSlot, urgent: !isGrowing, signal: context.signal };
      hasSlot = false;
      const content = renderIn(format, message, this.#chrome(context));
      await api
        .call(workspace, 'chat.update', { channel, ts, ...content }, options)
        .catch((error: unknown) => {
          // What breaks while the text grows may pass before it ends.
          throw isGrowing && isAnswerLost(error) ? error : writeError(error);
        });
    };
    try {
      await formats.run(this.#format, edit);
      return true;
    } catch (error) {
      // Slack broke over every form, so it was none of them.
      if (error instanceof BrokenWriteError) this.#format = undefined;
      if (!isUneditable(error)) throw error;
      return false;
    }
  }

  /** Whether a stream is being written. */
  #growing(): boolean {
    return [...this.#messages.values()].some(({ stream }) => stream?.isOpen);
  }

  #message(text: string, { phase, ending }: MessageContext): Message {
    const { buttons } = this.#target;
    return { text, buttons: phase === 'closed' ? [] : buttons(phase === 'ended' ? ending : undefined) };
  }

  #chrome({ index }: MessageContext): Chrome {
    const { header } = this.#target;
    return index === 0 && header !== undefined ? { header } : {};
  }

  #addressFor(index: number): Address {
    const { address } = this.#target;
    if (index === 0 || threadOf(address) !== undefined || !this.#root) return address;
    return { ...address, platformData: { ...address.platformData, under: this.#root.message } };
  }
}

/** An answer as a file. */
export function wholeAnswer(text: string) {
  return fileOf(Buffer.from(text), {
    name: 'answer.md',
    contentType: 'text/markdown',
    kind: 'file',
    description: 'The whole answer',
  });
}

/** What may go through at another try is told from what never will. */
async function retryable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = platformError(error);
    if (isAnswerLost(error) || known.kind === 'unreachable') {
      throw new RetryableWriteError('Slack did not answer', { cause: error });
    }
    throw known;
  }
}

/** What stands below a message that was fixed is no first one: it is in the thread, without the line above it. */
function asShown({ isFixed }: LiveMessage, context: MessageContext): MessageContext {
  return isFixed ? { ...context, index: Math.max(1, context.index) } : context;
}
