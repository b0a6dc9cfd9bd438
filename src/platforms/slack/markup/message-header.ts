import { type AnyValues, type Locale, messageItIsAbout, type Person } from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import { slackWords } from '../words.ts';
import { escapeMrkdwn } from './safe-text.ts';

/** How much of a question is shown above its answer, in characters. */
const headerLength = 300;

/**
 * The line above an answer: who asked what, because nobody else saw the command or button. `how` is the command or
 * the button’s label.
 */
export function answerHeader(
  { name, locale }: Pick<Person, 'name' | 'locale'>,
  how: string,
  text = '',
  values: AnyValues = {},
): string {
  const asked = slackWords(locale).asked(escapeMrkdwn(name), escapeMrkdwn(how));
  return [asked, aboutLink(values, locale), escapeMrkdwn(shortened(text))].filter(Boolean).join(' ');
}

/** The line above an answer in a thread, where several people may have asked: whose question it answers. */
export function speakerHeader({ name, locale }: Person, text: string): string {
  const short = shortened(text);
  const { colon } = slackWords(locale);
  return `*${escapeMrkdwn(name)}*${short === '' ? '' : `${colon}${escapeMrkdwn(short)}`}`;
}

function shortened(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length > headerLength ? `${line.slice(0, headerLength - 1)}…` : line;
}

/** Whose message the command is about, with a link to it. */
function aboutLink(values: AnyValues, locale: Locale): string {
  const message = messageItIsAbout(values);
  if (!message) return '';
  const text = escapeMrkdwn(words(locale).aboutMessage(message.author)).replaceAll('|', '¦');
  return message.link === undefined ? text : `<${escapeMrkdwn(message.link)}|${text}>`;
}
