import type { Logger } from 'pino';
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
import { LiveReply, Pacer, type Rate } from '../../../reply/index.ts';
import { LiveSink, type LiveSinkDependencies } from './live-sink.ts';

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

export interface ReplyDependencies extends LiveSinkDependencies {
  readonly log: Pick<Logger, 'error'>;
}

/** Creates replies for the console. */
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

  stream(options: StreamOptions): LiveAnswer {
    return this.#stream(options);
  }

  async rewrite(message: MessageAddress, { isBelow, ...options }: RewriteOptions): Promise<LiveAnswer> {
    return this.#stream(options, isBelow ? undefined : message);
  }

  #stream({ buttons, onProgress, onRefused }: StreamOptions, into?: MessageAddress): LiveAnswer {
    const { clock, log } = this.#dependencies;
    const { address, eventId, answered } = this.#context;
    const key = answerKey(eventId, this.#answers++);
    return new LiveReply<MessageAddress>({
      sink: new LiveSink(this.#dependencies, {
        address,
        session: this.#audience,
        key,
        buttons,
        answered,
        ...(into && { into }),
      }),
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
