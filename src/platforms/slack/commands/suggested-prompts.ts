import type { Locale } from '../../../port/index.ts';
import { suggestedQuestions } from '../../../words/suggested-questions.ts';

/** Suggested prompts in the bot’s direct messages: pressing one sends its message. */
export function suggestedPrompts(locale: Locale): { title: string; message: string }[] {
  return suggestedQuestions[locale].map(({ title, message }) => ({ title, message }));
}
