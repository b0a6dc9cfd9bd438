import { ownMessage, type Quote, quoted, quotedFile, repliedTo } from '../../conversation/index.ts';
import { endOfTokens, titleOf } from '../../lib/text.ts';
import { noPersona } from '../../place-settings/index.ts';
import {
  aboutMessage,
  type Beginning,
  type ChosenMessage,
  isPrivate,
  type Job,
  type Locale,
} from '../../port/index.ts';
import { image, speech } from '../../service-rules/limits.ts';
import { fileNotes, withoutMachineNotes, words } from '../../words/index.ts';
import { answerText, cutAtSentence, speakable } from '../answers/listen.ts';
import type { AskValues } from '../answers/write-answer.ts';
import type { CommandAction } from '../define-command.ts';
import { inItsThread, personaOf } from '../job-context.ts';

/** How much of a message is quoted to the model, in estimated tokens. Slack's messages have up to 40,000 characters. */
const maxQuoteTokens = 4_000;
/** How much of a message its form shows, in characters. */
const maxMessageNote = 300;

/** The message and its text files as quotes for the model; a question about it is asked with them. */
export function askAbout(message: ChosenMessage, locale: Locale): Beginning {
  const { author, sources, texts, fileSources = [] } = message;
  const read = texts?.read ?? [];
  const names = message.files
    .filter((one) => !read.some(({ file }) => file === one))
    .map(({ name, contentType }) => `${name} (${contentType || 'unknown type'})`);
  const text = [
    withoutMachineNotes(message.text),
    ...(names.length > 0 ? [`(Attached, but you can't see or hear it: ${names.join(', ')})`] : []),
  ];
  const quote = text.filter(Boolean).join('\n\n') || '(a message without text)';
  const title = `message from ${author}`;
  const from = sources && { sources };
  const ofFile = sources && { sources: [...sources, ...fileSources] };
  const files = read.map(({ name, text: whole }): Quote => ({
    ...quotedFile({ name, text: whole, ...ofFile }),
    keep: 'whole',
  }));
  const context = quoted([{ title, text: quote, ...from }, ...files], maxQuoteTokens) ?? '';
  const notes = texts ? fileNotes(texts, locale).map((line) => line.replaceAll('`', '')) : [];
  const note = [noteOn(message, locale), ...notes].join('\n');
  return { values: {}, added: { context, ...aboutMessage(message) }, note };
}

/** The message as something to report. */
export function reportThis(message: ChosenMessage, locale: Locale): Beginning | { readonly refused: string } {
  const { isPersons, link, sources = [] } = message;
  const [reported] = sources;
  if (isPersons || reported === undefined) return { refused: words(locale).reporting.unknown };
  const added = { reported, ...(link !== undefined && { reported_link: link }) };
  return { values: {}, added, note: noteOn(message, locale) };
}

/** The message's text as it's read aloud. */
export function speakThis(message: ChosenMessage, locale: Locale): Beginning | { readonly refused: string } {
  const say = words(locale);
  const whole = speakable(withoutMachineNotes(message.text), say);
  if (whole === '') return { refused: say.nothingToRead };
  const text = cutAtSentence(whole, speech.maxInputBytes);
  const from = message.sources && { made_of: message.sources };
  return {
    values: { text },
    added: { ...aboutMessage(message), ...from },
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
  const prompt = [...withoutMachineNotes(message.text).trim()].slice(0, image.maxPromptCharacters).join('');
  const from = message.sources && { made_of: message.sources };
  return {
    values: { prompt },
    added: { ...references, ...aboutMessage(message), ...from },
    ...(images.length > 0 && { note: say.imagesGoAlong(images.length) }),
  };
}

function noteOn({ author, text }: ChosenMessage, locale: Locale): string {
  return words(locale).messageOf(titleOf(author, 40), titleOf(text, maxMessageNote));
}

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
    const end = quotedAnswer(job, { text: endOfTokens(answer.text, maxQuoteTokens), keep: 'whole' });
    const as = (await personaOf(job, dependencies))?.name ?? noPersona;
    const same = { as, ...(model && { model }), ...(continues && { continues }), ...end };
    const from = { made_of: [job.id] };
    return {
      command: 'ask',
      options: { prompt, ...same, ...from, ...(await inItsThread(job, dependencies)) },
    };
  },
};

/** How much of the answer the form shows, in characters. */
const maxAnswerNote = 200;

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
    ...(shown !== '' && { note: titleOf(shown, maxAnswerNote) }),
    ...(!isPrivate(job) && { isBelow: true }),
  }),
  async call({ job, requester, values, text }, dependencies) {
    const answer = await answerText(job, text, dependencies);
    if (!answer) return { refused: words(requester.locale).answerGone };
    const quote = quotedAnswer(job, { text: answer.text });
    const persona = await personaOf(job, dependencies);
    return {
      command: 'ask',
      options: {
        ...values,
        ...(persona && !persona.isChannels && { as: persona.name }),
        ...quote,
        ...(await inItsThread(job, dependencies)),
      },
    };
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
