import { ownMessage, type Quote, quoted, repliedTo } from '../../conversation/index.ts';
import type { Job } from '../../port/index.ts';
import type { AskValues } from '../answers/write-answer.ts';
import { maxQuoteTokens } from './chosen-message.ts';

/**
 * The values of `/ask` with which a question goes on with an answer: its text, or a part of it, as a quote that's forgotten
 * with it. What stands though its question was deleted is its requester's alone, who may go on with it.
 */
export function quotedAnswer(
  { id, deleted }: Job,
  quote: Pick<Quote, 'text' | 'keep'>,
): Pick<AskValues, 'context'> {
  const sources = deleted === undefined ? [id] : [];
  const context = quoted([{ title: `${ownMessage}${repliedTo}`, sources, ...quote }], maxQuoteTokens);
  return context === undefined ? {} : { context };
}
