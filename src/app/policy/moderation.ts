import { z } from 'zod';
import { memoize } from '../../lib/bounded-map.ts';

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
      // Its body could quote what was asked about.
      const reason = error instanceof z.ZodError ? 'it answers in another shape' : String(error);
      log.warn({ reason }, 'the moderation endpoint gave no verdict');
      throw new ModerationError(reason);
    }
  }
}

/** Words of one language that has no spaces. */
const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** What nobody sees, put between letters: marks, and what takes no room, some of which Unicode counts as letters. */
const unseen = /[\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/gu;
/** Marks of Markdown, which nobody sees either where it's shown as such. */
const marks = /[*_~`|\\]/g;
/** Letters at the end of a text, which may be the beginning of a word. No word is as long as the longest of these. */
const openWord =
  /(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}\p{Cf}]){1,100}$/u;
const longestWord = 100;
/** Lists of words that are remembered as patterns. */
const listsKept = 500;

/** Whether a text has one of these words; `*` at an end of one stands for any letters. */
export function hasBlockedWord(text: string, words: readonly string[]): boolean {
  if (words.length === 0) return false;
  const pattern = patternOf(words.join('\n'));
  return pattern !== undefined && [text, text.replace(marks, '')].some((one) => pattern.test(plain(one)));
}

/** How many characters at the end of a text may be the beginning of a word that goes on. */
export function beginsWord(text: string): number {
  const { length } = openWord.exec(text.slice(-longestWord))?.[0] ?? '';
  return length < longestWord ? length : 0;
}

const patternOf = memoize(listsKept, (list) => {
  const words = list.split('\n').flatMap((word) => {
    const bare = plain(word).replaceAll('*', '');
    if (bare === '') return [];
    const escaped = bare.replace(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&');
    if (withoutSpaces.test(bare)) return [escaped];
    const [before, after] = [word.startsWith('*'), word.endsWith('*')];
    return [`${before ? '' : '(?<![\\p{L}\\p{N}])'}${escaped}${after ? '' : '(?![\\p{L}\\p{N}])'}`];
  });
  return words.length === 0 ? undefined : new RegExp(words.join('|'), 'u');
});

/** As it's compared: in one writing, without what nobody sees. Capitals, as some have two small letters: σ and ς, i and ı. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(unseen, '').normalize('NFC').toUpperCase();
}
