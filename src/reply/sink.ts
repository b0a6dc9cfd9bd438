/** How a reply ends. `note` is a sentence for people, put under what was written. */
export type Ending =
  | { readonly kind: 'done'; readonly note?: string }
  | { readonly kind: 'stopped'; readonly note?: string }
  | { readonly kind: 'interrupted'; readonly note?: string }
  | { readonly kind: 'failed'; readonly note: string };

/** What a platform is told about the message that it writes. */
export interface MessageContext {
  /** Counted from 0 within the reply: with the reply's own id, a key under which a post may be repeated. */
  readonly index: number;
  /** `closed`: full, another message follows. `ended`: the last one of a reply that is over. */
  readonly phase: 'growing' | 'closed' | 'ended';
  /** How the reply ended, in phase `ended`. */
  readonly ending?: Ending;
  /** The text goes on past this message but no message follows: the whole comes as a file at the end. */
  readonly restAsFile: boolean;
  /** Aborted when the write has taken too long and is given up. */
  readonly signal: AbortSignal;
}

/** Where a reply's messages are written; implemented by each platform. */
export interface ReplySink<Handle> {
  /** The longest message, in what `length` counts; at least `smallestMaxLength`. */
  readonly maxLength: number;
  /** A text's length as the platform counts it, after whatever it does to it; by default UTF-16 code units. */
  length?(text: string): number;
  /**
   * Writes a new message; resolves when the platform has it. A failure after which it may be tried again is
   * a `RetryableWriteError`; where it is unknown whether the message arrived, the platform must see to it
   * that the same `index` is not posted twice.
   */
  post(text: string, context: MessageContext): Promise<Handle>;
  edit(handle: Handle, text: string, context: MessageContext): Promise<void>;
  /** The whole text as a file, under the message `after`; without this every message is posted. */
  attachWhole?(text: string, after: Handle, signal: AbortSignal): Promise<void>;
}

/** A write that failed and may be tried again. */
export class RetryableWriteError extends Error {
  override readonly name = 'RetryableWriteError';
  /** Milliseconds before which another try is useless, where the platform said so. */
  readonly retryAfter: number | undefined;

  constructor(message: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfter = options.retryAfter;
  }
}

/** A write that did not come to an end in time, so that nobody knows whether it arrived. */
export class WriteTimeoutError extends Error {
  override readonly name = 'WriteTimeoutError';
  /** Milliseconds waited. */
  readonly limit: number;

  constructor(limit: number) {
    super(`The platform has not answered a write for ${limit} ms`);
    this.limit = limit;
  }
}
