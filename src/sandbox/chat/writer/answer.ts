import type { Message } from '../chat-request.ts';
import type { Length } from './amounts.ts';
import { composeFreely, composeToLength } from './compose.ts';
import { type Conversation, quoted, readConversation } from './conversation.ts';
import type { Phrasebook } from './phrasebook.ts';
import { Random } from './random.ts';
import { directAnswer } from './recall.ts';
import { SectionWriter } from './sections.ts';
import { readWish } from './wish.ts';

const continues = /^[\p{P}\s]*(?:please )?(?:continue|go on|carry on)\b|^[\p{P}\s]*(?:请)?(?:继续|接着)/iu;
/** Answers shorter than this mention the sandbox only briefly. */
const shortAnswer = { characters: 400, words: 60 };

/**
 * Writes the sandbox's answer to a conversation: well-formed Markdown in the form, language and length the last
 * question asks for. The same conversation and `variation` give the same answer.
 */
export function writeAnswer(messages: readonly Message[], variation: number): string {
  const conversation = readConversation(messages);
  const wish = readWish(
    continues.test(conversation.question) ? continued(conversation) : conversation.question,
  );
  const writer = new SectionWriter(wish, new Random(`${variation} ${conversation.question}`));
  const { book } = writer;
  const direct = directAnswer(conversation, book);
  if (direct !== undefined) return direct;
  const { kinds, length } = wish;
  if (length) return composeToLength(writer, kinds, shortOrLong(book, conversation, length), length);
  return composeFreely(
    writer,
    kinds,
    opening(book, conversation),
    conversation.first ? book.suggestions : undefined,
  );
}

/** The question that “continue” refers to. */
function continued({ earlier, question }: Conversation): string {
  return earlier.findLast((one) => !continues.test(one)) ?? question;
}

function opening(book: Phrasebook, { first, turn, earlier, name, question }: Conversation): string {
  const before = earlier.at(-1);
  if (first || before === undefined) return `${book.intro}\n\n${book.heard(quoted(question))}`;
  return book.turn(turn, quoted(before), name);
}

function shortOrLong(book: Phrasebook, conversation: Conversation, { amount, unit }: Length): string {
  if (amount >= shortAnswer[unit]) return opening(book, conversation);
  return conversation.first ? book.shortIntro : '';
}
