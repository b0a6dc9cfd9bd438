import type { Logger } from 'pino';
import {
  type Address,
  answerKey,
  type LiveAnswer,
  type Message,
  type MessageAddress,
  noticeKey,
  type Reply,
  type StreamOptions,
} from '../../../port/index.ts';
import { LiveReply, Pacer, type Rate } from '../../../reply/index.ts';
import { LiveSink, type LiveSinkDependencies } from './live-sink.ts';

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

export interface ReplyDependencies extends LiveSinkDependencies {
  readonly log: Pick<Logger, 'error'>;
}

/** Makes replies. */
export function consoleReply(dependencies: ReplyDependencies): (context: ReplyContext) => Reply {
  return (context) => new ConsoleReply(dependencies, context);
}

class ConsoleReply implements Reply {
  readonly #dependencies: ReplyDependencies;
  readonly #context: ReplyContext;
  #answers = 0;

  constructor(dependencies: ReplyDependencies, context: ReplyContext) {
    this.#dependencies = dependencies;
    this.#context = context;
  }

  say(message: Message): Promise<MessageAddress> {
    return this.#post(message, this.#audience, answerKey(this.#context.eventId, this.#answers++));
  }

  async whisper(message: Message): Promise<void> {
    const { session, eventId } = this.#context;
    await this.#post(message, session, noticeKey(eventId, message.text));
  }

  stream({ buttons, onProgress }: StreamOptions): LiveAnswer {
    const { clock, log } = this.#dependencies;
    const { address, eventId, answered } = this.#context;
    const key = answerKey(eventId, this.#answers++);
    return new LiveReply<MessageAddress>({
      sink: new LiveSink(this.#dependencies, { address, session: this.#audience, key, buttons, answered }),
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
    const posted = await this.#dependencies.adapter.postFor(session, address, message, key);
    answered();
    return posted;
  }
}
