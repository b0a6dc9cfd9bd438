import { directives } from '../../faults/faults.ts';
import { Random } from '../../random.ts';
import { chinese } from './chinese.ts';
import { codeBlock } from './code-samples.ts';
import { english, type Phrasebook } from './english.ts';
import { type Length, readWish, type SectionKind, type Wish } from './wish.ts';

/** One message of a conversation. */
export interface Message {
  readonly role: string;
  readonly content: string;
}

const continues = /^[\p{P}\s]*(?:please )?(?:continue|go on|carry on)\b|^[\p{P}\s]*(?:请)?(?:继续|接着)/iu;
/** Answers shorter than this mention the sandbox only briefly. */
const shortAnswer = { characters: 400, words: 60 };
const gap = '\n\n';

/**
 * Writes the sandbox's answer to a conversation: well-formed Markdown in the form, language and length the last
 * question asks for. The same conversation and `variation` give the same answer.
 */
export function writeAnswer(messages: readonly Message[], variation: number): string {
  const conversation = readConversation(messages);
  const { question, earlier, first } = conversation;
  // “Continue” refers to the question before.
  const meant = continues.test(question) ? earlier.findLast((one) => !continues.test(one)) : undefined;
  const wish = readWish(meant ?? question);
  const writer = new SectionWriter(wish, `${variation} ${question}`);
  const { book } = writer;
  const direct = directAnswer(conversation, book);
  if (direct !== undefined) return direct;
  const { kinds, length } = wish;
  if (!length) {
    const sections = kinds.length > 0 ? kinds.map((kind) => writer.section(kind)) : [writer.paragraph()];
    return [opening(writer, conversation), ...sections, ...(first ? [book.suggestions] : [])].join(gap);
  }
  const isShort = length.amount < shortAnswer[length.unit];
  const shortOpening = first ? book.shortIntro : '';
  return ofLength(writer, kinds, isShort ? shortOpening : opening(writer, conversation), length);
}

function opening({ book }: SectionWriter, { first, turn, earlier, name, question }: Conversation): string {
  const before = earlier.at(-1);
  if (first || before === undefined) return `${book.intro}${gap}${book.heard(quoted(question))}`;
  return book.turn(turn, quoted(before), name);
}

/** An answer of about the requested length: every kind of section once, then in rotation, then sentences. */
function ofLength(
  writer: SectionWriter,
  kinds: readonly SectionKind[],
  first: string,
  { amount, unit }: Length,
): string {
  const { space, fullStop } = writer.book;
  const size = (text: string) =>
    unit === 'characters' ? [...text].length : (text.match(/\S+/g)?.length ?? 0);
  const parts = [first];
  let missing = amount - size(first);
  const add = (text: string) => {
    parts.push(text);
    missing -= size(text);
  };
  for (const kind of kinds) {
    const block = gap + writer.section(kind);
    // What is much too long is left out, unless it would be all of the answer.
    if (parts.length === 1 || size(block) <= missing * 2) add(block);
  }
  for (let turn = 0; ; turn++) {
    // Every other block is a plain paragraph.
    const kind = turn % 2 === 1 ? kinds[((turn - 1) / 2) % kinds.length] : undefined;
    const block = gap + (kind ? writer.section(kind) : writer.paragraph());
    if (size(block) >= missing) break;
    add(block);
  }
  let before = missing > size(gap) ? gap : space;
  while (missing > 0) {
    const sentence = before + writer.sentence();
    const isLast = size(sentence) >= missing;
    parts.push(isLast ? cutTo(sentence.replaceAll('*', ''), missing, unit) : sentence);
    missing = isLast ? 0 : missing - size(sentence);
    before = space;
  }
  const text = parts.join('').trimEnd();
  if (/[\p{L}\p{N}]$/u.test(text)) return text + fullStop;
  return text.replace(/[,;:\uff0c\uff1b\uff1a]$/u, fullStop);
}

/** As much of a text as fits, with room for a full stop. */
function cutTo(text: string, size: number, unit: Length['unit']): string {
  if (unit === 'words') return text.match(new RegExp(`(?:\\s*\\S+){0,${size}}`))?.[0] ?? '';
  return [...text].slice(0, size - 1).join('');
}

const books = { en: english, zh: chinese };
const defaultItems = 5;
const defaultRows = 4;

/** Writes varied blocks of Markdown about one topic. */
class SectionWriter {
  readonly book: Phrasebook;
  readonly #wish: Wish;
  readonly #random: Random;
  readonly #slots: Readonly<Record<string, string>>;
  #codes = 0;

