import { MarkdownSplitter, type SplitOptions } from './markdown/splitter.ts';
import type { Ending } from './sink.ts';
import { withNoteBelow } from './split-markdown.ts';
import type { MessageState } from './writer.ts';

/** At most this many messages are split off at once, so that a huge delta doesn't block the process. */
const mostAtOnce = 4;

/** Replaces a hint if no text followed: a message can't be empty. */
const emptied = '…';

type Want = (index: number, state: MessageState) => void;

/** Turns a growing text into the content of its reply's messages. */
export class Composer {
  readonly #options: SplitOptions;
  readonly #splitter: MarkdownSplitter;
  readonly #want: Want;
  /** The messages split off so far. */
  readonly #texts: string[] = [];
  #mostMessages: number;
  #ending: Ending | undefined;
  #hint: string | undefined;

  /** Past `mostMessages` the text is sent as a file; Infinity shows it all. */
  constructor(options: SplitOptions, want: Want, mostMessages: number) {
    this.#options = options;
    this.#splitter = new MarkdownSplitter(options);
    this.#want = want;
    this.#mostMessages = Math.max(1, mostMessages);
  }

  append(delta: string): void {
    this.#splitter.append(delta);
  }

  get text(): string {
    return this.#splitter.text;
  }

  /** Whether more text would change nothing visible before the end. */
  get isFull(): boolean {
    return this.#texts.length >= this.#mostMessages;
  }

  /** Whether the text is finished and doesn't fit in the messages. */
  get needsFile(): boolean {
    return this.#ending !== undefined && this.#texts.length > this.#mostMessages;
  }

  /** Shown in the first message until there is text. */
  hint(text: string | undefined): void {
    this.#hint = text;
  }

  end(ending: Ending): void {
    this.#ending = ending;
  }

  /** Updates the messages from the text; true if there is more to process. */
  look(): boolean {
    for (let taken = 0; taken < mostAtOnce; taken++) {
      if (this.needsFile || (this.isFull && !this.#ending)) return false;
      const piece = this.#ending ? this.#splitter.takeRest() : this.#splitter.takeFull();
      if (!piece) {
        if (this.#ending) this.#settle(this.#ending, this.#texts);
        else this.#grow();
        return false;
      }
      this.#texts.push(piece.text);
      this.#close(this.#texts.length - 1);
    }
    return true;
  }

  /** The file was sent: the messages end where they are. */
  fileSent(): void {
    if (this.#ending) this.#settle(this.#ending, this.#texts.slice(0, this.#mostMessages));
    this.#mostMessages = Number.POSITIVE_INFINITY;
  }

  /** The file can't be sent: the rest is posted as messages after all. */
  fileRefused(): void {
    this.#mostMessages = Number.POSITIVE_INFINITY;
    this.#texts.forEach((_, index) => void (index < this.#texts.length - 1 && this.#close(index)));
  }

  #grow(): void {
    const text = this.#splitter.growing() || (this.#texts.length === 0 ? this.#hint : undefined);
    if (text) this.#want(this.#texts.length, { text, phase: 'growing', restAsFile: false });
  }

  #close(index: number): void {
    const text = this.#texts[index];
    const last = index === this.#mostMessages - 1;
    if (text === undefined || index >= this.#mostMessages) return;
    this.#want(index, { text, phase: last ? 'growing' : 'closed', restAsFile: last });
  }

  #settle(ending: Ending, shown: readonly string[]): void {
    const written = shown.length === 0 && this.#hint !== undefined ? [emptied] : shown;
    const texts = ending.note ? withNoteBelow(shown, ending.note, this.#options) : written;
    const restAsFile = shown.length < this.#texts.length;
    texts.forEach((text, index) => {
      const isLast = index === texts.length - 1;
      const rest = restAsFile && index >= shown.length - 1;
      const state = isLast ? ({ phase: 'ended', ending } as const) : ({ phase: 'closed' } as const);
      this.#want(index, { text, restAsFile: rest, ...state });
    });
  }
}
