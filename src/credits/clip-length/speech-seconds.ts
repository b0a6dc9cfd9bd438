import { speech } from '../../service-rules/limits.ts';

/** Minimum and maximum expected length, in seconds. */
export interface SecondsRange {
  readonly low: number;
  readonly high: number;
}

/** Characters per second at speed 1, from measured narration: ideographs are syllables, letters aren't. */
const rates = { ideographs: { slow: 3, fast: 6 }, letters: { slow: 9, fast: 20 } };
/** Letters that a spoken digit counts as; in Chinese it is a syllable. */
const lettersOfDigit = 5;

/** A word that is spelled out, like "www", "W" and "USA"; a letter's name takes as long as a digit. */
const spelled = /(?<!\p{L})(?:\p{L}|[bcdfghjklmnpqrstvwxz]+|[BCDFGHJKLMNPQRSTVWXZ]+|[A-Z]{2,4})(?!\p{L})/gu;
/** Symbols that are spoken by name, such as "%" or an emoji, and the number of letters they count as. */
const sign = /[\p{Symbol}%&@#*/\\§]/gu;
const lettersOfSign = 15;
/** Pauses in speech, and the number of letters they count as; a dot within a word is spoken. */
const pause = /(?:[.!?:;。！？：；…]|\n)+/gu;
const lettersOfPause = 6;

const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const digit = /\p{Number}/u;

/**
 * Estimates how long a text's narration will be, from its length, its scripts, the speed and the language. The
 * service bills the actual seconds; until then this is all there is. Budgets check the upper end, so it must also
 * hold for texts that are short to write and long to say.
 */
export function speechSeconds(
  text: string,
  { speed = speech.speed.default, language }: { readonly speed?: number; readonly language?: string } = {},
): SecondsRange {
  let ideographs = 0;
  let letters = 0;
  const digitsAreSyllables = language === undefined ? ideograph.test(text) : language.startsWith('zh');
  for (const character of text) {
    if (ideograph.test(character)) ideographs++;
    else if (!digit.test(character)) letters++;
    else if (digitsAreSyllables) ideographs++;
    else letters += lettersOfDigit;
  }
  const at = (pace: 'slow' | 'fast', more: number) =>
    (ideographs / rates.ideographs[pace] + (letters + more) / rates.letters[pace]) / speed;
  return { low: at('fast', 0), high: at('slow', unwritten(text)) };
}

/** Maximum number of letters that are spoken but not written. */
function unwritten(text: string): number {
  const spelledLetters = text.match(spelled)?.reduce((sum, word) => sum + word.length, 0) ?? 0;
  const signs = text.match(sign)?.length ?? 0;
  const pauses = text.match(pause)?.length ?? 0;
  return spelledLetters * (lettersOfDigit - 1) + signs * lettersOfSign + pauses * lettersOfPause;
}
