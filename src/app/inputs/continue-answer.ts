import { endOf, ownMessage, type Quote, quoted, repliedTo } from '../../conversation/index.ts';
import { isPrivate, type Job } from '../../port/index.ts';
import { words } from '../../words/index.ts';
import { inItsThread } from '../answers/answer-thread.ts';
import { answerText } from '../answers/answer-versions.ts';
import type { AskValues } from '../answers/write-answer.ts';
import type { CommandAction } from '../define-command.ts';
import { titleOf } from '../format-text.ts';
import { maxQuoteTokens } from './chosen-message.ts';

/**
 * *Continue*: goes on with the answer it stands under, whatever was said since. Its end goes along as a quote, of which the
 * conversation leaves out what it has.
 */
export const continueAnswer: CommandAction = {
  who: 'requester',
  async call({ job, requester, text: shown }, dependencies) {
    const { continuePrompt: prompt, answerGone } = words(requester.locale);
    const answer = await answerText(job, shown, dependencies);
    if (!answer) return { refused: answerGone };
    const { model, continues } = job.options;
    const end = quotedAnswer(job, { text: endOf(answer.text, maxQuoteTokens), keep: 'whole' });
    const same = { ...(model && { model }), ...(continues && { continues }), ...end };
    return { command: 'ask', options: { prompt, ...same, ...(await inItsThread(job, dependencies)) } };
  },
};

/** How much of the answer the form shows, in characters. */
const maxNote = 200;

/**
 * *Reply*: a form whose question goes on with the answer's conversation, for everybody who may ask there. Nobody has to
 * write a message that the bot may read. What the conversation of who asks doesn't have of the answer goes along as a quote.
 */
export const replyToAnswer: CommandAction = {
  who: 'anyone',
  form: (job, locale, shown = '') => ({
    title: words(locale).reply,
    command: 'ask',
    fields: ['prompt'],
    values: {},
    ...(shown !== '' && { note: titleOf(shown, maxNote) }),
    ...(!isPrivate(job) && { isBelow: true }),
  }),
  async call({ job, requester, values, text }, dependencies) {
    const answer = await answerText(job, text, dependencies);
    if (!answer) return { refused: words(requester.locale).answerGone };
    const quote = quotedAnswer(job, { text: answer.text });
    return { command: 'ask', options: { ...values, ...quote, ...(await inItsThread(job, dependencies)) } };
  },
};

/**
 * The values of `/ask` with which a question goes on with an answer: its text, or a part of it, as a quote that's forgotten
 * with it. What stands though its question was deleted is its requester's alone, who may go on with it.
 */
function quotedAnswer({ id, deleted }: Job, quote: Pick<Quote, 'text' | 'keep'>): Pick<AskValues, 'context'> {
  const sources = deleted === undefined ? [id] : [];
  const context = quoted([{ title: `${ownMessage}${repliedTo}`, sources, ...quote }], maxQuoteTokens);
  return context === undefined ? {} : { context };
}