  constructor(wish: Wish, seed: string) {
    this.book = books[wish.language];
    this.#wish = wish;
    this.#random = new Random(seed);
    this.#slots = { ...this.book.slots, topic: wish.topic ?? this.book.anyTopic };
  }

  sentence(): string {
    return this.#fill(this.book.sentences);
  }

  paragraph(): string {
    return this.#many(this.#random.whole(3, 6), () => this.sentence()).join(this.book.space);
  }

  section(kind: SectionKind): string {
    const { book } = this;
    const { count = defaultItems, language } = this.#wish;
    const sections: Readonly<Record<SectionKind, () => string>> = {
      headings: () => `## ${this.#fill(book.headings)}\n\n${this.paragraph()}`,
      list: () => this.#many(count, () => `- ${this.#fill(book.items)}`).join('\n'),
      steps: () => this.#many(count, (index) => `${index + 1}. ${this.#fill(book.items)}`).join('\n'),
      code: () => `${this.#fill(book.codeIntros)}\n\n${this.#code()}`,
      table: () => this.#table(),
      quote: () => `> ${this.#fill(book.quotes)}`,
      story: () => this.#story(),
      emoji: () => this.#fill(book.emoji),
      other_language: () => {
        const wish = { ...this.#wish, language: language === 'en' ? 'zh' : 'en', topic: undefined } as const;
        return new SectionWriter(wish, String(this.#random.next())).paragraph();
      },
      links: () => book.links,
      hostile: () => book.hostile,
    };
    return sections[kind]();
  }

  /** A count applies to code if there is nothing else to count. */
  #code(): string {
    const { kinds, count, codeLanguage } = this.#wish;
    const isOfCode = kinds.includes('code') && !kinds.some((kind) => /^(?:list|steps|table)$/.test(kind));
    return codeBlock(codeLanguage ?? this.#codes++, isOfCode ? count : undefined);
  }

  #table(): string {
    const { tableHead, tableItems, verdicts } = this.book;
    const rows = this.#many(this.#wish.count ?? defaultRows, (index) => [
      `${this.#pick(tableItems)} ${index + 1}`,
      String(this.#random.whole(1, 999)),
      `${this.#random.whole(0, 100)}%`,
      this.#pick(verdicts),
    ]);
    const lines = [tableHead, ['---', '---:', '---:', ':---'], ...rows];
    return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  }

  #story(): string {
    const { storyBeginnings, storyEvents, storyEndings, space } = this.book;
    const event = () => this.#fill(storyEvents);
    const first = [this.#fill(storyBeginnings), ...this.#many(this.#random.whole(3, 5), event)];
    const second = [...this.#many(this.#random.whole(3, 4), event), this.#fill(storyEndings)];
    return `${first.join(space)}\n\n${second.join(space)}`;
  }

  #many<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }

  #pick(choices: readonly string[]): string {
    return choices[this.#random.whole(0, choices.length - 1)] ?? '';
  }

  /** One of the templates with random words in its `{slots}`, capitalized. */
  #fill(templates: readonly string[]): string {
    const filled = this.#pick(templates).replace(/\{(\w+)\}/g, (whole, name: string) =>
      this.#pick(this.#slots[name]?.split('|') ?? [whole]),
    );
    return filled.replace(/^\P{L}*\p{L}/u, (start) => start.toUpperCase());
  }
}

/** The conversation as an answer needs it. */
interface Conversation {
  readonly question: string;
  /** The questions before it, first to last. */
  readonly earlier: readonly string[];
  /** The question's number in the conversation, from 1. */
  readonly turn: number;
  /** Whether nothing has been answered yet. */
  readonly first: boolean;
  /** The person's name, if they said it. */
  readonly name: string | undefined;
}

