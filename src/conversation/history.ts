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
 * Drops the oldest whole exchanges until the rest fits into `maxTokens`. The newest always stays: without it
 * nobody could go on from a long answer.
 */
export function trim(exchanges: readonly Exchange[], maxTokens: number): readonly Exchange[] {
  let tokens = 0;
  let first = exchanges.length;
  while (first > 0) {
    tokens += exchanges[first - 1]?.tokens ?? 0;
    if (tokens > maxTokens && first < exchanges.length) break;
    first--;
  }
  return exchanges.slice(first);
}

/**
 * The messages of a chat request: the system prompt, the history, the new question. Where several people
 * speak, each is told apart by name.
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

/** A name cannot pretend to be somebody else's line. */
function oneLine(name: string): string {
  return name.replace(/[\s:：]+/gu, ' ').trim();
}
