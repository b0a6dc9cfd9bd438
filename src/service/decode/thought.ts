const [opening, closing] = ['<think>', '</think>'];
/** In front of the opening tag. */
const mostSpace = 100;

/** What came, told apart. */
interface Told {
  readonly text: string;
  readonly reasoning: string;
  /** So many characters at the beginning of `text` were taken for `reasoning` before. */
  readonly repeated?: number;
}

/** What some models write in front of their answer, between tags. Where the second never comes it's the answer. */
export class TaggedThought {
  #state: 'unknown' | 'open' | 'over' = 'unknown';
  #thought: string[] = [];
  /** Part of a tag, maybe. */
  #held = '';

  /** Tells the answer from the thought, in what came since the last call; `isEnd`: nothing more comes. */
  split(received: string, isEnd: boolean): Told {
    if (this.#state === 'over') return { text: received, reasoning: '' };
    const text = this.#held + received;
    this.#held = '';
    return this.#state === 'open' ? this.#goOn(text, isEnd) : this.#begin(text, isEnd);
  }

  #begin(text: string, isEnd: boolean): Told {
    const begun = text.trimStart();
    if (begun.startsWith(opening)) {
      this.#state = 'open';
      return this.#goOn(begun.slice(opening.length), isEnd);
    }
    if (!isEnd && opening.startsWith(begun) && text.length < mostSpace) {
      this.#held = text;
      return { text: '', reasoning: '' };
    }
    this.#state = 'over';
    return { text, reasoning: '' };
  }

  #goOn(text: string, isEnd: boolean): Told {
    const end = text.indexOf(closing);
    if (end < 0 && !isEnd) {
      const last = text.lastIndexOf('<');
      const whole = last >= 0 && closing.startsWith(text.slice(last)) ? last : text.length;
      this.#held = text.slice(whole);
      this.#thought.push(text.slice(0, whole));
      return { text: '', reasoning: text.slice(0, whole) };
    }
    this.#state = 'over';
    if (end < 0) {
      const before = opening + this.#thought.join('');
      // The tag, too, which counts for nothing.
      return { text: before + text, reasoning: '', repeated: before.length };
    }
    this.#thought = [];
    return { text: text.slice(end + closing.length).trimStart(), reasoning: text.slice(0, end) };
  }
}