const speaker = /^([^\s:][^:\n]{0,60}): (?=\S)/;
/** Asks for what follows the colon to be repeated: nobody of that name says it. */
const asksRepeat = /^\s*(?:repeat(?: after me)?|say|echo|重复|跟我说)\s*[:：]\s*([\s\S]+)$/i;
const names = [
  /\b(?:my name is|call me|I am called)\s+(\p{L}[\p{L}\p{M}'-]{0,30})/iu,
  /(?:我的?名字(?:叫|是)|我叫)\s*(\p{L}{1,8})/u,
];
const asksForName = /什么|啥|吗|谁/;

/** Reads the messages of a chat request. */
function readConversation(messages: readonly Message[]): Conversation {
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const speakers = said.map((text) => (asksRepeat.test(text) ? undefined : speaker.exec(text)?.[1]));
  const several = said.length > 1 && speakers.every((one) => one !== undefined);
  const questions = several ? said.map((text) => text.replace(speaker, '')) : said;
  const asker = several ? speakers.at(-1) : undefined;
  const own = questions.filter((_, index) => !several || speakers[index] === asker);
  return {
    question: questions.at(-1) ?? '',
    earlier: questions.slice(0, -1),
    turn: questions.length,
    first: !messages.some(({ role }) => role === 'assistant'),
    name: own.map(nameIn).findLast((name) => name !== undefined) ?? asker,
  };
}

function nameIn(text: string): string | undefined {
  const found = names.map((pattern) => pattern.exec(text)?.[1]);
  return found.find((name) => name !== undefined && !asksForName.test(name));
}

const maxQuoteLength = 120;

/** A question shortened to one line, for a quote. */
function quoted(question: string): string {
  const line = question.replace(/\s+/g, ' ').trim();
  return line.length > maxQuoteLength ? `${line.slice(0, maxQuoteLength).toWellFormed()}…` : line;
}

const asksHelp =
  /^[\p{P}\s]*(?:help|help me|what can you do|how do i use (?:you|this)|帮助|你能做什么|怎么用)[\p{P}\s]*$/iu;
const asksName =
  /\bwhat(?:'s| is) my name\b|\bwho am i\b|\bdo you (?:know|remember) my name\b|我叫什么|我是谁|我的名字是什么/i;
const asksFirst =
  /\bwhat (?:was|is) (?:my|the) first (?:question|message)\b|\bfirst thing i (?:asked|said)\b|我?最先问(?:了|的是)?什么|第一个问题是什么/i;
const asksLast =
  /\bwhat did i (?:just )?(?:ask|say)\b|\bwhat (?:was|is) (?:my|the) (?:previous|last|earlier) (?:question|message)\b|(?:刚才|之前)我?(?:问|说)(?:了|的是)?(?:什么|啥)|上一个问题是什么/i;
const asksCount =
  /\bhow many (?:questions|messages|turns)\b.*\b(?:did|have|i|we|far|conversation)\b|问了(?:你)?(?:几个|多少)|第几个问题|几轮/i;
const asksSummary = /\bsummar(?:y|i[sz]e)\b.*\b(?:conversation|chat|far)\b|总结(?:一下)?(?:对话|我们)/i;
const tellsName = /\bmy name is\b|\bcall me\b|我叫|我的?名字(?:叫|是)/i;

/** The answer to a question about the sandbox or the conversation itself; undefined for any other question. */
function directAnswer(conversation: Conversation, book: Phrasebook): string | undefined {
  const { question, first } = conversation;
  const repeated = asksRepeat.exec(question)?.[1];
  if (repeated !== undefined) return repeated.trim();
  if (asksHelp.test(question)) return book.help(helpRows(book === chinese ? 'zh' : 'en'));
  const answer = recalled(conversation, book.recall);
  return answer !== undefined && first ? `${book.intro}\n\n${answer}` : answer;
}

function recalled(conversation: Conversation, recall: Phrasebook['recall']): string | undefined {
  const { question, earlier, turn, name } = conversation;
  if (asksName.test(question)) return name === undefined ? recall.noName : recall.name(name);
  if (asksCount.test(question)) return recall.count(turn, earlier.length);
  const asksBefore = [asksFirst, asksLast, asksSummary].some((asks) => asks.test(question));
  if (asksBefore && earlier.length === 0) return recall.nothingBefore;
  if (asksFirst.test(question)) return recall.first(quoted(earlier[0] ?? ''));
  if (asksLast.test(question)) return recall.last(quoted(earlier.at(-1) ?? ''));
  if (asksSummary.test(question))
    return recall.summary(earlier.map((one, index) => `${index + 1}. ${quoted(one)}`).join('\n'));
  return tellsName.test(question) && name !== undefined ? recall.niceToMeet(name) : undefined;
}

function helpRows(language: 'en' | 'zh'): string {
  const rows = directives.map(({ words, argument, help }) => {
    const example = argument && `\`[[${words} ${argument === 'status' ? 503 : 20}]]\` `;
    return `| ${example ?? ''}\`[[${words}]]\` | ${help[language]} |`;
  });
  return rows.join('\n');
}
