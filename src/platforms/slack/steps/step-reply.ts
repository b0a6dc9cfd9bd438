import type { LiveAnswer, Message, MessageAddress, Reply, StreamOptions } from '../../../port/index.ts';
import { type Ending, withNote } from '../../../reply/index.ts';
import { messageAt } from '../post/address.ts';

/** What a step has said so far. */
export interface StepSaid {
  readonly text: string;
  readonly messages: readonly MessageAddress[];
}

interface StepReplyOptions {
  /** Where the step posts; absent if it only has outputs. */
  readonly posts?: Reply;
  readonly address: MessageAddress | Parameters<typeof messageAt>[0];
  /** Told of the latest words, and of where they stand. */
  readonly note: (said: StepSaid) => Promise<void>;
}

/** The reply of a workflow’s step: what is said becomes its outputs, and is posted where the step names a channel. */
export class StepReply implements Reply {
  readonly #options: StepReplyOptions;

  constructor(options: StepReplyOptions) {
    this.#options = options;
  }

  async say(message: Message): Promise<MessageAddress> {
    const { posts, address, note } = this.#options;
    const at = await posts?.say(message);
    await note({ text: message.text ?? '', messages: at ? [at] : [] });
    return at ?? messageAt(address, '');
  }

  async replace(said: MessageAddress, message: Message): Promise<void> {
    const { posts, note } = this.#options;
    await posts?.replace(said, message);
    await note({ text: message.text ?? '', messages: posts ? [said] : [] });
  }

  /** Nobody typed anything, so nobody is told alone: it’s what the step says. */
  async whisper({ text = '' }: Message): Promise<void> {
    await this.#options.note({ text, messages: [] });
  }

  async clipFormat() {
    return (await this.#options.posts?.clipFormat?.()) ?? 'mp3';
  }

  stream(options: StreamOptions): LiveAnswer {
    const { posts, note } = this.#options;
    const live = posts?.stream(options) ?? new UnseenAnswer();
    return {
      append: (delta) => live.append(delta),
      get text() {
        return live.text;
      },
      hint: (text) => live.hint(text),
      async finish(ending) {
        const messages = await live.finish(ending);
        // What somebody deleted isn’t handed on.
        const text = ending.kind === 'withdrawn' ? '' : withNote(live.text, ending);
        await note({ text, messages });
        return messages;
      },
    };
  }
}

/** An answer that nobody sees while it’s written. */
class UnseenAnswer implements LiveAnswer {
  readonly #pieces: string[] = [];

  append(delta: string): void {
    this.#pieces.push(delta);
  }

  get text(): string {
    return this.#pieces.join('');
  }

  hint(): void {}

  async finish(_: Ending): Promise<readonly MessageAddress[]> {
    return [];
  }
}
