import { directives } from '../../faults/prompt-directives.ts';
import { chinese } from './chinese.ts';
import { asksRepeat, type Conversation, quoted } from './conversation.ts';
import type { Phrasebook } from './phrasebook.ts';

const asksHelp =
  /^[\p{P}\s]*(?:help|help me|what can you do|how do i use (?:you|this))[\p{P}\s]*$|^[\p{P}\s]*(?:帮助|你能做什么|怎么用)[\p{P}\s]*$/iu;
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
  const { question } = conversation;
  const repeated = asksRepeat.exec(question)?.[1];
  if (repeated !== undefined) return repeated.trim();
  if (asksHelp.test(question)) return book.help(helpRows(book));
  const answer = recalled(conversation, book);
  if (answer === undefined) return undefined;
  return conversation.first ? `${book.intro}\n\n${answer}` : answer;
}

function recalled(
  { question, earlier, turn, name }: Conversation,
  { recall }: Phrasebook,
): string | undefined {
  const [first] = earlier;
  const last = earlier.at(-1);
  if (asksName.test(question)) return name === undefined ? recall.noName : recall.name(name);
  if (asksFirst.test(question))
    return first === undefined ? recall.nothingBefore : recall.first(quoted(first));
  if (asksLast.test(question)) return last === undefined ? recall.nothingBefore : recall.last(quoted(last));
  if (asksCount.test(question)) return recall.count(turn, earlier.length);
  if (asksSummary.test(question)) return summary(earlier, recall);
  return tellsName.test(question) && name !== undefined ? recall.niceToMeet(name) : undefined;
}

function summary(earlier: readonly string[], recall: Phrasebook['recall']): string {
  if (earlier.length === 0) return recall.nothingBefore;
  return recall.summary(earlier.map((question, index) => `${index + 1}. ${quoted(question)}`).join('\n'));
}

function helpRows(book: Phrasebook): string {
  const language = book === chinese ? 'zh' : 'en';
  return directives
    .map(({ words, argument, help }) => {
      const example = argument === undefined ? words : `${words} ${argument === 'status' ? 503 : 20}`;
      const both = argument === undefined ? '' : ` \`[[${words}]]\``;
      return `| \`[[${example}]]\`${both} | ${help[language]} |`;
    })
    .join('\n');
}
