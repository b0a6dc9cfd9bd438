import type { Message } from '../chat-request.ts';

/** What an answer needs to know of its conversation. */
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
export const asksRepeat = /^\s*(?:repeat(?: after me)?|say|echo|重复|跟我说)\s*[:：]\s*([\s\S]+)$/i;
const names = [
  /\bmy name is\s+([\p{L}][\p{L}\p{M}'-]{0,30})/iu,
  /\bcall me\s+([\p{L}][\p{L}\p{M}'-]{0,30})/iu,
  /\bI am called\s+([\p{L}][\p{L}\p{M}'-]{0,30})/iu,
  /我的?名字(?:叫|是)\s*([\p{L}]{1,8})/u,
  /我叫\s*([\p{L}]{1,8})/u,
];
const maxQuoteLength = 120;
const asksForName = /什么|啥|吗|谁/;

/** Reads the messages of a chat request. */
export function readConversation(messages: readonly Message[]): Conversation {
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const speakers = said.map(speakerOf);
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

/** Who says it, where a conversation has several speakers. */
function speakerOf(text: string): string | undefined {
  return asksRepeat.test(text) ? undefined : speaker.exec(text)?.[1];
}

/** A question shortened to one line, for a quote. */
export function quoted(question: string): string {
  const line = question.replace(/\s+/g, ' ').trim();
  return line.length > maxQuoteLength ? `${line.slice(0, maxQuoteLength).toWellFormed()}…` : line;
}

function nameIn(text: string): string | undefined {
  for (const pattern of names) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined && !asksForName.test(name)) return name;
  }
  return undefined;
}
