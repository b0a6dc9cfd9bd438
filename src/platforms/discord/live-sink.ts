import { type MessageAddress, OutletError, type StreamOptions } from '../../port/index.ts';
import { type MessageContext, type ReplySink, RetryableWriteError } from '../../reply/index.ts';
import { type Draft, inPlainerForms } from './drafts.ts';
import { limitedFor } from './errors.ts';
import { bodyOf, lengthBelow, withHeader } from './payload.ts';
import type { Seat } from './seat.ts';

export interface LiveSinkOptions {
  readonly buttons: StreamOptions['buttons'];
  /** The line above the first message. */
  readonly header: string | undefined;
  /** Told of every message that was posted: of the header it has, if any. */
  readonly onPosted: (
    message: MessageAddress,
    header: string | undefined,
    maxLength: number,
  ) => Promise<void>;
}

/** Writes a growing answer's messages at its seat. */
export class LiveSink implements ReplySink<MessageAddress> {
  readonly maxLength: number;
  readonly #seat: Seat;
  readonly #options: LiveSinkOptions;
  /** What the place has refused once, the answer does without. */
  #withoutButtons = false;
  #withoutHeader = false;

  constructor(seat: Seat, options: LiveSinkOptions) {
    this.#seat = seat;
    this.#options = options;
    // All messages are a little shorter for the first one's sake: where they break is the same for all.
    this.maxLength = lengthBelow(options.header);
  }

  async post(text: string, context: MessageContext): Promise<MessageAddress> {
    const name = `live ${context.index}`;
    const message = await this.#write(text, context, ({ body }) => this.#seat.write(name, body, []));
    await this.#options.onPosted(message, this.#headerOf(context), this.maxLength);
    return message;
  }

  async edit(message: MessageAddress, text: string, context: MessageContext): Promise<void> {
    await this.#write(text, context, ({ body }) => this.#seat.edit(message, body, []));
  }

  async attachWhole(text: string): Promise<void> {
    const file = { name: 'answer.md', data: Buffer.from(text), contentType: 'text/markdown; charset=utf-8' };
    const body = { ...bodyOf(''), attachments: [{ id: '0', filename: file.name }] };
    await retryable(() => this.#seat.write('whole', body, [file]));
  }

  #write<T>(text: string, context: MessageContext, send: (draft: Draft) => Promise<T>): Promise<T> {
    const { phase, ending } = context;
    const wanted = phase === 'closed' ? [] : this.#options.buttons(phase === 'ended' ? ending : undefined);
    const buttons = this.#withoutButtons ? [] : wanted;
    const header = this.#headerOf(context);
    // The line above quotes a person; the words below are the answer itself.
    const draft = { body: bodyOf(withHeader(header, text), buttons), files: [], unquoted: text };
    return retryable(() =>
      inPlainerForms(draft, async (plainer) => {
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

/** What Discord could not take just now may be sent again: its requests are recognised. */
async function retryable<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof OutletError) || error.kind !== 'unreachable') throw error;
    const retryAfter = limitedFor(error);
    throw new RetryableWriteError('Discord cannot be reached', {
      cause: error,
      ...(retryAfter !== undefined && { retryAfter }),
    });
  }
}
