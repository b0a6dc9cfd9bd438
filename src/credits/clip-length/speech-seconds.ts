import { speech } from '../../service-rules/limits.ts';

/** Shortest and longest length to be expected, in seconds. */
export interface SecondsRange {
  readonly low: number;
  readonly high: number;
}

/** Characters a second at speed 1, from measured narration: ideographs are syllables, letters are not. */
const rates = { ideographs: { slow: 3, fast: 6 }, letters: { slow: 9, fast: 20 } };
/** Letters that a digit is spoken with; in Chinese it is a syllable. */
const lettersOfDigit = 5;

/** A word that is read letter by letter, as "www", "W" and "USA" are; the name of a letter takes as long as a digit. */
const spelled = /(?<!\p{L})(?:\p{L}|[bcdfghjklmnpqrstvwxz]+|[BCDFGHJKLMNPQRSTVWXZ]+|[A-Z]{2,4})(?!\p{L})/gu;
/** What is read by its name, such as "%" or an emoji, and for how many letters that stands. */
const sign = /[\p{Symbol}%&@#*/\\§]/gu;
const lettersOfSign = 15;
/** Where a voice pauses, and for how many letters that stands; a dot within a word is said. */
const pause = /(?:[.!?:;。！？：；…]|\n)+/gu;
const lettersOfPause = 6;

const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const digit = /\p{Number}/u;

/**
 * How long a text will sound, from its length, its scripts, the speed and the language of the narration. The
 * service bills the seconds it makes; until then there is only this. Its upper end is what budgets are asked for, so
 * that it is meant to hold for texts that are short to write and long to say, too.
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

/** Letters that are heard and not written, at most. */
function unwritten(text: string): number {
  const spelledLetters = text.match(spelled)?.reduce((sum, word) => sum + word.length, 0) ?? 0;
  const signs = text.match(sign)?.length ?? 0;
  const pauses = text.match(pause)?.length ?? 0;
  return spelledLetters * (lettersOfDigit - 1) + signs * lettersOfSign + pauses * lettersOfPause;
}
