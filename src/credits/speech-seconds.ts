import { speech } from '../spec/limits.ts';

/** Shortest and longest length to be expected, in seconds. */
export interface SecondsRange {
  readonly low: number;
  readonly high: number;
}

/** Characters a second at speed 1, from measured narration: ideographs are syllables, letters are not. */
const rates = { ideographs: { slow: 3, fast: 6 }, letters: { slow: 9, fast: 20 } };
/** Letters that a digit is spoken with; in Chinese it is a syllable. */
const lettersOfDigit = 5;

const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const digit = /\p{Number}/u;

/**
 * How long a text will sound, from its length, its scripts, the speed and the language of the narration. The
 * service bills the seconds it makes; until then there is only this.
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
  const at = (pace: 'slow' | 'fast') =>
    (ideographs / rates.ideographs[pace] + letters / rates.letters[pace]) / speed;
  return { low: at('fast'), high: at('slow') };
}
