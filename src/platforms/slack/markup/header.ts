import type { Person } from '../../../port/index.ts';
import { slackWords } from '../words.ts';
import { escapeMrkdwn } from './safe-text.ts';

/** So much of a question stands above its answer, in characters. */
const headerLength = 300;

/**
 * The line above an answer: who asked what, for nobody else saw the command typed or the button pressed. `how`
 * is the command or the button's label.
 */
export function answerHeader({ name, locale }: Person, how: string, text = ''): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  const short = line.length > headerLength ? `${line.slice(0, headerLength - 1)}…` : line;
  const asked = slackWords(locale).asked(escapeMrkdwn(name), escapeMrkdwn(how));
  return [asked, escapeMrkdwn(short)].filter(Boolean).join(' ');
}
