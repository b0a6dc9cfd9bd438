import type { Ending, MessageContext } from './sink.ts';

/** What a message shows and how far it is. */
export interface MessageState {
  readonly text: string;
  readonly phase: MessageContext['phase'];
  readonly restAsFile: boolean;
  readonly ending?: Ending;
}

/** One message of a reply: what it is to show and what it shows. */
export interface Outgoing<Handle> {
  readonly index: number;
  wanted: MessageState;
  /** Undefined where it is not posted, or nobody knows what a failed write left there. */
  standing: MessageState | undefined;
  posted: { readonly handle: Handle } | undefined;
  /** A try to post it failed after which it may stand there: with what it was to show then. */
  mayStand: boolean;
  /** Settles when the latest write is over, which may be long after it was given up. */
  underWay: Promise<unknown> | undefined;
  /** Why it cannot be written in its present phase. */
  refused: { readonly error: unknown } | undefined;
  /** Tries in a row that failed. */
  tries: number;
}

/** The messages of a reply in order, and which of them has to be written next. */
export class Outbox<Handle> {
  readonly #messages: Outgoing<Handle>[] = [];

  /** Sets what the message `index` is to show; the first text makes it. */
  want(index: number, wanted: MessageState): void {
    const message = this.#messages[index] ?? this.#add(wanted);
    if (wanted.phase !== message.wanted.phase) forgive(message);
    message.wanted = wanted;
  }

  /** The first message that does not show what it is to show. None passes one that could not be posted. */
  next(): Outgoing<Handle> | undefined {
    for (const message of this.#messages) {
      if (message.standing && isSame(message.wanted, message.standing)) continue;
      if (!message.refused) return message;
      if (!message.posted) return undefined;
    }
    return undefined;
  }

  get last(): Outgoing<Handle> | undefined {
    return this.#messages.at(-1);
  }

  /** The messages that were posted, in order. */
  get handles(): Handle[] {
    return this.#messages.flatMap(({ posted }) => (posted ? [posted.handle] : []));
  }

  /** What the last posted message shows. */
  get lastText(): string {
    const last = this.#messages.findLast(({ posted }) => posted);
    return (last?.standing ?? last?.wanted)?.text ?? '';
  }

  /** Why the first message that cannot be written cannot. */
  get refused(): { readonly error: unknown } | undefined {
    return this.#messages.find((message) => message.refused)?.refused;
  }

  /** Gives every message that could not be written another chance. */
  forgiveAll(): void {
    this.#messages.forEach(forgive);
  }

  #add(wanted: MessageState): Outgoing<Handle> {
    const index = this.#messages.length;
    const fresh = {
      standing: undefined,
      posted: undefined,
      mayStand: false,
      underWay: undefined,
      refused: undefined,
      tries: 0,
    };
    const message = { index, wanted, ...fresh };
    this.#messages.push(message);
    return message;
  }
}

function forgive(message: Outgoing<unknown>): void {
  message.refused = undefined;
  message.tries = 0;
}

function isSame(one: MessageState, other: MessageState): boolean {
  return one.text === other.text && one.phase === other.phase && one.restAsFile === other.restAsFile;
}
