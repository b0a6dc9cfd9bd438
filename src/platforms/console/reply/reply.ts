import type { Logger } from 'pino';
import {
  type Address,
  asideKeyOf,
  keyOf,
  type LiveAnswer,
  type Message,
  type MessageAddress,
  type Reply,
  type StreamOptions,
} from '../../../port/index.ts';
import { LiveReply, Pacer, type Rate } from '../../../reply/index.ts';
import { LiveSink, type LiveSinkParts } from './live-sink.ts';

/** How often a growing answer is shown anew. */
const rate: Rate = { limit: 10, window: 1_000 };

/** One command's or press's way to answer. */
export interface ReplyContext {
  readonly session: string;
  readonly address: Address;
  /** Makes the answers' keys, so that none of them is posted twice. */
  readonly eventId: string;
  /** Only the session that asked sees the answers. */
  readonly private: boolean;
  /** Called when the first answer stands there. */
  readonly answered: () => void;
}

export interface ReplyParts extends LiveSinkParts {
  readonly log: Pick<Logger, 'error'>;
}

/** Makes replies. */
export function consoleReply(parts: ReplyParts): (context: ReplyContext) => Reply {
  return (context) => new ConsoleReply(parts, context);
}

class ConsoleReply implements Reply {
  readonly #parts: ReplyParts;
  readonly #context: ReplyContext;
  #answers = 0;

  constructor(parts: ReplyParts, context: ReplyContext) {
    this.#parts = parts;
    this.#context = context;
  }

  say(message: Message): Promise<MessageAddress> {
    return this.#post(message, this.#audience, keyOf(this.#context.eventId, this.#answers++));
  }

  async whisper(message: Message): Promise<void> {
    const { session, eventId } = this.#context;
    await this.#post(message, session, asideKeyOf(eventId, message.text));
  }

  stream({ buttons, onProgress }: StreamOptions): LiveAnswer {
    const { clock, log } = this.#parts;
    const { address, eventId, answered } = this.#context;
    const key = keyOf(eventId, this.#answers++);
    return new LiveReply<MessageAddress>({
      sink: new LiveSink(this.#parts, { address, session: this.#audience, key, buttons, answered }),
      pacer: new Pacer(clock, rate),
      clock,
      onFailure: (error) => log.error({ error }, 'an answer on the console could not be written'),
      ...(onProgress && {
        onProgress: ({ handles, lastText }) => onProgress({ messages: handles, lastText }),
      }),
    });
  }

  /** Who sees the answers: one session, or everybody. */
  get #audience(): string | undefined {
    return this.#context.private ? this.#context.session : undefined;
  }

  async #post(message: Message, session: string | undefined, key: string): Promise<MessageAddress> {
    const { address, answered } = this.#context;
    const posted = await this.#parts.outlet.postFor(session, address, message, key);
    answered();
    return posted;
  }
}
