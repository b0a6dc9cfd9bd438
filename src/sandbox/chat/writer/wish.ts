import { type CodeLanguage, findCodeLanguage } from './code-samples.ts';

/** Languages the sandbox writes in. */
export type Language = 'en' | 'zh';

/** The requested length of an answer. */
export interface Length {
  readonly amount: number;
  readonly unit: 'characters' | 'words';
}

/** The requested form of an answer. */
export interface Wish {
  readonly language: Language;
  readonly kinds: readonly SectionKind[];
  readonly codeLanguage: CodeLanguage | undefined;
  readonly length: Length | undefined;
  /** Rows of a table, items of a list, lines of code. */
  readonly count: number | undefined;
  /** The topic, if the question names one. */
  readonly topic: string | undefined;
}

/** The words that ask for a kind of Markdown section. */
const signs = {
  headings: /\bheadings?\b|\bsections\b|\bchapters?\b|标题|章节/i,
  list: /\blists?\b|\bbullets?\b|列表|清单|列出/i,
  steps: /\bnumbered\b|\bsteps\b|步骤/i,
  code: /\bcode\b|\bfunction\b|\bprogram\b|\bsnippet\b|代码|程序|函数/i,
  table: /\btables?\b|表格|一张表|个表/i,
  quote: /\bquot(?:e|es|ation)\b|引用|名言/i,
  story: /\bstory\b|\bstories\b|\btale\b|故事/i,
  emoji: /\bemojis?\b|表情/i,
  other_language: /\bchinese\b|英文|英语/i,
  links: /\blinks?\b|链接/i,
  hostile: /\bhostile\b|\bmentions?\b|@everyone|恶意|提及/i,
};
export type SectionKind = keyof typeof signs;
const everything = /\bmarkdown\b|\bshowcase\b|\bevery kind\b|所有格式|各种格式/i;
const asksToWrite = /\bwrite\b|\bshow\b|\bexample\b|写|例子|示例/i;
/** “Answer in Chinese” sets the answer's language; it doesn't ask for a Chinese section. */
const ownLanguage = /\bin (?:chinese|english)\b|用英文|用英语/i;

/** Reads the requested form from a question. */
export function readWish(question: string): Wish {
  const codeLanguage = findCodeLanguage(question);
  const kinds: SectionKind[] = [];
  let kind: SectionKind;
  for (kind in signs) {
    const isAsked = everything.test(question) || signs[kind].test(question);
    const isCode = kind === 'code' && codeLanguage !== undefined && asksToWrite.test(question);
    if ((isAsked || isCode) && !(kind === 'other_language' && ownLanguage.test(question))) kinds.push(kind);
  }
  return {
    language: languageOf(question),
    kinds,
    codeLanguage,
    length: readLength(question),
    count: readCount(question),
    topic: readTopic(question),
  };
}

const asksForChinese =
  /\b(?:answer|reply|write|respond|speak)\b[^.!?\n]{0,40}\bin chinese\b|用中文|用汉语|说中文/i;
const asksForEnglish =
  /\b(?:answer|reply|write|respond|speak)\b[^.!?\n]{0,40}\bin english\b|用英文|用英语|说英语/i;

/** The language of an answer: the requested one, else the question's. */
function languageOf(question: string): Language {
  if (asksForChinese.test(question)) return 'zh';
  if (asksForEnglish.test(question)) return 'en';
  const han = question.match(/\p{Script=Han}/gu)?.length ?? 0;
  const letters = question.match(/\p{L}/gu)?.length ?? 0;
  return han > 0 && han >= letters * 0.2 ? 'zh' : 'en';
}

