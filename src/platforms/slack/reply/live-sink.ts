import { isLocal } from '../../../lib/local-faults.ts';
import {
  type Address,
  type Button,
  type Message,
  type MessageAddress,
  textFile,
  wholeKey,
} from '../../../port/index.ts';
import {
  type Ending,
  isInstead,
  markdownAfter,
  type MessageContext,
  type Pacing,
  type ReplySink,
  RetryableWriteError,
  sharedLength,
} from '../../../reply/index.ts';
import { BrokenWriteError, editError, isAnswerLost, isUneditable, platformError } from '../api/errors.ts';
import type { RateLimits } from '../api/rate-limits.ts';
import type { CallOptions, Sign, SlackApi } from '../api/slack-api.ts';
import { textLimits } from '../markup/blocks.ts';
import { type Chrome, type MessageFormat, type MessageFormats, renderIn } from '../markup/message-formats.ts';
import type { SlackAdapter } from '../post/adapter.ts';
import { messageAt, streamAt, threadOf } from '../post/address.ts';
import { deleteMessage } from '../post/edits.ts';
import { insteadOfKeyOf, liveKeyOf } from '../post/posted-messages.ts';
import type { AgentSession } from './stream/agent-sessions.ts';
import type { NativeStream } from './stream/native-stream.ts';
import { NativeStreams, StreamStarter } from './stream/native-streams.ts';

export interface LiveSinkDependencies extends EditedMessagesDependencies {
  readonly rateLimits: RateLimits;
  readonly nativeStreams: NativeStreams;
}

/** Where and how a live answer is written. */
interface LiveTarget extends AnswerChrome {
  readonly address: Address;
  /** Makes the messages' keys. */
  readonly key: string;
  readonly session: AgentSession;
  /** Resolves when the answer is on record; nothing is posted before. */
  readonly onRecord: () => Promise<void>;
  /** What the first message takes the place of. */
  readonly sign: Sign;
  /** A stream was started: it has no button by which it could be found later. */
  readonly streamStarted: (ts: string) => Promise<void>;
  /** Slack takes no more of a stream because a person has stopped it. */
  readonly streamStopped: () => void;
  /** Looks for a stream of this answer whose start got no response; `known`: messages that are certainly not it. */
  readonly findLostStream: (known: readonly string[]) => Promise<string | undefined>;
}

/** One message of the answer, as it is in Slack. */
interface LiveMessage {
  /** Undefined while a message that can’t continue is being replaced. */
  address: MessageAddress | undefined;
  /** What was last written into it, where it is no stream. */
  shown: string;
  /** Slack didn't let it be edited, maybe since the bot was out for a moment: that's tried once more when its text is whole. */
  isUneditable: boolean;
  /** It's below one that can't be edited any more, with all that this lacks. */
  isBelow: boolean;
  /** Where it is one, or was one to its end. */
  stream: NativeStream | undefined;
  /** How many characters of its text people read above it, in a stream that was left as it is. */
  from: number;
}

/**
 * A live answer's messages in Slack: native streams in direct messages, where Slack has its own Stop button; edits
 * elsewhere, and where a line stands above the answer. An ordinary message takes the place of a stream that cannot go on.
 * Below a root message the text goes on in its thread.
 */
export class LiveSink implements ReplySink<MessageAddress> {
  readonly maxLength = textLimits.maxLength;
  readonly length = textLimits.length;
  readonly hides = textLimits.hides;
  readonly #dependencies: LiveSinkDependencies;
  readonly #target: LiveTarget;
  readonly #starter: StreamStarter;
  readonly #edited: EditedMessages;
  #root: MessageAddress | undefined;
  /** The message with the whole text as a file. */
  #file: MessageAddress | undefined;
  /** By the time stamp of the first message, which is how the reply knows each one. */
  readonly #messages = new Map<string, LiveMessage>();
  /** The method whose slot the reply holds. */
  #held: 'chat.appendStream' | 'chat.update' = 'chat.update';
  #sessionIsSet = false;

