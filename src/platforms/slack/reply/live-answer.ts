import { type Clock, inTime } from '../../../lib/clock.ts';
import { nowOrLater, onNewError } from '../../../lib/local-faults.ts';
import {
  type LiveAnswer,
  type MessageAddress,
  type StreamOptions,
  textFile,
  wholeKey,
} from '../../../port/index.ts';
import { type Ending, isInstead, LiveReply, type ReplyProgress, withNote } from '../../../reply/index.ts';
import { words } from '../../../words/index.ts';
import { platformError } from '../api/errors.ts';
import type { Sign } from '../api/slack-api.ts';
import { isDirect, isNewThread, threadOf } from '../post/address.ts';
import { liveKeyOf } from '../post/posted-messages.ts';
import { slackWords } from '../words.ts';
import { type AnswerHeaders, LiveSink } from './live-sink.ts';
import { type ReplyContext, type ReplyDependencies, sayAside } from './reply-context.ts';
import type { AgentSession } from './stream/agent-sessions.ts';
import { nameThread, ThreadStatus } from './stream/thread-status.ts';
import type { UnfinishedAnswer } from './unfinished-answer-records.ts';

/** A live answer. Its end is refused where it can’t be shown in the channel, not even as a file. */
export class SlackLiveAnswer implements LiveAnswer {
  readonly #dependencies: ReplyDependencies;
  readonly #context: ReplyContext;
  readonly #options: StreamOptions;
  readonly #reply: LiveReply<MessageAddress>;
  readonly #sink: LiveSink;
  readonly #status: ThreadStatus;
  readonly #sign: FirstSign | undefined;
  readonly #session: AgentSession;
  readonly #unfinished: UnfinishedAnswer | undefined;
  readonly #thinking: string;
  /** What’s shown until the first words, if it isn’t that the bot thinks. */
  #hint: string | undefined;
  /** Slack shows that the bot is at work. */
  #isSignShown = false;
  #begun: Promise<void> | undefined;
  #posted = false;
  readonly #logFailure = onNewError((error) => {
    const { kind } = platformError(error);
    this.#dependencies.log.warn({ kind, error: String(error) }, 'a write of a live answer failed');
  });
  #cannotPost = false;

  constructor(
    dependencies: ReplyDependencies,
    context: ReplyContext,
    options: StreamOptions,
    above: AnswerHeaders,
    sign: FirstSign | undefined,
  ) {
    this.#dependencies = dependencies;
    this.#context = context;
    this.#options = options;
    this.#sign = sign;
    const { address, requester, eventId } = context;
    const stop = options.buttons(undefined)[0]?.id;
    if (stop !== undefined) {
      const key = liveKeyOf(eventId, 0);
      this.#unfinished = { address, at: dependencies.clock.now(), key, stop };
    }
    const onRecord = this.#onRecord();
    onRecord.catch(() => undefined);
    const topic = {
      initiator: requester.id,
      ...(context.title !== undefined && { title: context.title }),
    };
    this.#session = dependencies.sessions.begin(address, topic, onRecord);
    this.#thinking = words(requester.locale).thinking;
    const say = slackWords(requester.locale);
    const status = { status: say.thinking, hints: [this.#thinking, ...say.waits] };
    this.#status = new ThreadStatus(dependencies, address, status, (isShown) => this.#signShown(isShown));
    this.#sink = new LiveSink(dependencies, {
      address,
      key: eventId,
      ...above,
      buttons: options.buttons,
      session: this.#session,
      onRecord: () => this.#onRecord(),
      sign: { begin: () => sign?.begin(), hold: () => this.#hold() },
      streamStarted: (ts) => this.#noteStream(ts),
      streamStopped: () => options.onStopped?.(),
      findLostStream: (known) => this.#findLost(known),
    });
    this.#reply = new LiveReply({
      sink: this.#sink,
      pacer: this.#sink.pacing,
      postPacer: this.#sink.postPacing,
      reserveEnd: () => this.#sink.reserveEnd(),
      clock: dependencies.clock,
      hintAfter: untilSign(dependencies, context),
      onProgress: (progress) => this.#onProgress(progress),
      onFailure: (error) => this.#onFailure(error),
      ...(options.onRefused && { onRefused: options.onRefused }),
    });
    this.hint(undefined);
    void this.#showThinking(sign?.leaveStatus());
  }

  append(delta: string): void {
    this.#reply.append(delta);
  }

  get text(): string {
    return this.#reply.text;
  }

  hint(text: string | undefined): void {
    this.#hint = text;
    if (!this.#isSignShown) this.#reply.hint(text ?? this.#thinking);
    if (this.#isStatusSeen && text !== undefined) this.#status.show(text);
  }

  async finish(ending: Ending): Promise<readonly MessageAddress[]> {
    try {
      const messages = await this.#reply.finish(ending);
      if (ending.kind === 'withdrawn' || isInstead(ending)) await this.#sink.giveUpStreams();
      return this.#sink.addressesOf(messages);
    } catch (error) {
      if (ending.kind === 'withdrawn') throw error;
      const refusal = platformError(error);
      if (refusal.kind !== 'refused') throw refusal;
      return [await this.#asFile(withNote(this.text, ending)).catch(() => Promise.reject(refusal))];
    } finally {
      void this.#status.end(this.#posted);
      const { sessions } = this.#dependencies;
      const ended = this.#session.end(this.#sink.sessionIsSet);
      sessions.whenEnded(this.#context.address, ended, async () => {
        // The record is what finds a stream that nobody knows of.
        if (this.#unfinished && !this.#sink.mayHaveLost)
          await this.#dependencies.unfinishedAnswerRecords.end(this.#unfinished);
      });
    }
  }

  /** The channel may take messages, but not this one. */
  #asFile(text: string): Promise<MessageAddress> {
    const { address, eventId } = this.#context;
    return this.#dependencies.adapter.post(address, { files: [textFile(text)] }, wholeKey(eventId));
  }

  /** Nobody looks into a thread that has no replies yet. */
  get #isStatusSeen(): boolean {
    const { address } = this.#context;
    return threadOf(address) !== undefined && (isDirect(address.channel) || !isNewThread(address));
  }

  /** Until the first words: the thread’s session where Slack has sessions, otherwise “is thinking…”. */
  async #showThinking(signEnded: Promise<void> | undefined): Promise<void> {
    const { title, address } = this.#context;
    if ((await this.#session.shown()) !== 'none') return this.#signShown(true);
    // Which takes the thread’s status away.
    await signEnded;
    this.#status.begin();
    if (title !== undefined) nameThread(this.#dependencies, address, title);
  }

  /** Where Slack shows no sign that people see, a message does. */
  #signShown(isShown: boolean): void {
    this.#isSignShown = isShown && this.#isStatusSeen;
    if (this.#isSignShown) void this.#sign?.end();
    this.#reply.hint(this.#isSignShown ? undefined : (this.#hint ?? this.#thinking));
  }

  /** The first message is about to be sent. */
  async #hold(): Promise<void> {
    this.#status.hold();
    await this.#sign?.hold();
  }

  async #onProgress({ handles, texts, lastText, ending }: ReplyProgress<MessageAddress>): Promise<void> {
    const messages = this.#sink.addressesOf(handles);
    if (!this.#posted) {
      this.#posted = true;
      void this.#status.end(true);
      void this.#sign?.end();
      await this.#join(messages);
    }
    const last = handles.at(-1);
    const shown = last ? this.#sink.shownOf(last, lastText) : lastText;
    // A stream lags behind; what belongs to a later message is no beginning.
    const piece = lastText.startsWith(shown) ? shown : lastText;
    const pieces = texts.length > 0 ? [...texts.slice(0, -1), piece] : [];
    await this.#options.onProgress?.({ messages, lastText: shown, pieces, ...(ending && { ending }) });
  }

  /** Tries again where it failed: the database may be back. */
  #onRecord(): Promise<void> {
    if (!this.#unfinished) return Promise.resolve();
    this.#begun ??= this.#dependencies.unfinishedAnswerRecords.begin(this.#unfinished).catch((error) => {
      this.#begun = undefined;
      throw error;
    });
    return this.#begun;
  }

  /** The stream is there: while the database is away the answer goes on in it, and it's noted later. */
  async #noteStream(ts: string): Promise<void> {
    const { unfinishedAnswerRecords, clock } = this.#dependencies;
    const answer = this.#unfinished;
    if (answer) await nowOrLater(() => unfinishedAnswerRecords.noteStream(answer, ts), { clock });
  }

  /** The one unknown stream in the thread; with several, it’s uncertain which one it is. */
  async #findLost(known: readonly string[]): Promise<string | undefined> {
    const { unfinishedAnswers: unfinished } = this.#dependencies;
    if (!this.#unfinished) return undefined;
    const found = await unfinished.unknownStreams(this.#unfinished);
    const unknown = found.filter((ts) => !known.includes(ts));
    return unknown.length === 1 ? unknown[0] : undefined;
  }

  /** The conversation continues in the thread under a root message, and is still the channel’s. */
  async #join([first]: readonly MessageAddress[]): Promise<void> {
    const { address } = this.#context;
    if (!first) return;
    const thread = threadOf(address) ?? first.message;
    const belonging = address.thread === undefined ? 'channel' : 'thread';
    await this.#dependencies.threads.join(address.workspace, address.channel, thread, belonging);
  }

  #onFailure(error: unknown): void {
    const { responseUrl, requester } = this.#context;
    const { responseUrls } = this.#dependencies;
    const { kind } = platformError(error);
    if (kind !== 'not-a-member' || responseUrl === undefined) {
      this.#logFailure(error);
      // Otherwise it may be there.
      if (kind !== 'unreachable') this.#sign?.begin();
      return;
    }
    if (this.#cannotPost) return;
    this.#cannotPost = true;
    const { working } = slackWords(requester.locale);
    responseUrls.say(responseUrl, { text: working }, 'requester').catch(() => undefined);
  }
}

