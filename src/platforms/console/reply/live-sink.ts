import type { Clock } from '../../../lib/clock.ts';
import type { Address, MessageAddress, StreamOptions } from '../../../port/index.ts';
import type { MessageContext, ReplySink } from '../../../reply/index.ts';
import type { Feed } from '../feed/feed.ts';
import type { ConsoleAdapter } from '../post/adapter.ts';
import type { Drafts, Messages } from '../store/messages.ts';

/** The longest message of a streamed answer, in UTF-16 code units. */
export const maxMessageLength = 4_000;
/** How often a draft is written to the database, in milliseconds. */
const storeInterval = 1_000;

export interface LiveSinkDependencies {
  readonly adapter: ConsoleAdapter;
  readonly messages: Messages;
  readonly drafts: Drafts;
  readonly feed: Feed;
  readonly clock: Clock;
}

/** Where a streamed answer is posted. */
export interface LiveTarget {
  readonly address: Address;
  /** The one session that may see it. */
  readonly session: string | undefined;
  /** Prefix of its messages' keys. */
  readonly key: string;
  readonly buttons: StreamOptions['buttons'];
  /** The message that is there already, in which it begins. */
  readonly into?: MessageAddress;
  /** Called when its first words are shown. */
  readonly answered: () => void;
}

/** Posts and edits the messages of a streamed answer. */
export class LiveSink implements ReplySink<MessageAddress> {
  readonly maxLength = maxMessageLength;
  readonly #dependencies: LiveSinkDependencies;
  readonly #target: LiveTarget;
  #storedAt = 0;

  constructor(dependencies: LiveSinkDependencies, place: LiveTarget) {
    this.#dependencies = dependencies;
    this.#target = place;
  }

  async post(text: string, context: MessageContext): Promise<MessageAddress> {
    const { address, session, key, answered, into } = this.#target;
    if (into && context.index === 0) return this.#begin(into, text, context);
    const content = { text, buttons: this.#buttons(context) };
    const unfinished = context.phase === 'growing';
    const posted = await this.#dependencies.adapter.postFor(
      session,
      address,
      content,
      `${key}:${context.index}`,
      unfinished,
    );
    if (unfinished) this.#updateDraft(posted, text, context);
    answered();
    return posted;
  }

  async edit(message: MessageAddress, text: string, context: MessageContext): Promise<void> {
    if (context.phase !== 'growing') {
      return this.#dependencies.adapter.edit(message, { text, buttons: this.#buttons(context) });
    }
    this.#updateDraft(message, text, context);
    this.#dependencies.feed.notify('drafts');
    const now = this.#dependencies.clock.steady();
    if (now - this.#storedAt < storeInterval) return;
    this.#storedAt = now;
    // Pages of this process have the draft already.
    await this.#dependencies.messages.edit(Number(message.message), (before) => ({ text, extras: before }));
    this.#dependencies.feed.notifyOthers();
  }

  async #begin(into: MessageAddress, text: string, context: MessageContext): Promise<MessageAddress> {
    const { adapter, messages } = this.#dependencies;
    await adapter.edit(into, { text, buttons: this.#buttons(context) });
    if (context.phase !== 'growing') return into;
    const id = Number(into.message);
    await messages.edit(id, (before) => ({ text, extras: { ...before, unfinished: true } }));
    this.#updateDraft(into, text, context);
    this.#target.answered();
    return into;
  }

  #updateDraft(message: MessageAddress, text: string, context: MessageContext): void {
    const { session } = this.#target;
    const { channel, thread } = message;
    const place = { channel, ...(thread === undefined ? {} : { thread }) };
    const buttons = this.#buttons(context);
    this.#dependencies.drafts.set({ id: Number(message.message), place, session, text, buttons });
  }

  /** Only the last message has buttons. */
  #buttons({ phase, ending }: MessageContext) {
    return phase === 'closed' ? [] : this.#target.buttons(phase === 'ended' ? ending : undefined);
  }
}
