import { spellNumbers } from './mandarin-numbers.ts';
import type { Tongue } from './synthesizer.ts';
import type { Narrator } from './voices.ts';

/** A piece of text in one language, and the pause after it, in seconds. */
export interface Utterance {
  readonly tongue: Tongue;
  readonly text: string;
  readonly pause: number;
}

const pauses = { paragraph: 0.55, sentence: 0.35, clause: 0.18, run: 0.04 } as const;

/** At most 240 characters, since the engine keeps its input in memory; split at a break if possible. */
const pieceOfRun = /.{1,240}$|.{0,239}[\s，,、；;：:]|.{1,240}/gsu;

const scripts: readonly (readonly [RegExp, Tongue])[] = [
  [/\p{Script=Han}/u, 'cmn'],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Thai}/u, 'th'],
];

/**
 * Splits a text into utterances at paragraphs, sentences and changes of script. Chinese characters are read in
 * Mandarin, Latin letters in English, by a Chinese voice with an accent.
 */
export function* splitUtterances(text: string, narrator: Narrator): Generator<Utterance> {
  // Markdown syntax and control characters aren't spoken.
  const readable = text.replace(/[*#`~|_^\\]+/g, ' ').replace(/(?![\n\r\t])\p{Cc}|\p{Cf}/gu, ' ');
  const sentences = new Intl.Segmenter('zh', { granularity: 'sentence' });
  for (const { segment } of sentences.segment(readable)) {
    const pieces = runs(segment, narrator).flatMap((run) =>
      [...run.text.matchAll(pieceOfRun)].map(([piece]) => ({ tongue: run.tongue, text: piece })),
    );
    for (const [index, piece] of pieces.entries()) {
      const spoken = piece.tongue === 'cmn' ? spellNumbers(piece.text) : piece.text;
      const pause = index === pieces.length - 1 ? pauseAfter(segment) : pauseWithin(piece.text);
      yield { tongue: piece.tongue, text: spoken, pause };
    }
  }
}

function pauseAfter(sentence: string): number {
  if (sentence.slice(sentence.trimEnd().length).includes('\n')) return pauses.paragraph;
  return /[。！？!?….;；]["'”’）)\s]*$/u.test(sentence) ? pauses.sentence : pauses.clause;
}

function pauseWithin(run: string): number {
  return /[,，、:：;；—–]\s*$/u.test(run) ? pauses.clause : pauses.run;
}

/** Characters without a script, such as digits and punctuation, belong to the run before them, else after them. */
function runs(sentence: string, { language, languages, profile }: Narrator) {
  const latin = languages.includes('en') ? profile.english : 'cmn';
  const found: { tongue: Tongue | undefined; text: string }[] = [];
  for (const character of sentence) {
    const tongue = /\p{Script=Latin}/u.test(character)
      ? latin
      : scripts.find(([script]) => script.test(character))?.[1];
    const last = found.at(-1);
    if (last && (tongue === undefined || last.tongue === undefined || tongue === last.tongue)) {
      last.text += character;
      last.tongue ??= tongue;
    } else found.push({ tongue, text: character });
  }
  const neutral = language === 'zh-CN' ? 'cmn' : profile.english;
  return found.map(({ tongue, text }) => ({ tongue: tongue ?? neutral, text }));
}
