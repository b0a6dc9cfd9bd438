/** How a reply ends. `note` is a sentence for people, below the text. */
export type Ending =
  | { readonly kind: 'done'; readonly note?: string }
  | { readonly kind: 'stopped'; readonly note?: string }
  | { readonly kind: 'interrupted'; readonly note?: string }
  | { readonly kind: 'failed'; readonly note: string }
  /** Somebody deleted it: what isn't written yet never is. */
  | { readonly kind: 'withdrawn'; readonly note?: undefined };

/** What people read of an answer: its text, and the note of its ending. */
export function withNote(text: string, ending: Ending | undefined): string {
  return [text.trimEnd(), ending?.note].filter(Boolean).join('\n\n');
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
  /** Milliseconds waited. */
  readonly limit: number;

  constructor(limit: number) {
    super(`The platform has not answered a write for ${limit} ms`);
    this.limit = limit;
  }
}
