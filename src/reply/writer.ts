import { type Clock, waitAfter, type Waits } from '../lib/clock.ts';

/** Milliseconds after which a write is abandoned. */
const writeLimit = 30_000;
const waits: Waits = { first: 1_000, longest: 60_000 };

/** How a write failed; `retryIn` milliseconds if it may be retried. */
export interface Failure {
  readonly error: unknown;
  readonly retryIn?: number;
}

/** Makes one write at a time and classifies its failure. */
export class Writer<Handle> {
  readonly #sink: ReplySink<Handle>;
  readonly #clock: Clock;

  constructor(sink: ReplySink<Handle>, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /**
   * Posts or edits the message, once any earlier abandoned write of it is over: otherwise that could arrive after
   * this one, or post the message twice.
   */
  async write(message: Outgoing<Handle>): Promise<Failure | undefined> {
    const { index, wanted, underWay } = message;
    const { text, ...state } = wanted;
    // One that never settles is waited for no longer, even if it ignores its signal.
    if (underWay) await withWriteTimeout(this.#clock, () => underWay).catch(() => undefined);
    const repeatable = message.posted !== undefined;
    try {
      await withWriteTimeout(this.#clock, async (signal) => {
        const work = this.#send(message, text, { index, signal, ...state });
        message.underWay = work.catch(() => undefined);
        await work;
      });
    } catch (error) {
      message.standing = undefined;
      message.tries += 1;
      message.mayStand ||= !repeatable && !isSurelyUndone(error);
      return judge(error, message.tries, repeatable);
    }
    // If the platform deduplicates a post it returns the existing message, whose content is unknown until it is
    // edited.
    message.standing = !repeatable && message.mayStand ? undefined : wanted;
    message.mayStand = false;
    message.tries = 0;
    return undefined;
  }

  async #send(message: Outgoing<Handle>, text: string, context: MessageContext): Promise<void> {
    const { posted } = message;
    if (posted) await this.#sink.edit(posted.handle, text, context);
    // Kept even if it is too late: the message exists.
    else message.posted = { handle: await this.#sink.post(text, context) };
  }

  /** Sends the whole text as a file; `tries` includes this attempt. */
  async sendFile(text: string, after: Handle, tries: number): Promise<Failure | undefined> {
    try {
      await withWriteTimeout(this.#clock, (signal) => this.#sink.attachWhole?.(text, after, signal));
    } catch (error) {
      return judge(error, tries, false);
    }
    return undefined;
  }
}

/** When the platform said to retry. */
function isSurelyUndone(error: unknown): boolean {
  return error instanceof RetryableWriteError && error.retryAfter !== undefined;
}

/** An edit without a response can be repeated: it has the same result. */
function judge(error: unknown, tries: number, repeatable: boolean): Failure {
  const backoff = waitAfter(tries, waits);
  if (error instanceof RetryableWriteError)
    return { error, retryIn: Math.min(waits.longest, Math.max(0, error.retryAfter ?? backoff)) };
  if (error instanceof WriteTimeoutError && repeatable) return { error, retryIn: backoff };
  return { error };
}

/** Stands where there's no text: a message can't be empty. */
export const emptied = '…';

/** A message's content and phase. */
export interface MessageState {
  readonly text: string;
  readonly phase: MessageContext['phase'];
  readonly restAsFile: boolean;
  readonly ending?: Ending;
}

/** A message of a reply: its wanted content and its shown content. */
export interface Outgoing<Handle> {
  readonly index: number;
  wanted: MessageState;
  /** Undefined if it isn't posted, or if a failed write left it unknown. */
  standing?: MessageState | undefined;
  posted?: { readonly handle: Handle };
  /** The content of a failed attempt to post it that may have succeeded after all. */
  mayStand: boolean;
  /** Settles when the latest write is over, possibly long after it was abandoned. */
  underWay?: Promise<unknown>;
  /** Why it can't be written in its current phase. */
  refused?: { readonly error: unknown } | undefined;
  /** Consecutive failed attempts. */
  tries: number;
}

/** The messages of a reply in order, and which one to write next. */
export class Outbox<Handle> {
  readonly #messages: Outgoing<Handle>[] = [];
  /** Those that nothing more is written into. */
  #left: readonly Outgoing<Handle>[] = [];

  /** Sets the content of the message `index`; creates it on the first text. */
  want(index: number, wanted: MessageState): void {
    const message = this.#messages[index] ?? this.#add(wanted);
    if (wanted.phase !== message.wanted.phase) forgive(message);
    message.wanted = wanted;
  }

  /**
   * The first message whose shown content is outdated. Nothing is posted after one that couldn't be written: nobody would see
   * that a part is missing between them.
   */
  next(): Outgoing<Handle> | undefined {
    const outdated = this.#messages.filter(({ standing, wanted }) => !standing || !isSame(wanted, standing));
    const next = outdated.find(({ refused }) => !refused);
    if (next && (next === outdated[0] || next.posted)) return next;
    return this.#left.find(({ posted, mayStand, refused }) => !posted && mayStand && !refused);
  }

  get last(): Outgoing<Handle> | undefined {
    return this.#messages.at(-1);
  }

  /**
   * Leaves all messages but the first as they are: whoever has their handles takes them away. One that may have arrived is
   * posted again, with nothing in it, for its handle.
   */
  leaveAllButFirst(): void {
    this.#left = [...this.#left, ...this.#messages.splice(1)];
    for (const message of this.#left) {
      message.wanted = { text: emptied, phase: 'closed', restAsFile: false };
      forgive(message);
    }
  }

  /** The posted messages, in order. */
  get handles(): Handle[] {
    return [...this.#messages, ...this.#left].flatMap(({ posted }) => (posted ? [posted.handle] : []));
  }

  /** Whether one is posted; asked at every token. */
  get hasPosted(): boolean {
    return this.#messages[0]?.posted !== undefined || this.#left.some(({ posted }) => posted !== undefined);
  }

  /** The contents of the posted messages, in order. */
  get texts(): string[] {
    return this.#messages.flatMap(({ posted, standing, wanted }) =>
      posted ? [(standing ?? wanted).text] : [],
    );
  }

  /** Whether everything is shown as it's to stay. */
  get isWritten(): boolean {
    return this.last?.standing?.phase === 'ended' && !this.refused && this.next() === undefined;
  }

  /** The error of the first message that can't be written. */
  get refused(): { readonly error: unknown } | undefined {
    return this.#messages.find((message) => message.refused)?.refused;
  }

  /** Lets every failed message be tried again. */
  forgiveAll(): void {
    this.#messages.forEach(forgive);
  }

  #add(wanted: MessageState): Outgoing<Handle> {
    const message = { index: this.#messages.length, wanted, mayStand: false, tries: 0 };
    this.#messages.push(message);
    return message;
  }
}

function forgive(message: Outgoing<unknown>): void {
  message.refused = undefined;
  message.tries = 0;
}

function isSame(one: MessageState, other: MessageState): boolean {
  return one.text === other.text && one.phase === other.phase && one.restAsFile === other.restAsFile;
}

/** Runs `task`; where it takes too long, aborts its signal and fails with a `WriteTimeoutError`. */
export async function withWriteTimeout<Result>(
  clock: Clock,
  task: (signal: AbortSignal) => Result | Promise<Result>,
): Promise<Result> {
  const abort = new AbortController();
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(writeLimit, () => {
    const error = new WriteTimeoutError();
    abort.abort(error);
    late.reject(error);
  });
  try {
    return await Promise.race([task(abort.signal), late.promise]);
  } finally {
    cancel();
  }
}

/** How a reply ends. `note` is a sentence for people, below the text; `mark` a line below all, whatever came of it. */
export type Ending =
  | { readonly kind: 'done' | 'stopped' | 'interrupted'; readonly note?: string; readonly mark?: string }
  | {
      readonly kind: 'failed';
      readonly note: string;
      readonly mark?: string;
      /** The note stands instead of the text, of which nothing is shown any more. */
      readonly instead?: true;
    }
  /** Somebody deleted it: what isn't written yet never is. */
  | { readonly kind: 'withdrawn'; readonly note?: undefined; readonly mark?: undefined };

/** What stands below a reply's text; undefined if nothing does. */
export function noteOf(ending: Ending | undefined): string | undefined {
  const lines = [ending?.note, ending?.mark].filter((line) => line !== undefined);
  return lines.length > 0 ? lines.join('\n\n') : undefined;
}

/** An answer as people read it: its text, and the note of its ending. */
export function withNote(text: string, ending: Ending | undefined): string {
  if (isInstead(ending)) return ending.note;
  return [text.trimEnd(), noteOf(ending)].filter(Boolean).join('\n\n');
}

/** Whether a note stands instead of the text. */
export function isInstead(
  ending: Ending | undefined,
): ending is Ending & { readonly kind: 'failed'; readonly instead: true } {
  return ending?.kind === 'failed' && ending.instead === true;
}

/** What a sink gets with each message it writes. */
export interface MessageContext {
  /** Counted from 0 within the reply: together with the reply's id, an idempotency key for posts. */
  readonly index: number;
  /** `closed`: full, another message follows. `ended`: the last message of a finished reply. */
  readonly phase: 'growing' | 'closed' | 'ended';
  /** How the reply ended, in phase `ended`. */
  readonly ending?: Ending;
  /** The text continues but no message follows: the whole text comes as a file at the end. */
  readonly restAsFile: boolean;
  /** Aborted when the write has taken too long and is abandoned. */
  readonly signal: AbortSignal;
}

/** Where a reply's messages are written; implemented by each platform. */
export interface ReplySink<Handle> {
  /** The longest message, as counted by `length`; at least `smallestMaxLength`. */
  readonly maxLength: number;
  /** Counts a text's length as the platform does, after its conversions; by default in UTF-16 code units. */
  length?(text: string): number;
  /** Whether bars hide words there; by default they do. */
  readonly hides?: boolean;
  /**
   * Posts a new message; resolves when the platform has accepted it. Throws a `RetryableWriteError` if it may be
   * retried; if it is unknown whether the message arrived, the sink must not post the same `index` twice.
   */
  post(text: string, context: MessageContext): Promise<Handle>;
  edit(handle: Handle, text: string, context: MessageContext): Promise<void>;
  /** Sends the whole text as a file, below the message `after`; without this every message is posted. */
  attachWhole?(text: string, after: Handle, signal: AbortSignal): Promise<void>;
}

/** A failed write that may be retried. */
export class RetryableWriteError extends Error {
  override readonly name = 'RetryableWriteError';
  /** Minimum delay before a retry in milliseconds, if the platform gave one. */
  readonly retryAfter: number | undefined;

  constructor(message: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfter = options.retryAfter;
  }
}

/** A write that timed out; it is unknown whether it arrived. */
export class WriteTimeoutError extends Error {
  override readonly name = 'WriteTimeoutError';

  constructor() {
    super(`The platform has not answered a write for ${writeLimit} ms`);
  }
}
