import type { Logger } from 'pino';
import type { Clock } from '../../../lib/clock.ts';
import {
  type Address,
  answerKey,
  type LiveAnswer,
  type Message,
  type MessageAddress,
  noticeKey,
  type Reply,
  type RewriteOptions,
  type StreamOptions,
} from '../../../port/index.ts';
import { LiveReply, type MessageContext, Pacer, type Rate, type ReplySink } from '../../../reply/index.ts';
import type { Content } from '../feed/feed.ts';
import type { ConsoleAdapter } from '../post/adapter.ts';

/** How often a streamed answer is updated. */
const rate: Rate = { limit: 10, window: 1_000 };

/** Where and to whom a command or a button press is answered. */
export interface ReplyContext {
  readonly session: string;
  readonly address: Address;
  /** Base of the answers' keys, which prevent duplicates. */
  readonly eventId: string;
  /** Whether only the session that asked sees the answers. */
  readonly private: boolean;
  /** Whether what was asked stands above the first answer. */
  readonly isShown: boolean;
  /** Called when the first answer is shown. */
  readonly answered: () => void;
}

export interface ReplyDependencies extends Content {
  readonly adapter: ConsoleAdapter;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
}

/** The reply to a command or a button press on the console. */
export class ConsoleReply implements Reply {
  readonly #dependencies: ReplyDependencies;
  readonly #context: ReplyContext;
  #answers = 0;

  constructor(dependencies: ReplyDependencies, context: ReplyContext) {
    this.#dependencies = dependencies;
    this.#context = context;
  }

  say(said: Message): Promise<MessageAddress> {
    const { whose: _, ...alone } = said;
    const message = this.#context.isShown && this.#answers === 0 ? alone : said;
    return this.#post(message, this.#audience, answerKey(this.#context.eventId, this.#answers++));
  }

  replace(said: MessageAddress, message: Message): Promise<void> {
    return this.#dependencies.adapter.edit(said, message);
  }

  async whisper(message: Message): Promise<void> {
    const { session, eventId } = this.#context;
    await this.#post(message, session, noticeKey(eventId, message.text));
  }

  async rewrite(message: MessageAddress, { isBelow, ...options }: RewriteOptions): Promise<LiveAnswer> {
    return this.stream(options, isBelow ? undefined : message);
  }

  stream(options: StreamOptions, into?: MessageAddress): LiveAnswer {
    const { clock, log } = this.#dependencies;
    const { onProgress, onRefused } = options;
    const key = answerKey(this.#context.eventId, this.#answers++);
    const target = { ...this.#context, ...options, session: this.#audience, key, into };
    return new LiveReply<MessageAddress>({
      sink: new LiveSink(this.#dependencies, target),
      pacer: new Pacer(clock, rate),
      clock,
      onFailure: (error) => log.error({ error }, 'could not write an answer on the console'),
      ...(onRefused && { onRefused }),
      ...(onProgress && {
        onProgress: ({ handles, texts, ...more }) =>
          onProgress({ messages: handles, pieces: texts, ...more }),
      }),
    });
  }

  /** The session that sees the answers; undefined for all of them. */
  get #audience(): string | undefined {
    return this.#context.private ? this.#context.session : undefined;
  }

  async #post(message: Message, session: string | undefined, key: string): Promise<MessageAddress> {
    const { address, answered } = this.#context;
    const posted = await this.#dependencies.adapter.postFor(session, address, message, key);
    answered();
    return posted;
  }
}

/** The longest message of a streamed answer, in UTF-16 code units. */
const maxMessageLength = 4_000;
/** How often a draft is written to the database, in milliseconds. */
const storeInterval = 1_000;

/** Where a streamed answer is posted. */
interface LiveTarget
  extends Pick<ReplyContext, 'address' | 'answered'>, Pick<StreamOptions, 'buttons' | 'persona'> {
  /** The one session that may see it. */
  readonly session: string | undefined;
  /** Prefix of its messages' keys. */
  readonly key: string;
  /** The message that is there already, in which it begins. */
  readonly into?: MessageAddress | undefined;
}

/** Posts and edits the messages of a streamed answer. */
class LiveSink implements ReplySink<MessageAddress> {
  readonly maxLength = maxMessageLength;
  readonly hides = false;
  readonly #dependencies: ReplyDependencies;
  readonly #target: LiveTarget;
  #storedAt = 0;

  constructor(dependencies: ReplyDependencies, place: LiveTarget) {
    this.#dependencies = dependencies;
    this.#target = place;
  }

  async post(text: string, context: MessageContext): Promise<MessageAddress> {
    const { address, session, key, persona, answered, into } = this.#target;
    if (into && context.index === 0) return this.#begin(into, text, context);
    const named = persona !== undefined && context.index === 0 ? { persona } : {};
    const content = { ...named, text, buttons: this.#buttons(context) };
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