/** How long people see nothing of what they asked for, in milliseconds: three seconds with what Slack takes. */
const patience = 2_000;
/** The same before a thread’s status: it leaves nothing behind, and Slack takes only ten a second. */
const statusPatience = 1_000;
/** The same where an answer shows by itself that it’s being written: it comes first, unless Slack takes none now. */
const linePatience = 2_300;

/** How long it may be, in milliseconds, until something has to be seen. */
function untilSign(
  { clock }: { readonly clock: Clock },
  { since }: ReplyContext,
  longest = patience,
): number {
  return Math.max(0, since + longest - clock.now());
}

/**
 * Shows whoever asked for something that it’s being done, where nothing of it is there after a moment: Slack shows
 * neither a slash command nor that its app is at work. In a thread that’s its status, elsewhere, and where Slack takes none, a
 * line only for them.
 */
export class FirstSign implements Sign {
  readonly #dependencies: ReplyDependencies;
  readonly #context: ReplyContext;
  #cancel = () => {};
  #status: ThreadStatus | undefined;
  /** Resolves when the line is there, or won’t be. */
  #said: Promise<void> | undefined;
  /** A thread’s status is shown by what it stands for. */
  #isLineOnly = false;
  /** It's shown, and nothing has been sent since. */
  #isShown = false;
  /** It was held for something. */
  #wasHeld = false;
  #isOver = false;

