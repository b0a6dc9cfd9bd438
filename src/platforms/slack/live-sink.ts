import { type Address, type Button, fileOf, type Message, type MessageAddress } from '../../port/index.ts';
import {
  type Ending,
  type MessageContext,
  type Pacing,
  type ReplySink,
  RetryableWriteError,
} from '../../reply/index.ts';
import type { SlackApi } from './api.ts';
import { maxMessageLength, render, wireLength } from './blocks.ts';
import type { Budgets } from './budgets.ts';
import { isAnswerLost, outletError } from './errors.ts';
import type { Frame } from './frames.ts';
import type { NativeStream, NativeStreams, Recipient } from './native-stream.ts';
import type { SlackOutlet } from './outlet.ts';
import { messageAt, threadOf } from './place.ts';
import type { Posts } from './posts.ts';

export interface LiveSinkParts {
  readonly api: SlackApi;
  readonly budgets: Budgets;
  readonly posts: Posts;
  readonly outlet: SlackOutlet;
  readonly streams: NativeStreams;
}

export interface LivePlace {
  readonly address: Address;
  readonly recipient: Recipient;
  /** Makes the messages' keys. */
  readonly key: string;
  /** The line above the first message: who asked what. */
  readonly header: string | undefined;
  readonly buttons: (ending: Ending | undefined) => readonly Button[];
  /** Resolves when the answer is on record; nothing is posted before. */
  readonly begun: () => Promise<void>;
  /** Looks for a message of the answer's that it does not know of yet. */
  readonly findLost: (known: readonly string[]) => Promise<string | undefined>;
}

/**
 * A live reply's messages in Slack: native streams where there is a thread, edits elsewhere and wherever a
 * stream cannot go on. Below a root message the text goes on in its thread.
 */
export class LiveSink implements ReplySink<MessageAddress> {
  readonly maxLength = maxMessageLength;
  readonly #parts: LiveSinkParts;
  readonly #place: LivePlace;
  #root: MessageAddress | undefined;
  readonly #posted: string[] = [];
  #stream: NativeStream | undefined;
  #held: 'chat.appendStream' | 'chat.update' = 'chat.update';

  constructor(parts: LiveSinkParts, place: LivePlace) {
    this.#parts = parts;
    this.#place = place;
  }

  /** The key of one of an answer's messages. */
  static keyOf(key: string, index: number): string {
    return `${key}:live:${index}`;
  }

  length(text: string): number {
    return wireLength(text);
  }

  /** The budget of the next edit: additions to a stream have another than edits. */
  get pacing(): Pacing {
    const { workspace, channel } = this.#place.address;
    const { budgets } = this.#parts;
    const current = () => (this.#stream ? 'chat.appendStream' : 'chat.update');
    return {
      slot: async (options) => {
        const method = current();
        const slot = await budgets.of(method, workspace, channel).slot(options);
        this.#held = method;
        return slot;
      },
      learn: () => {},
      pause: (milliseconds) => budgets.of(current(), workspace, channel).pause(milliseconds),
    };
  }

  get postPacing(): Pacing {
    const { workspace, channel } = this.#place.address;
    return this.#parts.budgets.of('chat.postMessage', workspace, channel);
  }

  async post(text: string, context: MessageContext): Promise<MessageAddress> {
    await this.#place.begun();
    const address = this.#addressOf(context.index);
    const message = await this.#retryable(() => this.#postAt(address, text, context));
    this.#posted.push(message.message);
    if (context.index === 0 && threadOf(address) === undefined) this.#root = message;
    return message;
  }

  async edit(message: MessageAddress, text: string, context: MessageContext): Promise<void> {
    await this.#retryable(async () => {
      const stream = this.#stream?.ts === message.message ? this.#stream : undefined;
      let hasSlot = this.#held === (stream ? 'chat.appendStream' : 'chat.update');
      if (stream) {
        const goesOn = context.phase === 'growing' && !context.restAsFile && !stream.isOld;
        if (goesOn && (await stream.grow(text, hasSlot))) return;
        this.#stream = undefined;
        await stream.stop();
        hasSlot = false;
      }
      const { workspace, channel, message: ts } = message;
      const content = render(this.#message(text, context), this.#frame(context));
      const options = { hasSlot, urgent: context.phase !== 'growing' };
      await this.#parts.api.call(workspace, 'chat.update', { channel, ts, ...content }, options);
    });
  }

  async attachWhole(text: string, after: MessageAddress): Promise<void> {
    const file = fileOf(Buffer.from(text), {
      name: 'answer.md',
      contentType: 'text/markdown',
      kind: 'file',
      description: 'The whole answer',
    });
    const under = messageAt(this.#addressOf(1), after.message);
    await this.#retryable(() =>
      this.#parts.outlet.post(under, { files: [file] }, `${this.#place.key}:whole`),
    );
  }

  async #postAt(address: Address, text: string, context: MessageContext): Promise<MessageAddress> {
    const { streams, outlet } = this.#parts;
    if (context.phase === 'growing' && !context.restAsFile) {
      const { recipient, buttons, findLost } = this.#place;
      const find = () => findLost(this.#posted);
      this.#stream = await streams.start(address, recipient, text, buttons(undefined), find);
      if (this.#stream) return messageAt(address, this.#stream.ts);
    }
    const key = LiveSink.keyOf(this.#place.key, context.index);
    const message = this.#message(text, context);
    return outlet.postLive(address, message, this.#frame(context), key, { hasSlot: true });
  }

  #message(text: string, { phase, ending }: MessageContext): Message {
    const { buttons } = this.#place;
    return { text, buttons: phase === 'closed' ? [] : buttons(phase === 'ended' ? ending : undefined) };
  }

  #frame({ index }: MessageContext): Frame {
    const { header } = this.#place;
    return index === 0 && header !== undefined ? { header } : {};
  }

  #addressOf(index: number): Address {
    const { address } = this.#place;
    if (index === 0 || threadOf(address) !== undefined || !this.#root) return address;
    return { ...address, ticket: { ...address.ticket, under: this.#root.message } };
  }

  /** What may go through at another try is told from what never will. */
  async #retryable<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const known = outletError(error);
      if (isAnswerLost(error) || known.kind === 'unreachable') {
        throw new RetryableWriteError('Slack did not answer', { cause: error });
      }
      throw known;
    }
  }
}
