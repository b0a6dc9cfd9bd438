import { quoted } from '../../conversation/index.ts';
import { aboutMessage, type Beginning, type ChosenMessage, type Locale } from '../../port/index.ts';
import { image, speech } from '../../service-rules/limits.ts';
import { words } from '../../words/index.ts';
import { cutAtSentence, speakable } from '../answers/listen.ts';
import { titleOf } from '../format-text.ts';

/** How much of a message is quoted to the model, in estimated tokens. Slack's messages have up to 40,000 characters. */
export const maxQuoteTokens = 4_000;
/** How much of a message its form shows, in characters. */
const maxNote = 300;

/** The message as a quote for the model; a question about it is asked with it. */
export function askAbout(message: ChosenMessage, locale: Locale): Beginning {
  const names = message.files.map(({ name, contentType }) => `${name} (${contentType || 'unknown type'})`);
  const text = [
    message.text,
    ...(names.length > 0 ? [`(Attached, but you can't see or hear it: ${names.join(', ')})`] : []),
  ];
  const quote = text.filter(Boolean).join('\n\n') || '(a message without text)';
  const { author, sources } = message;
  const title = `message from ${author}`;
  const from = sources && { sources };
  const context = quoted([{ title, text: quote, ...from }], maxQuoteTokens) ?? '';
  return { values: {}, added: { context, ...aboutMessage(message) }, note: noteOn(message, locale) };
}

/** The message's text as it's read aloud. */
export function speakThis(message: ChosenMessage, locale: Locale): Beginning | { readonly refused: string } {
  const say = words(locale);
  const whole = speakable(message.text, say);
  if (whole === '') return { refused: say.nothingToRead };
  const text = cutAtSentence(whole, speech.maxInputBytes);
  return {
    values: { text },
    added: aboutMessage(message),
    ...(text !== whole && { note: say.onlyBeginning }),
  };
}

/** The message's text as a prompt, its images as references. */
export function imagineThis(message: ChosenMessage, locale: Locale): Beginning {
  const say = words(locale);
  const images = message.files
    .filter(({ contentType }) => contentType.startsWith('image/'))
    .slice(0, image.maxReferences);
  const references = Object.fromEntries(images.map((file, index) => [`reference_${index + 1}`, file]));
  const prompt = [...message.text.trim()].slice(0, image.maxPromptCharacters).join('');
  return {
    values: { prompt },
    added: { ...references, ...aboutMessage(message) },
    ...(images.length > 0 && { note: say.imagesGoAlong(images.length) }),
  };
}

function noteOn({ author, text }: ChosenMessage, locale: Locale): string {
  return words(locale).messageOf(titleOf(author, 40), titleOf(text, maxNote));
}
