import { shortened } from '../../../lib/text.ts';
import { type AnyValues, type Locale, messageItIsAbout, type Person } from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import { slackWords } from '../words.ts';
import { escapeMrkdwn } from './safe-text.ts';

/** How much of a question is shown above its answer, in characters. */
const headerLength = 300;

/**
 * The line above an answer: who asked what, because nobody else saw the command or button. `how` is the command or
 * the button’s label. Who it was is left out where only they see it.
 */
export function answerHeader(
  { name, locale }: Partial<Pick<Person, 'name'>> & Pick<Person, 'locale'>,
  how: string,
  text = '',
  values: AnyValues = {},
): string {
  const command = escapeMrkdwn(how);
  const who = name === undefined ? `\`${command}\`` : slackWords(locale).asked(escapeMrkdwn(name), command);
  return [who, aboutLink(values, locale), escapeMrkdwn(asked(text))].filter(Boolean).join(' ');
}

/** The line above an answer in a thread, where several people may have asked: whose question it answers. */
export function speakerHeader({ name, locale }: Person, text: string): string {
  const short = asked(text);
  const { colon } = slackWords(locale);
  return `*${escapeMrkdwn(name)}*${short === '' ? '' : `${colon}${escapeMrkdwn(short)}`}`;
}

function asked(text: string): string {
  return shortened(text.replace(/\s+/gu, ' ').trim(), headerLength);
}

/** Whose message the command is about, with a link to it. */
function aboutLink(values: AnyValues, locale: Locale): string {
  const message = messageItIsAbout(values);
  if (!message) return '';
  const text = escapeMrkdwn(words(locale).aboutMessage(message.author)).replaceAll('|', '¦');
  return message.link === undefined ? text : `<${escapeMrkdwn(message.link)}|${text}>`;
}
