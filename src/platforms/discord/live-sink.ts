import { type MessageAddress, OutletError, type StreamOptions } from '../../port/index.ts';
import { type MessageContext, type ReplySink, RetryableWriteError } from '../../reply/index.ts';
import { limitedFor } from './errors.ts';
import { bodyOf, maxMessageLength } from './payload.ts';
import type { Seat } from './seat.ts';

/** Writes a growing answer's messages at its seat. */
export class LiveSink implements ReplySink<MessageAddress> {
  readonly maxLength = maxMessageLength;
  readonly #seat: Seat;
  readonly #buttons: StreamOptions['buttons'];

  constructor(seat: Seat, buttons: StreamOptions['buttons']) {
    this.#seat = seat;
    this.#buttons = buttons;
  }

  post(text: string, context: MessageContext): Promise<MessageAddress> {
    return retryable(() => this.#seat.write(`live ${context.index}`, this.#body(text, context), []));
  }

  async edit(message: MessageAddress, text: string, context: MessageContext): Promise<void> {
    await retryable(() => this.#seat.edit(message, this.#body(text, context), []));
  }

  async attachWhole(text: string): Promise<void> {
    const file = { name: 'answer.md', data: Buffer.from(text), contentType: 'text/markdown; charset=utf-8' };
    const body = { ...bodyOf(''), attachments: [{ id: '0', filename: file.name }] };
    await retryable(() => this.#seat.write('whole', body, [file]));
  }

  #body(text: string, { phase, ending }: MessageContext) {
    return bodyOf(text, phase === 'closed' ? [] : this.#buttons(phase === 'ended' ? ending : undefined));
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
