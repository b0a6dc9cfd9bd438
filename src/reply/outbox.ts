import type { Ending, MessageContext } from './sink.ts';

/** A message's content and phase. */
export interface MessageState {
  readonly text: string;
  readonly phase: MessageContext['phase'];
  readonly restAsFile: boolean;
  readonly ending?: Ending;
}

/** A message of a reply: its wanted content and its shown content. */
export interface Outgoing<Handle> {
  readonly index: number;
  wanted: MessageState;
  /** Undefined if it isn't posted, or if a failed write left it unknown. */
  standing: MessageState | undefined;
  posted: { readonly handle: Handle } | undefined;
  /** The content of a failed attempt to post it that may have succeeded after all. */
  mayStand: boolean;
  /** Settles when the latest write is over, possibly long after it was abandoned. */
  underWay: Promise<unknown> | undefined;
  /** Why it can't be written in its current phase. */
  refused: { readonly error: unknown } | undefined;
  /** Consecutive failed attempts. */
  tries: number;
}

/** The messages of a reply in order, and which one to write next. */
export class Outbox<Handle> {
  readonly #messages: Outgoing<Handle>[] = [];

  /** Sets the content of the message `index`; creates it on the first text. */
  want(index: number, wanted: MessageState): void {
    const message = this.#messages[index] ?? this.#add(wanted);
    if (wanted.phase !== message.wanted.phase) forgive(message);
    message.wanted = wanted;
  }

  /** The first message whose shown content is outdated. Messages after one that couldn't be posted have to wait. */
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

  /** The posted messages, in order. */
  get handles(): Handle[] {
    return this.#messages.flatMap(({ posted }) => (posted ? [posted.handle] : []));
  }

  /** The contents of the posted messages, in order. */
  get texts(): string[] {
    return this.#messages.flatMap(({ posted, standing, wanted }) =>
      posted ? [(standing ?? wanted).text] : [],
    );
  }

  /** Whether everything is shown as it's to stay. */
  get isWritten(): boolean {
    return this.last?.standing?.phase === 'ended' && !this.refused && this.next() === undefined;
  }

  /** The error of the first message that can't be written. */
  get refused(): { readonly error: unknown } | undefined {
    return this.#messages.find((message) => message.refused)?.refused;
  }

  /** Lets every failed message be tried again. */
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
