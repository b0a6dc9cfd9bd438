import { type Clock, sleep } from '../lib/clock.ts';
import { MarkdownSplitter, mostMessages, type SplitOptions, withNoteBelow } from './markdown/splitter.ts';
import { isMoreUrgent, type Pacing, type Urgency } from './pacer.ts';
import {
  emptied,
  type Ending,
  type Failure,
  isInstead,
  noteOf,
  Outbox,
  type Outgoing,
  type ReplySink,
  withWriteTimeout,
  Writer,
} from './writer.ts';

/** Progress of a reply: enough to end it properly after a crash. */
export interface ReplyProgress<Handle> {
  /** The messages posted so far, in order. */
  readonly handles: readonly Handle[];
  /** Their texts: together all that people can read. */
  readonly texts: readonly string[];
  /** The text of the last of them; empty as long as it only says why it takes long. */
  readonly lastText: string;
  /** How the reply ended, once people can read its end. */
  readonly ending?: Ending;
}

export interface LiveReplyOptions<Handle> {
  readonly sink: ReplySink<Handle>;
  /** The budget for edits, and for posts unless they have their own. */
  readonly pacer: Pick<Pacing, 'slot'>;
  readonly postPacer?: Pick<Pacing, 'slot'>;
  /** Keeps a slot for the end, where many replies share the budget for edits; returns what gives it back. */
  readonly reserveEnd?: () => () => void;
  readonly clock: Clock;
  /** If more messages are needed and the sink takes files, the whole text is sent as a file; `mostMessages` by default. */
  readonly maxMessages?: number;
  /** Milliseconds that a hint waits for the text before it's shown; none by default. */
  readonly hintAfter?: number;
  /** Called after every write, and awaited before the next one. */
  readonly onProgress?: (progress: ReplyProgress<Handle>) => void | Promise<void>;
  /** Called for every failed write, including those that are retried. */
  readonly onFailure?: (error: unknown) => void;
  /** Called for every write that's refused for good. */
  readonly onRefused?: (error: unknown) => void;
}

/** How often the final state is tried. */
const maxTries = 6;

/**
 * A reply that grows while people read it. `append` returns at once; a write is made only when the pacer allows one,
 * one at a time, always with the latest text. Failed writes in between are simply superseded; the final state is
 * retried until it is written or fails for good.
 *
 * ```ts
 * import { systemClock as clock } from '../lib/clock.ts';
 * import { LiveReply, Pacer, type ReplySink } from './index.ts';
 *
 * const sink: ReplySink<number> = {
 *   maxLength: 2_000,
 *   post: async (text, { index }) => {
 *     console.log(`message ${index}: ${text}`);
 *     return index;
 *   },
 *   edit: async (index, text) => console.log(`message ${index} is now: ${text}`),
 * };
 * const reply = new LiveReply({ sink, clock, pacer: new Pacer(clock, { limit: 5, window: 5_000 }) });
 * for (const delta of ['It grows', ' as it', ' is written.']) reply.append(delta);
 * await reply.finish({ kind: 'done' });
 * ```
 */
export class LiveReply<Handle> {
  readonly #options: LiveReplyOptions<Handle>;
  readonly #outbox: Outbox<Handle>;
  readonly #composer: Composer;
  readonly #writer: Writer<Handle>;
  readonly #finished = Promise.withResolvers<Handle[]>();
  /** Something has come that was not looked at yet. */
  #fresh = false;
  #running = false;
  #hasWords = false;
  #wordsShown = false;
  /** Characters that came since the last write. */
  #gathered = 0;
  /** Gives back the slot that's kept for the end. */
  #release: (() => void) | undefined;
  #ending: Ending | undefined;
  #fileTries = 0;
  /** The wait for a slot, which something more urgent breaks off. */
  #wait: { readonly urgency: Urgency; readonly breakOff: AbortController } | undefined;
  #cancelHint: (() => void) | undefined;

