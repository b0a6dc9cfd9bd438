import type { RawFile } from '@discordjs/rest';
import { type MessageAddress, PlatformError, type StreamOptions, wholeKey } from '../../../port/index.ts';
import {
  type Ending,
  type MessageContext,
  type Pacing,
  type ReplySink,
  RetryableWriteError,
} from '../../../reply/index.ts';
import { rateLimitWait, UnconfirmedError } from '../api/errors.ts';
import { messageBody } from '../api/message-body.ts';
import type { Pace, RateLimits } from '../api/rate-limits.ts';
import { maxLengthBelow, prependHeader } from '../post/message-header.ts';
import { type MessageRequest, sendPlainerIfRefused } from '../post/message-requests.ts';
import { partKey } from '../post/posted-messages.ts';
import type { ReplyTarget } from './reply-target.ts';

export interface LiveSinkOptions {
  readonly rateLimits: Pick<RateLimits, 'slot'>;
  readonly buttons: StreamOptions['buttons'];
  /** The line above the first message. */
  readonly header: string | undefined;
  /** What's said with the whole answer as a file. */
  readonly wholeAsFile: string;
  /** Called for every message that was posted, with its header, if any. */
  readonly onPosted: (
    message: MessageAddress,
    header: string | undefined,
    maxLength: number,
  ) => Promise<void>;
}

/** The id of a message that may be there, but whose real id is unknown. */
const unconfirmedId = '0';

/** Whether a message is certainly there. */
export function isConfirmedMessage({ message }: MessageAddress): boolean {
  return message !== unconfirmedId;
}

/** Writes the messages of a growing answer to its reply target. */
export class LiveSink implements ReplySink<MessageAddress> {
  readonly maxLength: number;
  readonly #target: ReplyTarget;
  readonly #options: LiveSinkOptions;
  /** What Discord refused once is left out from then on. */
  #withoutButtons = false;
  #withoutHeader = false;
  /** The first message that is certainly there. */
  #first: MessageAddress | undefined;
  /** The message with the whole text as a file. */
  #file: MessageAddress | undefined;
  #mayBeIncomplete = false;
  /** Whether it's unknown if the newest message, with its buttons, is there. */
  #isLastUnconfirmed = false;
  /** The bucket in which a slot was waited for, for the next write. */
  #heldSlot: string | undefined;

  constructor(target: ReplyTarget, options: LiveSinkOptions) {
    this.#target = target;
    this.#options = options;
    // The same for all messages, although only the first has the header, so that the text is always split alike.
    this.maxLength = maxLengthBelow(options.header);
  }

  /** Whether a part of the answer may be missing: it was sent, can't be repeated, and it's unknown if it arrived. */
  get mayBeIncomplete(): boolean {
    return this.#mayBeIncomplete;
  }

  /** The budget of the next edit, or of the next new message. */
  pacing(kind: 'edit' | 'post'): Pick<Pacing, 'slot'> {
    return {
      slot: async (options = {}) => {
        const bucket = this.#target.bucket(kind);
        await this.#options.rateLimits.slot(bucket, options);
        this.#heldSlot = bucket;
      },
    };
  }