  constructor(dependencies: ReplyDependencies, context: ReplyContext) {
    this.#dependencies = dependencies;
    this.#context = context;
    this.begin();
  }

  /** Shows it when it’s time: at first, and where what it was held for isn’t there after all. */
  begin(): void {
    this.#cancel();
    if (this.#isOver || this.#isShown) return;
    const longest = this.#isLineOnly ? linePatience : this.#hasStatus ? statusPatience : patience;
    const after = untilSign(this.#dependencies, this.#context, longest);
    // The next try may follow at once, and hold it.
    if (after === 0 && this.#wasHeld) return this.#show();
    this.#cancel = this.#dependencies.clock.after(after, () => this.#show());
  }

  /**
   * An answer shows by itself that it’s being written: only where nothing of that is there in time, a line says so. Resolves
   * when no status is shown any more.
   */
  async leaveStatus(): Promise<void> {
    this.#isLineOnly = true;
    this.#isShown = false;
    this.begin();
    await this.#endStatus();
  }

  /** Something of it is about to be sent: no sign comes after it. Resolves when one that’s on its way is there, or soon. */
  async hold(): Promise<void> {
    this.#cancel();
    this.#wasHeld = true;
    this.#isShown = false;
    this.#status?.hold();
    if (this.#said) await inTime(this.#dependencies.clock, statusPatience, this.#said, undefined);
  }

  /** Something of it is there, or nothing comes. Resolves when no status is shown any more, of those that came after it neither. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#cancel();
    await this.#endStatus();
  }

  async #endStatus(): Promise<void> {
    const status = this.#status;
    this.#status = undefined;
    await status?.end(false);
  }

  #show(): void {
    this.#isShown = true;
    const { address, requester } = this.#context;
    const { busy: status, busyWaits: hints } = slackWords(requester.locale);
    if (this.#hasStatus) {
      this.#status = new ThreadStatus(this.#dependencies, address, { status, hints }, (isShown) => {
        if (!isShown) this.#say();
      });
      this.#status.begin();
    } else this.#say();
  }

  #say(): void {
    const { onIt: text } = slackWords(this.#context.requester.locale);
    const { log } = this.#dependencies;
    this.#said ??= sayAside(this.#dependencies, this.#context, { text }).catch((error: unknown) =>
      log.debug({ error: String(error) }, 'nobody could be told that something is being done'),
    );
  }

  /** Others in a thread are told nothing of what only one person sees, and nobody looks into one without replies. */
  get #hasStatus(): boolean {
    const { address, seenBy, privately } = this.#context;
    if (this.#isLineOnly || threadOf(address) === undefined) return false;
    return isDirect(address.channel) || (seenBy === 'channel' && !privately && !isNewThread(address));
  }
}
