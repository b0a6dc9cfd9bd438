import { type Clock, sleep } from '../lib/clock.ts';
import { Composer } from './composer.ts';
import { Outbox, type Outgoing } from './outbox.ts';
import type { Pacing } from './pacer.ts';
import type { Ending, ReplySink } from './sink.ts';
import { within } from './within.ts';
import { type Failure, Writer, writeLimit } from './writer.ts';

/** How far a reply has come: enough to end it honestly after a crash. */
export interface ReplyProgress<Handle> {
  /** The messages posted so far, in order. */
  readonly handles: readonly Handle[];
  /** What the last of them shows of the text. */
  readonly lastText: string;
}

export interface LiveReplyOptions<Handle> {
  readonly sink: ReplySink<Handle>;
  /** The budget of edits, and of posts where these have none of their own. */
  readonly pacer: Pacing;
  readonly postPacer?: Pacing;
  readonly clock: Clock;
  /** Where more messages were needed and the sink takes files, the whole text comes as one; by default 6. */
  readonly maxMessages?: number;
  /** Called after every write, and awaited before the next one. */
  readonly onProgress?: (progress: ReplyProgress<Handle>) => void | Promise<void>;
  /** Told of every failed write, those included that are tried again. */
  readonly onFailure?: (error: unknown) => void;
}

/** How often a last state is tried. */
const maxTries = 6;

/**
 * A text that grows where people see it. It takes deltas at once and works only when the pacer opens a slot,
 * from the start of the current message; one write is under way at a time, always with the latest text. A write
 * that fails meanwhile costs nothing but time; the last state is tried until it has arrived or cannot.
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
  #ending: Ending | undefined;
  #fileTries = 0;

  /** @throws RangeError where the sink's `maxLength` is below `smallestMaxLength`. */
  constructor(options: LiveReplyOptions<Handle>) {
    const { sink, maxMessages = 6 } = options;
    const { maxLength } = sink;
    const length = sink.length && ((text: string) => sink.length?.(text) ?? text.length);
    this.#options = options;
    this.#writer = new Writer(sink, options.clock);
    this.#outbox = new Outbox();
    this.#composer = new Composer(
      { maxLength, ...(length && { length }) },
      (index, state) => this.#outbox.want(index, state),
      sink.attachWhole ? maxMessages : Number.POSITIVE_INFINITY,
    );
    // Whoever finishes hears of it; a reply that nobody finishes must not end the process.
    this.#finished.promise.catch(() => {});
  }

  /** Takes the next words; nothing after `finish`. */
  append(delta: string): void {
    if (this.#ending) return;
    this.#composer.append(delta);
    // White space alone shows nothing.
    if (!/\S/.test(delta)) return;
    this.#hasWords = true;
    if (!this.#composer.isFull) this.#wake();
  }

  /** Shows a sentence until the first words come; it is no part of the text. */
  hint(text: string): void {
    if (this.#ending || this.#hasWords) return;
    this.#composer.hint(text);
    this.#wake();
  }

  /** Everything taken so far. */
  get text(): string {
    return this.#composer.text;
  }

  /**
   * Ends the reply; the first ending counts. Resolves with its messages when the last state has arrived: with
   * none where there was neither text nor note. Rejects with what the sink threw where that cannot be.
   */
  finish(ending: Ending): Promise<Handle[]> {
    if (!this.#ending) {
      this.#ending = ending;
      this.#composer.end(ending);
      this.#outbox.forgiveAll();
      this.#wake();
    }
    return this.#finished.promise;
  }

  #wake(): void {
    this.#fresh = true;
    if (this.#running) return;
    this.#running = true;
    this.#run().catch((error) => {
      this.#running = false;
      this.#options.onFailure?.(error);
      this.#finished.reject(error);
    });
  }

  async #run(): Promise<void> {
    while (this.#fresh || this.#outbox.next() || this.#needsFile) {
      await this.#pacing.slot({ urgent: this.#isFirst });
      if (this.#fresh) this.#fresh = this.#composer.look();
      const message = this.#outbox.next();
      if (message) await this.#write(message);
      else if (this.#needsFile) await this.#sendFile();
    }
    this.#running = false;
    if (!this.#ending) return;
    const { refused, handles } = this.#outbox;
    if (refused) this.#finished.reject(refused.error);
    else this.#finished.resolve(handles);
  }

  /** Whether people wait for a first sign or, after a hint, for the first words. */
  get #isFirst(): boolean {
    return this.#outbox.handles.length === 0 || (this.#hasWords && !this.#wordsShown);
  }

  /** The budget that the next write comes out of. */
  get #pacing(): Pacing {
    const { pacer, postPacer = pacer } = this.#options;
    const { last } = this.#outbox;
    const growing = last?.wanted.phase === 'growing' && !last.wanted.restAsFile ? last : undefined;
    return (this.#outbox.next() ?? growing)?.posted ? pacer : postPacer;
  }

  get #needsFile(): boolean {
    // What a place refused as a message must not slip in as a file.
    if (this.#outbox.refused) return false;
    return this.#composer.needsFile && this.#outbox.last?.posted !== undefined;
  }

  async #write(message: Outgoing<Handle>): Promise<void> {
    this.#wordsShown ||= this.#hasWords;
    const failure = await this.#writer.write(message);
    if (!failure) return this.#tell();
    const tryAgain = !this.#ending || message.tries < maxTries;
    if (!(await this.#waitAfter(failure, tryAgain))) message.refused = failure;
  }

  async #sendFile(): Promise<void> {
    const after = this.#outbox.handles.at(-1) as Handle;
    this.#fileTries += 1;
    const failure = await this.#writer.sendFile(this.text, after, this.#fileTries);
    if (!failure) return this.#composer.fileSent();
    if (await this.#waitAfter(failure, this.#fileTries < maxTries)) return;
    this.#composer.fileRefused();
    this.#fresh = true;
  }

  /** Waits until a write may be tried again; false where it may not. */
  async #waitAfter({ error, retryIn }: Failure, tryAgain: boolean): Promise<boolean> {
    this.#options.onFailure?.(error);
    if (retryIn === undefined || !tryAgain) return false;
    await sleep(this.#options.clock, retryIn);
    return true;
  }

  async #tell(): Promise<void> {
    const { clock, onProgress, onFailure } = this.#options;
    if (!onProgress) return;
    const { handles } = this.#outbox;
    const lastText = this.#hasWords ? this.#outbox.lastText : '';
    try {
      await within(clock, writeLimit, () => onProgress({ handles, lastText }));
    } catch (error) {
      onFailure?.(error);
    }
  }
}
