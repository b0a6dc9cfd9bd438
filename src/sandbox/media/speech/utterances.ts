import { spellNumbers } from './mandarin-numbers.ts';
import type { Tongue } from './synthesizer.ts';
import type { Narrator } from './voice-profiles.ts';

/** A piece of text in one language, and the pause after it. */
export interface Utterance {
  readonly tongue: Tongue;
  readonly text: string;
  /** Seconds. */
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
  const sentences = new Intl.Segmenter('zh', { granularity: 'sentence' });
  for (const { segment } of sentences.segment(readable(text))) {
    const runs = [...pieces(segment, narrator)];
    for (const [index, run] of runs.entries()) {
      const isLast = index === runs.length - 1;
      const spoken = run.tongue === 'cmn' ? spellNumbers(run.text) : run.text;
      yield { tongue: run.tongue, text: spoken, pause: isLast ? pauseAfter(segment) : pauseWithin(run.text) };
    }
  }
}

/** Removes Markdown syntax and control characters, which aren't spoken. */
function readable(text: string): string {
  return text.replace(/[*#`~|_^\\]+/g, ' ').replace(/(?![\n\r\t])\p{Cc}|\p{Cf}/gu, ' ');
}

function pauseAfter(sentence: string): number {
  if (sentence.slice(sentence.trimEnd().length).includes('\n')) return pauses.paragraph;
  return /[。！？!?….;；]["'”’）)\s]*$/u.test(sentence) ? pauses.sentence : pauses.clause;
}

function pauseWithin(run: string): number {
  return /[,，、:：;；—–]\s*$/u.test(run) ? pauses.clause : pauses.run;
}

function* pieces(sentence: string, narrator: Narrator): Generator<Run> {
  for (const { tongue, text } of runs(sentence, narrator)) {
    for (const [piece] of text.matchAll(pieceOfRun)) yield { tongue, text: piece };
  }
}

interface Run {
  readonly tongue: Tongue;
  readonly text: string;
}

/** Characters without a script, such as digits and punctuation, belong to the run before them, else after them. */
function runs(sentence: string, narrator: Narrator): Run[] {
  const found: { tongue: Tongue | undefined; text: string }[] = [];
  for (const character of sentence) {
    const tongue = tongueOf(character, narrator);
    const last = found.at(-1);
    if (last && (tongue === undefined || last.tongue === undefined || tongue === last.tongue)) {
      last.text += character;
      last.tongue ??= tongue;
    } else {
      found.push({ tongue, text: character });
    }
  }
  const neutral = narrator.language === 'zh-CN' ? 'cmn' : narrator.profile.english;
  return found.map(({ tongue, text }) => ({ tongue: tongue ?? neutral, text }));
}

function tongueOf(character: string, narrator: Narrator): Tongue | undefined {
  if (/\p{Script=Latin}/u.test(character)) {
    return narrator.languages.includes('en') ? narrator.profile.english : 'cmn';
  }
  return scripts.find(([script]) => script.test(character))?.[1];
}