  /** The answer's messages; its file belongs to the last. */
  withFile(messages: readonly MessageAddress[]): MessageAddress[] {
    const last = messages.at(-1);
    if (!last || !this.#file) return [...messages];
    return [...messages.slice(0, -1), { ...last, parts: [this.#file.message] }];
  }

  async post(text: string, context: MessageContext): Promise<MessageAddress> {
    const name = `live ${context.index}`;
    const write = ({ body }: MessageRequest) => this.#target.write(name, body, [], this.#paceIn(context));
    const message = await this.#undefinedIfUnconfirmed(() => this.#write(text, context, write));
    this.#isLastUnconfirmed = message === undefined;
    if (!message) return { ...this.#target.address, message: unconfirmedId };
    this.#first ??= message;
    await this.#options.onPosted(message, this.#headerOf(context), this.maxLength);
    return message;
  }

  async edit(message: MessageAddress, text: string, context: MessageContext): Promise<void> {
    if (!isConfirmedMessage(message)) return;
    await this.#write(text, context, ({ body }) =>
      this.#target.edit(message, body, [], this.#paceIn(context)),
    );
  }

  /** A write that Discord refuses, and that is sent again in another form, takes a slot of its own. */
  #paceIn({ phase }: MessageContext): Pace {
    const heldSlot = this.#heldSlot;
    this.#heldSlot = undefined;
    return { urgency: phase === 'growing' ? 'growth' : 'final', heldSlot };
  }

  /** Posts the full text as a file. */
  async attachWhole(text: string): Promise<void> {
    const { file, attachments } = fullTextFile(text);
    const body = { ...messageBody(this.#options.wholeAsFile), attachments };
    // A process that goes on finds it by its key.
    const key = partKey(wholeKey(this.#target.key), 0);
    const write = () => this.#target.write({ key, directKey: key }, body, [file]);
    this.#file = await this.#undefinedIfUnconfirmed(() => asRetryable(write));
  }

  /**
   * Adds the full text as a file to the first message, for an answer that may be incomplete: an edit can be repeated
   * until it succeeds. It has the last message's buttons if those may be missing.
   * @throws {PlatformError} `unreachable` if no message is certainly there.
   */
  async addFullText(text: string, ending: Ending): Promise<void> {
    const first = this.#first;
    if (!first) throw new PlatformError('unreachable');
    const { file, attachments } = fullTextFile(text);
    const { components } = messageBody('', this.#isLastUnconfirmed ? this.#options.buttons(ending) : []);
    const request = { body: { attachments, ...(components.length > 0 && { components }) }, files: [file] };
    await sendPlainerIfRefused(request, ({ body, files }) => this.#target.edit(first, body, files));
  }

  /** Undefined if it's unknown whether the work was done, and it must not be repeated. */
  async #undefinedIfUnconfirmed<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnconfirmedError)) throw error;
      this.#mayBeIncomplete = true;
      return undefined;
    }
  }

  #write<T>(
    text: string,
    context: MessageContext,
    send: (request: MessageRequest) => Promise<T>,
  ): Promise<T> {
    const { phase, ending } = context;
    const wanted = phase === 'closed' ? [] : this.#options.buttons(phase === 'ended' ? ending : undefined);
    const buttons = this.#withoutButtons ? [] : wanted;
    const header = this.#headerOf(context);
    // Only the header quotes a person.
    const request = { body: messageBody(prependHeader(header, text), buttons), files: [], unquoted: text };
    return asRetryable(() =>
      sendPlainerIfRefused(request, async (plainer) => {
        const done = await send(plainer);
        this.#withoutButtons ||= buttons.length > 0 && plainer.body.components?.length === 0;
        this.#withoutHeader ||= header !== undefined && plainer.body.content === text;
        return done;
      }),
    );
  }

  #headerOf({ index }: MessageContext): string | undefined {
    return index === 0 && !this.#withoutHeader ? this.#options.header : undefined;
  }
}

function fullTextFile(text: string) {
  const file = {
    name: 'answer.md',
    data: Buffer.from(text),
    contentType: 'text/markdown; charset=utf-8',
  } satisfies RawFile;
  return { file, attachments: [{ id: '0', filename: file.name }] };
}

/** Marks a write as retryable if Discord couldn't be reached: its repetition is recognised, or is an edit. */
async function asRetryable<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'unreachable') throw error;
    if (error instanceof UnconfirmedError) throw error;
    const retryAfter = rateLimitWait(error);
    throw new RetryableWriteError('Discord cannot be reached', {
      cause: error,
      ...(retryAfter !== undefined && { retryAfter }),
    });
  }
}
