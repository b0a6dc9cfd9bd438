import type { Message } from '../chat-request.ts';
import { type Conversation, directAnswer, quoted, readConversation } from './conversation.ts';
import { SectionWriter } from './sections.ts';
import { type Length, readWish, type SectionKind } from './wish.ts';

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
