import { type Length, readCount, readLength } from './amounts.ts';
import { type CodeLanguage, findCodeLanguage } from './code-samples.ts';
import { type Language, languageOf } from './language.ts';

/** Kinds of Markdown sections. */
const sectionKinds = [
  'headings',
  'list',
  'steps',
  'code',
  'table',
  'quote',
  'story',
  'emoji',
  'other_language',
  'links',
  'hostile',
] as const;
export type SectionKind = (typeof sectionKinds)[number];

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

const signs: Record<SectionKind, RegExp> = {
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
const everything = /\bmarkdown\b|\bshowcase\b|\bevery kind\b|所有格式|各种格式/i;

/** Reads the requested form from a question. */
export function readWish(question: string): Wish {
  const language = languageOf(question);
  const codeLanguage = findCodeLanguage(question);
  const kinds = sectionKinds.filter((kind) => everything.test(question) || signs[kind].test(question));
  const withCode = codeLanguage && !kinds.includes('code') && asksToWrite.test(question);
  return {
    language,
    kinds: (withCode ? [...kinds, 'code' as const] : kinds).filter((kind) => !isOwnLanguage(kind, question)),
    codeLanguage,
    length: readLength(question),
    count: readCount(question),
    topic: readTopic(question),
  };
}

const asksToWrite = /\bwrite\b|\bshow\b|\bexample\b|写|例子|示例/i;

/** “Answer in Chinese” sets the answer's language; it doesn't ask for a Chinese section. */
function isOwnLanguage(kind: SectionKind, question: string): boolean {
  return kind === 'other_language' && /\bin (?:chinese|english)\b|用英文|用英语/i.test(question);
}

const topics = [
  /\babout\s+(?:the topic of\s+)?([^.,;:?!\n]+)/i,
  /\b(?:explain|describe|what is|what are|who is|who was|how does)\s+([^.,;:?!\n]+)/i,
  /关于\s*([^\p{P}\n的]+)/u,
  /(?:什么是|介绍一下|解释一下|解释|介绍)\s*([^\p{P}\n]+)/u,
  /(?<=([^\p{P}\n]{1,60}))是什么/u,
];
const maxTopicLength = 60;

function readTopic(question: string): string | undefined {
  for (const pattern of topics) {
    const found = pattern.exec(question)?.[1];
    const topic = found
      ?.replace(/\s{1,9}(?:in|with|using|of)\s{1,9}(?:about\s{1,9})?\w{0,20}\d[\s\S]*$/i, '')
      .replace(/[*_~`|[\]<>#\\]/g, '')
      .replace(/(?<!\s)\s+(?:work|works|mean|means)$/i, '')
      .trim();
    if (topic) return topic.slice(0, maxTopicLength).toWellFormed().trim();
  }
  return undefined;
}
