import { endOf } from '../../conversation/index.ts';
import { words } from '../../words/index.ts';
import { answerText } from '../answers/answer-text.ts';
import { inItsThread } from '../answers/answer-thread.ts';
import type { CommandAction } from '../define-command.ts';
import { maxQuoteTokens } from './chosen-message.ts';
import { quotedAnswer } from './quoted-answer.ts';

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