const longest = { characters: 200_000, words: 40_000 };
const maxItems = 500;
const charactersPerToken = 4;
const numeral = '[零一二两三四五六七八九十百千万]';
const number = `((?<!\\d)\\d[\\d,]{0,12}(?:\\.\\d{1,6})?|(?<!${numeral})${numeral}{1,12})`;
const lengthPattern = new RegExp(
  `${number}\\s{0,3}(k|thousand|千|万)?[\\s-]{0,3}(?:个)?\\s{0,3}(words?|characters?|chars?|letters?|tokens?|字符|字|单词|词)`,
  'i',
);
const countPatterns = [
  new RegExp(
    `${number}[\\s-]{0,3}(?:rows?|items?|bullets?|points?|steps?|lines?|entries|things|行|项|条|点|步|列)`,
    'i',
  ),
  new RegExp(`(?:list|table|top)(?: of)? ${number}\\b(?!\\s*(?:words?|characters?|chars?))`, 'i'),
];
const scales: Readonly<Record<string, number>> = { k: 1_000, thousand: 1_000, 千: 1_000, 万: 10_000 };

/** The length a question asks for, at most 200,000 characters or 40,000 words; undefined if it names none. */
function readLength(question: string): Length | undefined {
  const [found, digits = '', scale = '', word = ''] = lengthPattern.exec(question) ?? [];
  if (found !== undefined) {
    const value = readNumber(digits) * (scales[scale.toLowerCase()] ?? 1);
    const unit = /^(?:word|单词|词)/i.test(word) ? 'words' : 'characters';
    const amount = /^token/i.test(word) ? value * charactersPerToken : value;
    return value >= 1 ? { amount: Math.min(Math.round(amount), longest[unit]), unit } : undefined;
  }
  if (/\b(?:very|extremely|really) long\b|非常长|很长/i.test(question))
    return { amount: 15_000, unit: 'characters' };
  const isLong = /\blong\b|\bdetailed\b|\bessay\b|长文|长一点|详细|作文/i.test(question);
  return isLong ? { amount: 5_000, unit: 'characters' } : undefined;
}

/** The number of rows, items or lines a question asks for, at most 500. */
function readCount(question: string): number | undefined {
  const values = countPatterns.map((pattern) => readNumber(pattern.exec(question)?.[1] ?? ''));
  const value = values.find((one) => one >= 1);
  return value && Math.min(value, maxItems);
}

const units: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1_000 };

/** Parses a number in digits or Chinese numerals; 0 if it is neither. */
function readNumber(text: string): number {
  if (/^\d/.test(text)) return Number(text.replaceAll(',', ''));
  let [total, section, digit] = [0, 0, 0];
  for (const character of text) {
    const unit = units[character];
    if (character === '万') [total, section, digit] = [total + (section + digit) * 10_000, 0, 0];
    else if (unit !== undefined) [section, digit] = [section + (digit || 1) * unit, 0];
    else digit = character === '两' ? 2 : '零一二三四五六七八九'.indexOf(character);
  }
  return total + section + digit;
}

const topics = [
  /\babout\s+(?:the topic of\s+)?([^.,;:?!\n]+)/i,
  /\b(?:explain|describe|what is|what are|who is|who was|how does)\s+([^.,;:?!\n]+)/i,
  /关于\s*([^\p{P}\n的]+)/u,
  /(?:什么是|介绍一下|解释一下|解释|介绍)\s*([^\p{P}\n]+)/u,
  /是什么(?<=([^\p{P}\n]{1,60})是什么)/u,
];
const maxTopicLength = 60;

function readTopic(question: string): string | undefined {
  for (const pattern of topics) {
    const topic = pattern
      .exec(question)?.[1]
      ?.replace(/\s{1,9}(?:in|with|using|of)\s{1,9}(?:about\s{1,9})?\w{0,20}\d[\s\S]*$/i, '')
      .replace(/[*_~`|[\]<>#\\]/g, '')
      .replace(/(?<!\s)\s+(?:work|works|mean|means)$/i, '')
      .trim();
    if (topic) return topic.slice(0, maxTopicLength).toWellFormed().trim();
  }
  return undefined;
}
