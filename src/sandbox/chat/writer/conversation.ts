import { directives } from '../../faults/prompt-directives.ts';
import type { Message } from '../chat-request.ts';
import { chinese } from './chinese.ts';
import type { Phrasebook } from './english.ts';

/** The conversation as an answer needs it. */
export interface Conversation {
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
export function readConversation(messages: readonly Message[]): Conversation {
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
export function quoted(question: string): string {
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
export function directAnswer(conversation: Conversation, book: Phrasebook): string | undefined {
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
