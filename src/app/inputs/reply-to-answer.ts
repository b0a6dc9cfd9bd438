import { isPrivate } from '../../port/index.ts';
import { words } from '../../words/index.ts';
import { answerText } from '../answers/answer-text.ts';
import { inItsThread } from '../answers/answer-thread.ts';
import type { CommandAction } from '../define-command.ts';
import { titleOf } from '../format-text.ts';
import { quotedAnswer } from './quoted-answer.ts';

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
