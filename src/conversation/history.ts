import { estimateTokens } from './tokens.ts';

/** One question with its answer. Only turns with an answer are kept. */
export interface Exchange {
  readonly jobId: string;
  readonly speaker: string;
  readonly asked: string;
  readonly answered: string;
  /** Estimated, both sides together. */
  readonly tokens: number;
}

/**
 * A turn that has begun and has no answer yet: its position in the history, so that turns side by side are kept in the
 * order in which they began, whichever ends first, and after a crash too.
 */
export interface OpenTurn {
  readonly jobId: string;
  readonly open: true;
  /** The job whose exchange the answer replaces. */
  readonly replaces?: string;
}

/** An entry of a conversation's history, in the order in which turns began. */
export type Entry = Exchange | OpenTurn;

export function isAnswered(entry: Entry): entry is Exchange {
  return !('open' in entry);
}

/** A message as the service takes it. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Makes an exchange with its estimate of tokens. */
export function exchangeOf(exchange: Omit<Exchange, 'tokens'>): Exchange {
  return { ...exchange, tokens: estimateTokens(exchange.asked) + estimateTokens(exchange.answered) };
}

/**
 * Drops the oldest exchanges until the rest fits into `maxTokens`. The newest always stays, so that a long answer can be
 * continued, and so do turns without an answer yet.
 */
export function trim(entries: readonly Entry[], maxTokens: number): readonly Entry[] {
  const newest = entries.findLast(isAnswered);
  let tokens = 0;
  let isFull = false;
  const kept = entries.toReversed().filter((entry) => {
    if (!isAnswered(entry)) return true;
    tokens += entry.tokens;
    isFull ||= tokens > maxTokens && entry !== newest;
    return !isFull;
  });
  return kept.reverse();
}

/**
 * The messages of a chat request: the system prompt, the history, the new question. Where several people
 * take part, each question begins with a name.
 */
export function messagesOf(
  systemPrompt: string,
  exchanges: readonly Exchange[],
  question: { readonly speaker: string; readonly asked: string },
): ChatMessage[] {
  const several = exchanges.some((exchange) => exchange.speaker !== question.speaker);
  const said = (speaker: string, text: string) => (several ? `${oneLine(speaker)}: ${text}` : text);
  return [
    { role: 'system', content: systemPrompt },
    ...exchanges.flatMap((exchange): ChatMessage[] => [
      { role: 'user', content: said(exchange.speaker, exchange.asked) },
      { role: 'assistant', content: exchange.answered },
    ]),
    { role: 'user', content: said(question.speaker, question.asked) },
  ];
}

/** A name on one line, so that it can't pretend to be somebody else's question. */
function oneLine(name: string): string {
  return name.replace(/[\s:：]+/gu, ' ').trim();
}
