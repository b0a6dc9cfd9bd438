import {
  directKey,
  type LiveAnswer,
  type Message,
  type MessageAddress,
  refusalOf,
  type StreamOptions,
} from '../../../port/index.ts';
import { type Ending, withNote } from '../../../reply/index.ts';
import { messageAt } from '../post/address.ts';
import { slackWords } from '../words.ts';
import type { ReplyContext, ReplyDependencies } from './reply-context.ts';
import { piecesOf, sayAside } from './say-aside.ts';

/** An answer that took longer comes in direct messages, in milliseconds: Slack keeps nothing it shows to one person. */
const patience = 60_000;

/**
 * An answer that only its requester sees. Slack can't edit what only one person sees, so it comes whole when it's finished:
 * where they asked, or in direct messages if it's long or they may not be looking any more.
 */
export class PrivateAnswer implements LiveAnswer {
  readonly #dependencies: ReplyDependencies;
  readonly #context: ReplyContext;
  readonly #options: StreamOptions;
  readonly #begunAt: number;
  #text = '';
  #finished: Promise<readonly MessageAddress[]> | undefined;

  constructor(dependencies: ReplyDependencies, context: ReplyContext, options: StreamOptions) {
    this.#dependencies = dependencies;
    this.#context = context;
    this.#options = options;
    this.#begunAt = dependencies.clock.steady();
    const { workingPrivately: text } = slackWords(context.requester.locale);
    // Nothing could take a Stop button away when the answer is there.
    void this.#aside({ text }).catch(() => undefined);
  }

  append(delta: string): void {
    this.#text += delta;
  }

  get text(): string {
    return this.#text;
  }

  /** What stands there can't be changed. */
  hint(): void {}

  finish(ending: Ending): Promise<readonly MessageAddress[]> {
    this.#finished ??= ending.kind === 'withdrawn' ? Promise.resolve([]) : this.#deliver(ending);
    return this.#finished;
  }

  async #deliver(ending: Ending): Promise<readonly MessageAddress[]> {
    const { clock } = this.#dependencies;
    const text = withNote(this.#text, ending);
    const { note } = ending;
    const message = { text, ...(note !== undefined && { note }), buttons: this.#options.buttons(ending) };
    const isLate = clock.steady() - this.#begunAt > patience;
    const [only, ...more] = piecesOf(message);
    if (isLate || more.length > 0 || !only) return [await this.#directly(message)];
    await this.#aside(only);
    return [messageAt(this.#context.address, '')];
  }

  /** With the key of a late delivery, so that it's posted once; where that's refused, where they asked after all. */
  async #directly(message: Message): Promise<MessageAddress> {
    const { adapter } = this.#dependencies;
    const { address, requester, eventId, header } = this.#context;
    const above = header === undefined ? {} : { header };
    try {
      const direct = await adapter.directMessages(address.workspace, requester.id);
      const posted = await adapter.postWith(direct, message, directKey(eventId), above);
      const { privateDirect: text } = slackWords(requester.locale);
      await this.#aside({ text }).catch(() => undefined);
      return posted;
    } catch (error) {
      if (!refusalOf(error)) throw error;
      for (const part of piecesOf(message)) await this.#aside(part);
      return messageAt(address, '');
    }
  }

  #aside(message: Message): Promise<void> {
    return sayAside(this.#dependencies, this.#context, message);
  }
}
