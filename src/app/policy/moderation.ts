import { z } from 'zod';
import { memoize } from '../../lib/bounded-map.ts';
import { type Clock, sleep, untilDone, type Waits } from '../../lib/clock.ts';
import type { LiveAnswer } from '../../port/index.ts';

/**
 * How long a command waits for the verdict, in milliseconds: together with the rules it has to be quick enough for a
 * platform's three seconds.
 */
const patience = 1_500;

/** As OpenAI's moderation endpoint answers. */
const answered = z.object({
  results: z.array(
    z.object({ flagged: z.boolean(), categories: z.record(z.string(), z.boolean()).optional() }),
  ),
});

interface ModerationOptions {
  /** Takes what OpenAI's moderation endpoint takes. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly log: { warn(data: object, message: string): void };
}

/** The endpoint didn't say in time, or not what's expected. Nothing was sent to the service, and nothing was spent. */
export class ModerationError extends Error {
  override name = 'ModerationError';
}

/** What's wrong with some of several texts. */
export interface Flagged {
  readonly categories: readonly string[];
  /** Which of them, by their index. */
  readonly texts: readonly number[];
}

/** Why an answer isn't shown. */
export type Refused =
  | { readonly kind: 'word' }
  | { readonly kind: 'flagged'; readonly categories: readonly string[] }
  /** Nobody could be asked. */
  | { readonly kind: 'unchecked' };

/** Asks the operator's moderation endpoint about what people want to give the service, and what that answers. */
export class Moderation {
  readonly #options: ModerationOptions;

  constructor(options: ModerationOptions) {
    this.#options = options;
  }

  /**
   * What the texts were flagged as, in one request; undefined if nothing is wrong with them.
   * @throws {ModerationError} The log says why, without what people wrote.
   */
  async flagged(texts: readonly string[]): Promise<Flagged | undefined> {
    const { url, apiKey, log } = this.#options;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ input: texts }),
        redirect: 'error',
        signal: AbortSignal.timeout(patience),
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`it answers ${response.status}`);
      }
      const { results } = answered.parse(await response.json());
      if (results.length !== texts.length) throw new Error(`it answers ${results.length} of ${texts.length}`);
      const flagged = results.filter((result) => result.flagged);
      if (flagged.length === 0) return undefined;
      const categories = flagged.flatMap((result) => Object.entries(result.categories ?? {}));
      return {
        categories: [...new Set(categories.flatMap(([name, isFlagged]) => (isFlagged ? [name] : [])))],
        texts: results.flatMap((result, index) => (result.flagged ? [index] : [])),
      };
    } catch (error) {
      // Its body could quote what was asked about, and so could an error of reading it.
      const isOther = error instanceof z.ZodError || error instanceof SyntaxError;
      const reason = isOther ? 'it answers in another shape' : String(error);
      log.warn({ reason }, 'the moderation endpoint gave no verdict');
      throw new ModerationError(reason);
    }
  }
}

/** Words of one language that has no spaces. */
const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** What nobody sees, put between letters: marks, and what takes no room, some of which Unicode counts as letters. */
const unseen = /[\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/gu;
/** Marks of Markdown, which nobody sees either where it's shown as such; nor what a link leads to. */
const marks = /!?\[|[*_~`|\\\]]/g;
const destinations = /\](?:\((?:[^()]|\([^()]*\))*\)|\[[^[\]]*\])/g;
/** Characters that Markdown writes by their numbers, or by names where nobody sees them. */
const entities = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|shy|zwn?j|[lr]rm|ZeroWidthSpace|NoBreak);/gi;
/** Letters at the end of a text, which may be the beginning of a word. No word is as long as the longest of these. */
const openWord =
  /(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}\p{Cf}]){1,100}$/u;
const longestWord = 100;
/** Lists of words that are remembered as patterns. */
const listsKept = 500;

/** Capitals of other alphabets, each before the Latin one that it looks like. */
const pairs = 'АAВBЕEЅSІIЈJКKӀLМMНHОOРPСCТTУYХXԚQԜWΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX';
const looksLike = new Map(Array.from(pairs.matchAll(/(.)(.)/gu), ([, one = '', latin = '']) => [one, latin]));
const asLatin = (text: string) => text.replace(/\p{L}/gu, (letter) => looksLike.get(letter) ?? letter);
const alphabetic = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]+/gu;

/** Whether a text has one of these words; `*` at an end of one stands for any letters. */
export function hasBlockedWord(text: string, words: readonly string[]): boolean {
  const list = words.join('\n');
  const pattern = patternOf(list);
  if (!pattern) return false;
  return readings(text).some((one) => {
    const read = plain(one);
    if (pattern.test(read)) return true;
    if (!isMixed(read)) return false;
    const mixed: string[] = [];
    const inLatin = read.replace(alphabetic, (word) => {
      if (!isMixed(word)) return word;
      const latin = asLatin(word);
      mixed.push(latin);
      return latin;
    });
    // Within the text, for words with a hyphen, and for several words; by themselves, for those of the other alphabets.
    return pattern.test(inLatin) || patternOf(asLatin(plain(list)))?.test(mixed.join('\n')) === true;
  });
}

/** Of two alphabets. Nobody writes such a word but to look like another: only there a letter counts as the one it looks like. */
function isMixed(word: string): boolean {
  return /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word);
}

/** A text, and what people may read of it as Markdown: whether something is a link depends on where it's shown. */
function readings(text: string): readonly string[] {
  const written = text.replace(entities, (_, decimal?: string, hex?: string) => {
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return point <= 0x10_ffff ? String.fromCodePoint(point) : '';
  });
  const shown = [written, written.replace(destinations, ']')].map((one) => one.replace(marks, ''));
  return [...new Set([text, ...shown])];
}

/** How many characters at the end of a text may be the beginning of a word that goes on. */
function beginsWord(text: string): number {
  const { length } = openWord.exec(text.slice(-longestWord))?.[0] ?? '';
  return length < longestWord ? length : 0;
}

const patternOf = memoize(listsKept, (list) => {
  const listed = list.split('\n').flatMap((word) => {
    const bare = plain(word).replaceAll('*', '');
    if (bare === '') return [];
    const isOpen = withoutSpaces.test(bare);
    const before = isOpen || word.startsWith('*') ? '' : '(?<![\\p{L}\\p{N}])';
    const after = isOpen || word.endsWith('*') ? '' : '(?![\\p{L}\\p{N}])';
    return [{ escaped: RegExp.escape(bare), edges: `${before} ${after}` }];
  });
  // What's a letter is said once for all words alike: said for each of hundreds, it takes a second to learn.
  const words = [...Map.groupBy(listed, ({ edges }) => edges)].map(([edges, alike]) =>
    edges.replace(' ', () => `(?:${alike.map(({ escaped }) => escaped).join('|')})`),
  );
  return words.length === 0 ? undefined : new RegExp(words.join('|'), 'u');
});

/** As it's compared: in one writing, without what nobody sees. Capitals, as some have two small letters: σ and ς, i and ı. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(unseen, '').normalize('NFC').toUpperCase();
}

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