  constructor(dependencies: LiveSinkDependencies, target: LiveTarget) {
    const { api, nativeStreams } = dependencies;
    this.#dependencies = dependencies;
    this.#target = target;
    this.#starter = new StreamStarter(api, nativeStreams, target.findLostStream);
    this.#edited = new EditedMessages(dependencies, target);
  }

  /** Whether the end of a stream has ended the session's work too. */
  get sessionIsSet(): boolean {
    return this.#sessionIsSet;
  }

  /** Whether a stream may exist that nobody knows of. */
  get mayHaveLost(): boolean {
    return this.#starter.mayHaveLost;
  }

  /** Where a message is now. */
  addressOf(message: MessageAddress): MessageAddress {
    return this.#messages.get(message.message)?.address ?? message;
  }

  /** Where the answer is now; its file belongs to the last message. */
  addressesOf(messages: readonly MessageAddress[]): readonly MessageAddress[] {
    const addresses = messages.map((message) => this.addressOf(message));
    const last = addresses.at(-1);
    if (!last || !this.#file) return addresses;
    return [...addresses.slice(0, -1), { ...last, parts: [this.#file.message] }];
  }

  /** What a message shows of its text: a stream lags behind, and what follows one begins later. */
  shownOf(message: MessageAddress, text: string): string {
    const { stream, isUneditable, shown = '', from = 0 } = this.#messages.get(message.message) ?? {};
    if (stream) return stream.sent;
    if (isUneditable) return shown;
    return from === 0 ? text : markdownAfter(text, from, textLimits);
  }

  /** The budget of the next edit: additions to a stream have another than edits. */
  get pacing(): Pick<Pacing, 'slot'> {
    const { workspace, channel } = this.#target.address;
    const { rateLimits } = this.#dependencies;
    return {
      slot: async (options) => {
        const method = this.#isStreaming ? 'chat.appendStream' : 'chat.update';
        await rateLimits.of(method, workspace, channel).slot(options);
        this.#held = method;
      },
    };
  }

  /** Keeps an edit for the answer's end; a stream ends by another method. */
  reserveEnd(): () => void {
    if (this.#isStreaming) return () => {};
    const { workspace, channel } = this.#target.address;
    return this.#dependencies.rateLimits.of('chat.update', workspace, channel).reserve();
  }

  get #isStreaming(): boolean {
    return [...this.#messages.values()].some(({ stream }) => stream?.isOpen);
  }

  get postPacing(): Pacing {
    const { workspace, channel } = this.#target.address;
    return this.#dependencies.rateLimits.of('chat.postMessage', workspace, channel);
  }

  async post(text: string, context: MessageContext): Promise<MessageAddress> {
    await retryable(() => this.#target.onRecord());
    const address = this.#addressFor(context.index);
    const { message, stream } = await retryable(() => this.#postAt(address, text, context));
    const state = { address: message, stream, shown: text, isUneditable: false, isBelow: false, from: 0 };
    this.#messages.set(message.message, state);
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
    const { adapter } = this.#dependencies;
    const key = wholeKey(this.#target.key);
    this.#file = await retryable(() => adapter.post(under, { files: [textFile(text)] }, key));
  }

  /** Ends the streams of an answer that is withdrawn: Slack deletes none that’s open, and takes only so many at once. */
  async giveUpStreams(): Promise<void> {
    await Promise.all([...this.#messages.values()].map(({ stream }) => stream?.giveUp()));
    await this.#starter.discardLost(this.#target.address);
  }

  async #postAt(
    address: Address,
    text: string,
    context: MessageContext,
  ): Promise<{ readonly message: MessageAddress; readonly stream: NativeStream | undefined }> {
    const { session, streamStarted, header } = this.#target;
    // A stream shows nothing above its text.
    const canStream = header === undefined && !context.restAsFile && NativeStreams.fit(address);
    const mayStream = context.phase === 'growing' && canStream;
    if (mayStream && (await session.shown()) === 'stoppable') {
      if (context.index === 0) await this.#target.sign.hold();
      const known = [...this.#messages.values()].flatMap(({ address: at }) => at?.message ?? []);
      const stream = await this.#starter.start(address, text, known);
      if (stream) {
        await streamStarted(stream.ts);
        return { message: streamAt(address, stream.ts), stream };
      }
    }
    if (!mayStream) await this.#starter.discardLost(address);
    // A slot that was held while a stream was tried is too old: the next post may follow at once.
    const key = liveKeyOf(this.#target.key, context.index);
    const sign = context.index === 0 ? this.#target.sign : undefined;
    const message = await this.#edited.post(address, text, context, { key, hasSlot: !mayStream, sign });
    return { message, stream: undefined };
  }

  /** Adds to a stream, or ends it; false where its message cannot show this. */
  async #writeStream(stream: NativeStream, text: string, context: MessageContext): Promise<boolean> {
    const { phase, index, signal } = context;
    if (phase === 'growing') {
      // The answer is about to end.
      if (stream.isStoppedByPerson) return true;
      if (stream.isOld) return false;
      if (await stream.grow(text, { hasSlot: this.#held === 'chat.appendStream', signal })) return true;
      if (stream.isStoppedByPerson) this.#target.streamStopped();
      return stream.isStoppedByPerson;
    }
    const buttons = this.#edited.buttonsIn(context);
    const sessionStatus = phase === 'ended' ? await this.#target.session.statusAfter() : 'processing';
    const key = liveKeyOf(this.#target.key, index);
    if (!(await stream.finish(text, { buttons, sessionStatus, signal }, key))) return false;
    this.#sessionIsSet ||= sessionStatus !== 'processing';
    return true;
  }

  /**
   * Makes way for an ordinary message. It shows only what the stream does not, where a person stopped the stream or
   * only its buttons are missing; otherwise it shows everything, and the stream's message is deleted.
   */
  async #leaveStream(live: LiveMessage, stream: NativeStream, text: string): Promise<void> {
    await stream.close();
    const mayStay = stream.isStoppedByPerson || (stream.isWhole && text.startsWith(stream.sent));
    const { api } = this.#dependencies;
    const isGone = !mayStay && (await deleteMessage(api, this.#target.address, stream.ts));
    live.from = isGone ? 0 : sharedLength(stream.sent, text);
    live.stream = undefined;
    live.address = undefined;
  }

  /** Shows in an ordinary message what of the text isn't read above it. */
  async #writeMessage(live: LiveMessage, text: string, context: MessageContext): Promise<void> {
    const waits = () => live.isUneditable && context.phase === 'growing';
    if (waits()) return;
    if (live.address && (await this.#change(live, live.address, text, context))) return;
    if (waits()) return;
    const own = live.from === 0 ? text : markdownAfter(text, live.from, textLimits);
    if (own === '' && this.#edited.buttonsIn(context).length === 0) return;
    // The one above is still there, and may carry the message's own key.
    const key = insteadOfKeyOf(this.#target.key, context.index);
    const shown = contextOf(live, context);
    live.address = await this.#edited.post(this.#addressFor(shown.index), own, shown, {
      key,
      hasSlot: false,
    });
    live.shown = own;
    live.isUneditable = false;
  }

  /** Edits a message; false where it can't be edited any more, and another has to take its place. */
  async #change(
    live: LiveMessage,
    address: MessageAddress,
    text: string,
    context: MessageContext,
  ): Promise<boolean> {
    const own = live.from === 0 ? text : markdownAfter(text, live.from, textLimits);
    const hasSlot = this.#held === 'chat.update';
    if (await this.#edited.edit(address, own, contextOf(live, context), { hasSlot })) {
      live.shown = own;
      live.isUneditable = false;
      return true;
    }
    live.isUneditable = true;
    if (context.phase === 'growing') return false;
    // What a second one lacks cannot be told from its text: then all of it comes again.
    if (live.from === 0) live.from = sharedLength(live.shown, text);
    live.isBelow = true;
    live.address = undefined;
    return false;
  }

  #addressFor(index: number): Address {
    const { address } = this.#target;
    if (index === 0 || threadOf(address) !== undefined || !this.#root) return address;
    return { ...address, platformData: { ...address.platformData, under: this.#root.message } };
  }
}

/** Tells what may work at another try from what never will. */
async function retryable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isLocal(error)) throw new RetryableWriteError(String(error), { cause: error });
    const known = platformError(error);
    if (isAnswerLost(error) || known.kind === 'unreachable') {
      throw new RetryableWriteError('Slack did not answer', { cause: error });
    }
    throw known;
  }
}

/** What comes below an uneditable message is not the first one: it's in the thread, without the line above it. */
function contextOf({ isBelow }: LiveMessage, context: MessageContext): MessageContext {
  return isBelow ? { ...context, index: Math.max(1, context.index) } : context;
}

interface EditedMessagesDependencies {
  readonly api: SlackApi;
  readonly adapter: SlackAdapter;
  readonly formats: MessageFormats;
}

/** What stands above a live answer. */
export interface AnswerHeaders {
  /** The line above the first message: who asked what. */
  readonly header: string | undefined;
  /** The same without a persona’s name: the bot itself says why an answer isn’t shown. */
  readonly unnamed?: string | undefined;
}

/** What a live answer's messages show around their text. */
interface AnswerChrome extends AnswerHeaders {
  readonly buttons: (ending: Ending | undefined) => readonly Button[];
}

/** A live answer's ordinary messages: posted, then edited while the text grows. */
class EditedMessages {
  readonly #dependencies: EditedMessagesDependencies;
  readonly #around: AnswerChrome;
  /** The best format that Slack has taken so far. */
  #format: MessageFormat | undefined;

  constructor(dependencies: EditedMessagesDependencies, around: AnswerChrome) {
    this.#dependencies = dependencies;
    this.#around = around;
  }

  /** The buttons under a message in this state. */
  buttonsIn({ phase, ending }: MessageContext): readonly Button[] {
    return phase === 'closed' ? [] : this.#around.buttons(phase === 'ended' ? ending : undefined);
  }

  /** `hasSlot`: the caller holds a slot of chat.postMessage's budget. */
  post(
    address: Address,
    text: string,
    context: MessageContext,
    { key, ...options }: Pick<CallOptions, 'hasSlot' | 'sign'> & { readonly key: string },
  ): Promise<MessageAddress> {
    const { adapter } = this.#dependencies;
    return adapter.postLive(address, this.#message(text, context), this.#chrome(context), key, options);
  }

  /** Edits a message; false where it can't be edited any more. `hasSlot`: the caller holds one of chat.update's. */
  async edit(
    address: MessageAddress,
    text: string,
    context: MessageContext,
    { hasSlot }: { readonly hasSlot: boolean },
  ): Promise<boolean> {
    const { api, formats } = this.#dependencies;
    const { workspace, channel, message: ts } = address;
    const isGrowing = context.phase === 'growing';
    const message = this.#message(text, context);
    let hasSlotLeft = hasSlot;
    this.#format ??= await formats.first(workspace);
    const edit = async (format: MessageFormat) => {
      this.#format = format === 'feedback' ? 'markdown' : format;
      const options = { hasSlot: hasSlotLeft, urgent: !isGrowing, signal: context.signal };
      hasSlotLeft = false;
      const content = renderIn(format, message, this.#chrome(context));
      await api
        .call(workspace, 'chat.update', { channel, ts, ...content }, options)
        .catch((error: unknown) => {
          // A fault of Slack's while the text grows may pass before it ends.
          throw isGrowing && isAnswerLost(error) ? error : editError(error);
        });
    };
    try {
      const from = await formats.withVotes(workspace, this.#format, message.buttons);
      await formats.run(workspace, from, edit);
      return true;
    } catch (error) {
      // Slack failed over every format, so it was none of them.
      if (error instanceof BrokenWriteError) this.#format = undefined;
      if (!isUneditable(error)) throw error;
      return false;
    }
  }

  #message(text: string, context: MessageContext): Message {
    return { text, buttons: this.buttonsIn(context) };
  }

  #chrome({ index, ending }: MessageContext): Chrome {
    const header = isInstead(ending) ? this.#around.unnamed : this.#around.header;
    return index === 0 && header !== undefined ? { header } : {};
  }
}
