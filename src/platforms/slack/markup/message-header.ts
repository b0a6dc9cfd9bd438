import type { Person } from '../../../port/index.ts';
import { slackWords } from '../words.ts';
import { escapeMrkdwn } from './safe-text.ts';

/** How much of a question is shown above its answer, in characters. */
const headerLength = 300;

/**
 * The line above an answer: who asked what, because nobody else saw the command or button. `how` is the command or
 * the button’s label.
 */
export function answerHeader({ name, locale }: Person, how: string, text = ''): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  const short = line.length > headerLength ? `${line.slice(0, headerLength - 1)}…` : line;
  const asked = slackWords(locale).asked(escapeMrkdwn(name), escapeMrkdwn(how));
  return [asked, escapeMrkdwn(short)].filter(Boolean).join(' ');
}
