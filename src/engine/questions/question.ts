import { actionId, type Job, type Message } from '../../port/index.ts';
import type { Words } from '../../words/index.ts';
import type { Admitted } from '../admission.ts';
import type { Command } from '../command.ts';

/**
 * How long a question can be answered, in milliseconds. On Discord one that only its person sees is edited by its
 * interaction's token, which is over after 15 minutes.
 */
export const questionLife = 12 * 60_000;

/** The buttons under a question: the command, nothing, or what else may have been meant. */
export const questionAnswers = ['yes', 'no', 'instead'] as const;
export type QuestionAnswer = (typeof questionAnswers)[number];

/** A command that its requester is asked about, and the one that they may have meant instead. */
export type AskedCommand = Admitted & Pick<Job, 'instead'>;

/** What stands there as long as nobody has answered: what a command costs, or which of two is meant. */
export function questionAbout(
  command: Pick<Command, 'name'>,
  job: Pick<Job, 'id'>,
  { question = '', cost = '', instead }: Pick<AskedCommand, 'question' | 'cost' | 'instead'>,
  say: Words,
): Message {
  const button = (answer: QuestionAnswer, label: string) => ({
    id: actionId(command.name, answer, job.id),
    label,
    ...(answer === 'yes' && { style: 'primary' as const }),
  });
  const { yes, no } = say.question;
  if (!instead) return { text: question, buttons: [button('yes', yes), button('no', no)] };
  const { text, order, instead: other } = say.either;
  return {
    text: text(command.name),
    buttons: [button('yes', order(command.name, cost)), button('instead', other)],
  };
}