  /** @throws RangeError where the sink's `maxLength` is below `smallestMaxLength`. */
  constructor(options: LiveReplyOptions<Handle>) {
    const { sink, maxMessages = mostMessages } = options;
    const { maxLength, hides = true } = sink;
    const length = sink.length && ((text: string) => sink.length?.(text) ?? text.length);
    this.#options = options;
    this.#writer = new Writer(sink, options.clock);
    this.#outbox = new Outbox();
    this.#composer = new Composer(
      { maxLength, hides, ...(length && { length }) },
      this.#outbox,
      sink.attachWhole ? maxMessages : Number.POSITIVE_INFINITY,
    );
    // The caller of `finish` gets the error; without one, it must not end the process.
    this.#finished.promise.catch(() => {});
  }

  /** Appends text; ignored after `finish`. */
  append(delta: string): void {
    if (this.#ending) return;
    this.#composer.append(delta);
    this.#gathered += delta.length;
    // White space alone shows nothing.
    if (!/\S/.test(delta)) return;
    this.#hasWords = true;
    this.#cancelHint?.();
    if (!this.#composer.isFull) this.#wake();
  }

  /**
   * Shows a sentence until the first text arrives, if there's a slot left over for it; it isn't part of the text.
   * Undefined takes back one that isn't shown yet.
   */
  hint(text: string | undefined): void {
    if (this.#ending || this.#hasWords) return;
    const isShown = this.#outbox.hasPosted;
    if (text === undefined) {
      if (!isShown) this.#dropHint();
      return;
    }
    this.#composer.hint(text);
    const { clock, hintAfter = 0 } = this.#options;
    if (isShown || hintAfter === 0) this.#wake();
    else this.#cancelHint ??= clock.after(hintAfter, () => this.#wake());
  }

  #dropHint(): void {
    this.#cancelHint?.();
    this.#cancelHint = undefined;
    this.#composer.hint(undefined);
    this.#fresh = false;
    this.#wait?.breakOff.abort();
  }

  /** The whole text so far. */
  get text(): string {
    return this.#composer.text;
  }

  /**
   * Ends the reply; only the first call counts. Resolves with its messages when the final state is written: an empty
   * list if there was neither text nor note. Rejects with the sink's error if it can't be written. One that is withdrawn
   * stays as it stands; where a note stands instead of the text, the first message has it, and the others are to be taken
   * away.
   */
  finish(ending: Ending): Promise<Handle[]> {
    if (!this.#ending) {
      this.#ending = ending;
      this.#release?.();
      this.#cancelHint?.();
      if (ending.kind === 'withdrawn') {
        this.#wake();
        this.#wait?.breakOff.abort();
        return this.#finished.promise;
      }
      this.#composer.end(ending);
      if (isInstead(ending)) this.#outbox.leaveAllButFirst();
      this.#outbox.forgiveAll();
      this.#wake();
    }
    return this.#finished.promise;
  }

  #wake(): void {
    this.#fresh = true;
    if (this.#wait && isMoreUrgent(this.#urgency, this.#wait.urgency)) this.#wait.breakOff.abort();
    if (this.#running) return;
    this.#running = true;
    this.#run().catch((error) => {
      this.#running = false;
      this.#options.onFailure?.(error);
      this.#finished.reject(error);
    });
  }

  async #run(): Promise<void> {
    while (!this.#isWithdrawn && (this.#fresh || this.#outbox.next() || this.#needsFile)) {
      if (!(await this.#hasSlot()) || this.#isWithdrawn) continue;
      if (this.#fresh) this.#fresh = this.#composer.look();
      const message = this.#outbox.next();
      if (message) await this.#write(message);
      else if (this.#needsFile) await this.#sendFile();
    }
    this.#running = false;
    if (!this.#ending) return;
    const { refused, handles } = this.#outbox;
    if (refused && !this.#isWithdrawn) this.#finished.reject(refused.error);
    else this.#finished.resolve(handles);
  }

  get #isWithdrawn(): boolean {
    return this.#ending?.kind === 'withdrawn';
  }

  /** Waits for a slot; false if meanwhile something else is to be waited for, or nothing. */
  async #hasSlot(): Promise<boolean> {
    const wait = { urgency: this.#urgency, breakOff: new AbortController() };
    const { signal } = wait.breakOff;
    this.#wait = wait;
    try {
      await this.#pacing.slot({ urgency: wait.urgency, gathered: () => this.#gathered, signal });
      return true;
    } catch (error) {
      if (!signal.aborted) throw error;
      return false;
    } finally {
      this.#wait = undefined;
    }
  }

  /** A hint is no first sign: the platform shows one by itself. */
  get #urgency(): Urgency {
    if (!this.#hasWords && !this.#ending) return 'optional';
    if (!this.#outbox.hasPosted || (this.#hasWords && !this.#wordsShown)) return 'first';
    return this.#ending ? 'final' : 'growth';
  }

  /** The budget for the next write. */
  get #pacing(): Pick<Pacing, 'slot'> {
    const { pacer, postPacer = pacer } = this.#options;
    const { last } = this.#outbox;
    const growing = last?.wanted.phase === 'growing' && !last.wanted.restAsFile ? last : undefined;
    return (this.#outbox.next() ?? growing)?.posted ? pacer : postPacer;
  }

  get #needsFile(): boolean {
    // What was refused as a message must not be sent as a file.
    if (this.#outbox.refused) return false;
    return this.#composer.needsFile && this.#outbox.last?.posted !== undefined;
  }

  async #write(message: Outgoing<Handle>): Promise<void> {
    this.#wordsShown ||= this.#hasWords;
    this.#gathered = 0;
    const failure = await this.#writer.write(message);
    if (this.#wordsShown && !this.#ending) this.#release ??= this.#options.reserveEnd?.();
    if (!failure) return this.#tell();
    const tryAgain = !this.#ending || message.tries < maxTries;
    if (await this.#waitAfter(failure, tryAgain)) return;
    message.refused = failure;
    this.#options.onRefused?.(failure.error);
  }

  async #sendFile(): Promise<void> {
    const after = this.#outbox.handles.at(-1) as Handle;
    this.#fileTries += 1;
    const failure = await this.#writer.sendFile(this.text, after, this.#fileTries);
    if (!failure) {
      this.#composer.fileSent();
      return this.#tell();
    }
    if (await this.#waitAfter(failure, this.#fileTries < maxTries)) return;
    this.#composer.fileRefused();
    this.#fresh = true;
  }

  /** Waits until a write may be retried; false if it may not. */
  async #waitAfter({ error, retryIn }: Failure, tryAgain: boolean): Promise<boolean> {
    this.#options.onFailure?.(error);
    if (retryIn === undefined || !tryAgain) return false;
    await sleep(this.#options.clock, retryIn);
    return true;
  }

  async #tell(): Promise<void> {
    const { clock, onProgress, onFailure } = this.#options;
    if (!onProgress) return;
    const { handles, isWritten } = this.#outbox;
    const texts = this.#hasWords ? this.#outbox.texts : [];
    const ending = isWritten && this.#ending ? { ending: this.#ending } : {};
    const progress = { handles, texts, lastText: texts.at(-1) ?? '', ...ending };
    try {
      await withWriteTimeout(clock, () => onProgress(progress));
    } catch (error) {
      onFailure?.(error);
    }
  }
}

/** At most this many messages are split off at once, so that a huge delta doesn't block the process. */
const mostAtOnce = 4;

/** Turns a growing text into the content of its reply's messages. */
class Composer {
  readonly #options: SplitOptions;
  readonly #splitter: MarkdownSplitter;
  readonly #outbox: Pick<Outbox<unknown>, 'want'>;
  /** The messages split off so far. */
  readonly #texts: string[] = [];
  #mostMessages: number;
  #ending: Ending | undefined;
  #hint: string | undefined;

  /** Past `mostMessages` the text is sent as a file; Infinity shows it all. */
  constructor(options: SplitOptions, outbox: Pick<Outbox<unknown>, 'want'>, mostMessages: number) {
    this.#options = options;
    this.#splitter = new MarkdownSplitter(options);
    this.#outbox = outbox;
    this.#mostMessages = Math.max(1, mostMessages);
  }

  append(delta: string): void {
    this.#splitter.append(delta);
  }

  get text(): string {
    return isInstead(this.#ending) ? '' : this.#splitter.text;
  }

  /** Whether more text would change nothing visible before the end. */
  get isFull(): boolean {
    return this.#texts.length >= this.#mostMessages;
  }

  /** Whether the text is finished and doesn't fit in the messages. */
  get needsFile(): boolean {
    return this.#ending !== undefined && this.#texts.length > this.#mostMessages;
  }

  /** Shown in the first message until there is text. */
  hint(text: string | undefined): void {
    this.#hint = text;
  }

  end(ending: Ending): void {
    this.#ending = ending;
    if (isInstead(ending)) this.#texts.length = 0;
  }

  /** Updates the messages from the text; true if there is more to process. */
  look(): boolean {
    for (let taken = 0; taken < mostAtOnce; taken++) {
      if (this.needsFile || (this.isFull && !this.#ending)) return false;
      const piece = this.#takePiece();
      if (!piece) {
        if (this.#ending) this.#settle(this.#ending, this.#texts);
        else this.#grow();
        return false;
      }
      this.#texts.push(piece.text);
      this.#close(this.#texts.length - 1);
    }
    return true;
  }

  #takePiece() {
    if (isInstead(this.#ending)) return undefined;
    return this.#ending ? this.#splitter.takeRest() : this.#splitter.takeFull();
  }

  /** The file was sent: the messages end where they are. */
  fileSent(): void {
    if (this.#ending) this.#settle(this.#ending, this.#texts.slice(0, this.#mostMessages));
    this.#mostMessages = Number.POSITIVE_INFINITY;
  }

  /** The file can't be sent: the rest is posted as messages after all. */
  fileRefused(): void {
    this.#mostMessages = Number.POSITIVE_INFINITY;
    this.#texts.forEach((_, index) => void (index < this.#texts.length - 1 && this.#close(index)));
  }

  #grow(): void {
    const text = this.#splitter.growing() || (this.#texts.length === 0 ? this.#hint : undefined);
    if (text) this.#outbox.want(this.#texts.length, { text, phase: 'growing', restAsFile: false });
  }

  #close(index: number): void {
    const text = this.#texts[index];
    const last = index === this.#mostMessages - 1;
    if (text === undefined || index >= this.#mostMessages) return;
    this.#outbox.want(index, { text, phase: last ? 'growing' : 'closed', restAsFile: last });
  }

  #settle(ending: Ending, shown: readonly string[]): void {
    const written = shown.length === 0 && this.#hint !== undefined ? [emptied] : shown;
    const note = noteOf(ending);
    const texts = note ? withNoteBelow(shown, note, this.#options) : written;
    const restAsFile = shown.length < this.#texts.length;
    texts.forEach((text, index) => {
      const isLast = index === texts.length - 1;
      const rest = restAsFile && index >= shown.length - 1;
      const state = isLast ? ({ phase: 'ended', ending } as const) : ({ phase: 'closed' } as const);
      this.#outbox.want(index, { text, restAsFile: rest, ...state });
    });
  }
}
