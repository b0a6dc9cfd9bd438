import { type Clock, sleep, untilDone, type Waits } from '../../lib/clock.ts';
import type { LiveAnswer } from '../../port/index.ts';
import {
  beginsWord,
  hasBlockedWord,
  type Moderation,
  ModerationError,
  type Refused,
} from '../policy/moderation.ts';

/** How many characters of what people can read go along, so that a sentence that's cut in two is looked at whole. */
const lookedBack = 1_000;
/**
 * For how long the first words of an answer gather, and for how long what follows, in milliseconds: they come one by one, and
 * are shown about once a second.
 */
const pauses = { asked: { first: 300, later: 1_000 }, read: { first: 0, later: 250 } };
/** Between tries to get a verdict, in milliseconds. */
const waits: Waits = { first: 500, longest: 4_000 };
const maxTries = 4;

/** An answer, or the rest of it, isn't shown to anybody. */
export class AnswerRefusedError extends Error {
  override name = 'AnswerRefusedError';
  readonly refused: Refused;

  constructor(refused: Refused) {
    super(`an answer isn't shown: ${refused.kind}`);
    this.refused = refused;
  }
}

/** The end of a text, from the beginning of a word: the end of one may be a word that's blocked. */
function lastWords(text: string): string {
  if (text.length <= lookedBack) return text;
  const end = text.slice(-lookedBack);
  const words = end.replace(cutWord, '');
  // Writing without spaces is one word.
  return words.length < lookedBack / 2 ? end : words;
}

const cutWord = /^[\p{L}\p{N}\p{M}\p{Cf}]+/u;

interface AnswerGateOptions {
  /** Where people read what passes. */
  readonly live: Pick<LiveAnswer, 'append' | 'text'>;
  /** Words that are blocked where it's read. */
  readonly words: readonly string[];
  readonly moderation: Pick<Moderation, 'flagged'> | undefined;
  /** Aborted when nobody waits for the rest any more: it isn't shown. */
  readonly signal: AbortSignal;
  /** Told that the answer is refused, before it ends by that. */
  readonly onRefused: (refused: Refused) => Promise<void>;
  readonly clock: Clock;
}

/**
 * What an answer says passes here before anybody can read it: past the words that are blocked, and past the operator's
 * moderation endpoint, which is asked about what has gathered, one request at a time. Where there's neither, it passes at once.
 */
export class AnswerGate {
  readonly #options: AnswerGateOptions;
  readonly #isOpen: boolean;
  readonly #refusal = new AbortController();
  readonly #hurry = new AbortController();
  /** What has come and nobody has looked at. */
  #waiting = '';
  /** The end of what has passed. */
  #before = '';
  #isBegun = false;
  #looking: Promise<void> | undefined;

  constructor(options: AnswerGateOptions) {
    this.#options = options;
    this.#isOpen = options.words.length === 0 && !options.moderation;
  }

  /** Aborted, with the error, once the answer is refused: what else it would say isn't wanted. */
  get signal(): AbortSignal {
    return this.#refusal.signal;
  }

  /** Takes more of the answer. */
  append(delta: string): void {
    if (this.#isOpen) return this.#options.live.append(delta);
    this.#waiting += delta;
    this.#look();
  }

  /**
   * No more comes: resolves when all of it has passed, or what's left isn't wanted any more.
   * @throws {AnswerRefusedError}
   */
  async end(): Promise<void> {
    this.#hurry.abort();
    for (this.#look(); this.#looking; this.#look()) await this.#looking;
    this.signal.throwIfAborted();
    const { live, words } = this.#options;
    // What nobody sees may have been put between letters far apart.
    if (hasBlockedWord(live.text, words)) await this.#refuse(new AnswerRefusedError({ kind: 'word' }));
    this.signal.throwIfAborted();
  }

  async #refuse(error: unknown): Promise<void> {
    const isRefused = error instanceof AnswerRefusedError;
    // Once the answer is stopped, no other failure counts.
    if (!isRefused && this.#options.signal.aborted) return;
    if (isRefused) await this.#options.onRefused(error.refused);
    this.#refusal.abort(error);
  }

  #look(): void {
    const isOver = this.signal.aborted || this.#options.signal.aborted;
    if (this.#waiting === '' || isOver) return;
    this.#looking ??= this.#lookOn()
      .catch((error: unknown) => this.#refuse(error))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  /** Looks at what has gathered until nothing more has, or what's left may go on. */
  async #lookOn(): Promise<void> {
    const { live, signal } = this.#options;
    for (;;) {
      await this.#gathered();
      signal.throwIfAborted();
      const piece = this.#take();
      if (piece === '') return;
      await this.#judge(this.#before, piece);
      signal.throwIfAborted();
      this.#before = lastWords(this.#before + piece);
      live.append(piece);
      this.#isBegun = true;
    }
  }

  /** No request for each word, nor a search of all that's looked back on. */
  async #gathered(): Promise<void> {
    const { moderation, signal, clock } = this.#options;
    const { first, later } = moderation ? pauses.asked : pauses.read;
    const pause = this.#isBegun ? later : first;
    if (pause === 0 || this.#waiting === '') return;
    const { signal: hurried } = this.#hurry;
    await sleep(clock, pause, AbortSignal.any([signal, hurried])).catch(() => {});
  }

  /** What a word that's still growing would be isn't known. */
  #take(): string {
    const waiting = this.#waiting;
    const held = this.#hurry.signal.aborted ? 0 : beginsWord(waiting);
    this.#waiting = waiting.slice(waiting.length - held);
    return waiting.slice(0, waiting.length - held);
  }

  /** @throws {AnswerRefusedError} */
  async #judge(before: string, piece: string): Promise<void> {
    const { words, moderation, signal, clock } = this.#options;
    const text = before + piece;
    if (hasBlockedWord(text, words)) throw new AnswerRefusedError({ kind: 'word' });
    // White space alone says nothing.
    if (!moderation || !/\S/.test(piece)) return;
    const failed = (error: unknown, tries: number) => {
      if (!(error instanceof ModerationError)) throw error;
      if (tries >= maxTries) throw new AnswerRefusedError({ kind: 'unchecked' });
    };
    const asking = untilDone(() => moderation.flagged([text]), { clock, waits, signal, failed });
    // Stopping the answer doesn't get round the verdict.
    const flagged = await asking;
    if (flagged) throw new AnswerRefusedError({ kind: 'flagged', categories: flagged.categories });
  }
}
