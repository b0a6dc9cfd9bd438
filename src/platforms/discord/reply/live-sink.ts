import type { RawFile } from 'discord.js';
import { type MessageAddress, PlatformError, type StreamOptions } from '../../../port/index.ts';
import {
  type Ending,
  type MessageContext,
  type ReplySink,
  RetryableWriteError,
} from '../../../reply/index.ts';
import { rateLimitWait, UnconfirmedError } from '../api/errors.ts';
import { maxLengthBelow, messageBody, prependHeader } from '../api/message-body.ts';
import { type MessageRequest, sendPlainerIfRefused } from '../api/message-requests.ts';
import type { ReplyTarget } from './reply-target.ts';

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

/** Stands for a message that may be there, and whose id nobody was told. */
const unconfirmedId = '0';

/** Whether a message is surely there. */
export function isConfirmedMessage({ message }: MessageAddress): boolean {
  return message !== unconfirmedId;
}

/** Writes a growing answer's messages at its seat. */
export class LiveSink implements ReplySink<MessageAddress> {
  readonly maxLength: number;
  readonly #target: ReplyTarget;
  readonly #options: LiveSinkOptions;
  /** What the place has refused once, the answer does without. */
  #withoutButtons = false;
  #withoutHeader = false;
  /** The first message that is surely there. */
  #first: MessageAddress | undefined;
  #mayLack = false;
  /** Whether nobody knows if the newest message is there, with its buttons. */
  #endsUnconfirmed = false;

  constructor(target: ReplyTarget, options: LiveSinkOptions) {
    this.#target = target;
    this.#options = options;
    // All messages are a little shorter for the first one's sake: where they break is the same for all.
    this.maxLength = maxLengthBelow(options.header);
  }

  /** Whether a part of the answer may be missing: it was sent, may not be sent again, and nobody knows if it's there. */
  get mayLack(): boolean {
    return this.#mayLack;
  }

  async post(text: string, context: MessageContext): Promise<MessageAddress> {
    const name = `live ${context.index}`;
    const write = ({ body }: MessageRequest) => this.#target.write(name, body, []);
    const message = await this.#unlessUnconfirmed(() => this.#write(text, context, write));
    this.#endsUnconfirmed = message === undefined;
    if (!message) return { ...this.#target.address, message: unconfirmedId };
    this.#first ??= message;
    await this.#options.onPosted(message, this.#headerOf(context), this.maxLength);
    return message;
  }

  async edit(message: MessageAddress, text: string, context: MessageContext): Promise<void> {
    if (!isConfirmedMessage(message)) return;
    await this.#write(text, context, ({ body }) => this.#target.edit(message, body, []));
  }

  async attachWhole(text: string): Promise<void> {
    const { file, attachments } = wholeOf(text);
    const write = () => this.#target.write('whole', { ...messageBody(''), attachments }, [file]);
    await this.#unlessUnconfirmed(() => retryable(write));
  }

  /**
   * Adds the whole text as a file to the first message, where it may lack a part: an edit can be sent again until it's
   * there. The last buttons come along where they may be missing.
   * @throws {PlatformError} where no message is surely there: `unreachable`.
   */
  async addWhole(text: string, ending: Ending): Promise<void> {
    const first = this.#first;
    if (!first) throw new PlatformError('unreachable');
    const { file, attachments } = wholeOf(text);
    const { components } = messageBody('', this.#endsUnconfirmed ? this.#options.buttons(ending) : []);
    const draft = { body: { attachments, ...(components.length > 0 && { components }) }, files: [file] };
    await sendPlainerIfRefused(draft, ({ body, files }) => this.#target.edit(first, body, files));
  }

  /** Undefined where nobody knows whether it's done, and it must not be done twice. */
  async #unlessUnconfirmed<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnconfirmedError)) throw error;
      this.#mayLack = true;
      return undefined;
    }
  }

  #write<T>(text: string, context: MessageContext, send: (draft: MessageRequest) => Promise<T>): Promise<T> {
    const { phase, ending } = context;
    const wanted = phase === 'closed' ? [] : this.#options.buttons(phase === 'ended' ? ending : undefined);
    const buttons = this.#withoutButtons ? [] : wanted;
    const header = this.#headerOf(context);
    // The line above quotes a person; the words below are the answer itself.
    const draft = { body: messageBody(prependHeader(header, text), buttons), files: [], unquoted: text };
    return retryable(() =>
      sendPlainerIfRefused(draft, async (plainer) => {
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

function wholeOf(text: string) {
  const file = {
    name: 'answer.md',
    data: Buffer.from(text),
    contentType: 'text/markdown; charset=utf-8',
  } satisfies RawFile;
  return { file, attachments: [{ id: '0', filename: file.name }] };
}

/** What Discord could not take just now may be sent again: its requests are recognised, or change what is there. */
async function retryable<T>(write: () => Promise<T>): Promise<T> {
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
