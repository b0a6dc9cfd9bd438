import { knownVoices, type VoiceLanguage } from '../../../service-rules/voices.ts';

/** The engine's voice files in use. */
export type Tongue = 'cmn' | 'en-us' | 'en-gb-x-rp' | 'ja' | 'ru' | 'el' | 'ar' | 'he' | 'hi' | 'th';

/** How one of the service's voices is imitated. */
export interface VoiceProfile {
  /** Name of the engine's voice variant: the timbre. */
  readonly variant: string;
  /** 0 to 99; 50 is the variant's own. */
  readonly pitch: number;
  /** 0 (monotone) to 99 (lively). */
  readonly range: number;
  /** Which English the voice speaks. */
  readonly english: 'en-us' | 'en-gb-x-rp';
}

const profile = (
  variant: string,
  pitch: number,
  range: number,
  english: VoiceProfile['english'] = 'en-us',
): VoiceProfile => ({ variant, pitch, range, english });

const profiles: Readonly<Record<string, VoiceProfile>> = {
  zh_female_vv_uranus_bigtts: profile('f3', 50, 70),
  saturn_zh_female_cancan_tob: profile('linda', 50, 75),
  saturn_zh_female_keainvsheng_tob: profile('f5', 75, 80),
  saturn_zh_female_tiaopigongzhu_tob: profile('Annie', 62, 90),
  saturn_zh_male_shuanglangshaonian_tob: profile('m3', 64, 75),
  saturn_zh_male_tiancaitongzhuo_tob: profile('m7', 80, 80),
  zh_female_xiaohe_uranus_bigtts: profile('f2', 45, 65),
  zh_male_m191_uranus_bigtts: profile('m1', 42, 60),
  zh_male_taocheng_uranus_bigtts: profile('m7', 50, 70),
  en_male_tim_uranus_bigtts: profile('m3', 50, 60),
  en_female_dacey_uranus_bigtts: profile('f2', 52, 60),
  en_female_stokie_uranus_bigtts: profile('f4', 58, 65, 'en-gb-x-rp'),
};

/** A voice together with what it may be asked to narrate in. */
interface Narrator {
  readonly profile: VoiceProfile;
  readonly languages: readonly VoiceLanguage[];
  readonly language: VoiceLanguage;
}

/**
 * The language a voice speaks when asked for one: the wish counts where the voice supports it, otherwise the voice's
 * default does (service description, POST /audio/speech).
 */
export function spokenLanguage(languages: readonly VoiceLanguage[], wished = ''): VoiceLanguage {
  const primary = (tag: string) => tag.toLowerCase().split(/[-_]/)[0];
  return languages.find((one) => primary(one) === primary(wished)) ?? languages[0] ?? 'en';
}

/** The narrator of a voice id. @throws RangeError for an id that is not among the known voices */
export function narrator(voice: string, wishedLanguage?: string): Narrator {
  const known = knownVoices.find(({ id }) => id === voice);
  const found = profiles[voice];
  if (!known || !found) throw new RangeError(`voice: '${voice}' is not a known voice`);
  const { languages } = known;
  return { profile: found, languages, language: spokenLanguage(languages, wishedLanguage) };
}

/** A piece of text in one language, and the pause after it, in seconds. */
interface Utterance {
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

const digits = '零一二三四五六七八九';
const smallUnits = ['', '十', '百', '千'];
const largeUnits = ['', '万', '亿', '万亿'];
const longestCount = largeUnits.length * smallUnits.length;

/** Measure words that take 两 instead of 二. */
const measures = '个只本条张位件次天年周块杯辆家口头间座种双台句岁点分';

/**
 * Writes the numbers of a Mandarin text in Chinese characters, the way they are read aloud: years digit by
 * digit, percentages with 百分之, decimals with 点, anything longer than sixteen digits digit by digit.
 */
export function spellNumbers(text: string): string {
  return text
    .replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')
    .replace(
      /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/g,
      (_, year, month, day) => `${year}年${month}月${day}日`,
    )
    .replace(/(?<!\d)\d{4}(?=\s*年)/g, digitByDigit)
    .replace(/(?<=^|\D)0+(?=\d\d?\s*[月日])/g, '')
    .replace(/(?<!\d)(\d{1,2}):(\d{2})(?!\d)/g, (_, hours, minutes) => timeOfDay(hours, minutes))
    .replace(/(-?(?<!\d)\d+(?:\.\d+)?)\s*[%％]/g, (_, value) => `百分之${number(value)}`)
    .replace(new RegExp(`(?<![\\d.第])2(?=\\s*[${measures}])`, 'g'), '两')
    .replace(/(?<![\dA-Za-z])-?\d+(?:\.\d+)?/g, number)
    .replace(/\d+/g, digitByDigit);
}

function digitByDigit(text: string): string {
  return text.replace(/\d/g, (digit) => digits.charAt(Number(digit)));
}

function timeOfDay(hours: string, minutes: string): string {
  const hour = Number(hours) === 2 ? '两' : wholeNumber(String(Number(hours)));
  if (Number(minutes) === 0) return `${hour}点`;
  return `${hour}点${minutes.startsWith('0') ? '零' : ''}${wholeNumber(String(Number(minutes)))}分`;
}

function number(text: string): string {
  const sign = text.startsWith('-') ? '负' : '';
  const [whole = '', fraction] = text.replace('-', '').split('.');
  return sign + wholeNumber(whole) + (fraction === undefined ? '' : `点${digitByDigit(fraction)}`);
}

function wholeNumber(text: string): string {
  const isCode = text.length > longestCount || /^0\d/.test(text);
  if (isCode) return digitByDigit(text);
  if (text === '0') return '零';
  const groups: string[] = [];
  for (let end = text.length; end > 0; end -= 4) groups.unshift(text.slice(Math.max(0, end - 4), end));
  const spoken = groups.map((group, index) => fourDigits(group, groups.length - 1 - index)).join('');
  return tidyZeros(spoken).replace(/^一十/, '十');
}

/** `rank` counts the groups of four digits behind this one. */
function fourDigits(group: string, rank: number): string {
  if (Number(group) === 0) return '零';
  if (group === '2' && rank > 0) return `两${largeUnits[rank]}`;
  const spoken = [...group].map((digit, index) =>
    digit === '0' ? '零' : digits.charAt(Number(digit)) + smallUnits[group.length - 1 - index],
  );
  return tidyZeros(spoken.join('')).replace(/^二千/, '两千') + largeUnits[rank];
}

function tidyZeros(spoken: string): string {
  return spoken.replace(/零+/g, '零').replace(/零$/, '');
}
