import type { ButtonPress } from '../../engine/index.ts';
import type { CommandCall, Job, Person, RunEnd } from '../../port/index.ts';
import type { Ending } from '../../reply/index.ts';
import { speech } from '../../service-rules/limits.ts';
import { withoutMachineNotes, type Words, words } from '../../words/index.ts';
import type { CommandDependencies } from '../define-command.ts';
import { answerReadBy, personaOf, placeOfBegun } from '../job-context.ts';

/** An answer as far as it's known. */
export interface AnswerText {
  readonly text: string;
  /** How it ended, where that's known. */
  readonly ending?: Ending;
  /** It's what the message with the button says: perhaps the last part of a longer answer. */
  readonly isShownPart: boolean;
}

/**
 * The text of an answer: from its conversation or its versions, or what its message says (`shown`) once the conversation has been reset or
 * forgotten. Undefined if neither has it.
 */
export async function answerText(
  job: Job,
  shown: string | undefined,
  { conversations, placeSettings, answerVersions }: CommandDependencies,
): Promise<AnswerText | undefined> {
  const settings = await placeSettings.at(job.address);
  const { conversation } = await placeOfBegun(job, settings, { conversations });
  const kept = await conversations.answerTo(conversation, job.id);
  if (kept) return { ...kept, isShownPart: false };
  const text = await answerVersions.textOf(job.id);
  if (text !== undefined) return { text, isShownPart: false };
  return shown?.trim() ? { text: withoutMachineNotes(shown), isShownPart: true } : undefined;
}

/** For how long the same person's press under the same answer makes no second clip, in milliseconds. */
const sameFor = 2 * 60_000;

type Press = Pick<ButtonPress, 'job' | 'requester' | 'text'>;

/**
 * Reads an answer aloud: `/speak` with its text, or why that can't be done. In the voice of the persona that was asked; a
 * channel's own comes after a person's.
 */
export async function listenTo(
  { job, requester, text: shown }: Press,
  dependencies: CommandDependencies,
): Promise<CommandCall | { readonly refused: string }> {
  const say = words(requester.locale);
  if (await dependencies.notes.has(clipKey(job.id, requester))) return { refused: say.alreadyRead };
  const answer = await answerText(job, shown, dependencies);
  if (!answer) return { refused: say.answerGone };
  const whole = speakable(answer.text, say);
  if (whole === '') return { refused: say.nothingToRead };
  const text = cutAtSentence(whole, speech.maxInputBytes);
  const part = answer.isShownPart ? 'shown' : text === whole ? undefined : 'beginning';
  const { voice, isChannels } = (await personaOf(job, dependencies)) ?? {};
  const isOwn = voice !== undefined && !isChannels && (await dependencies.voiceList.mayHave(voice));
  const options = { text, answer: job.id, ...(part && { part }), ...(isOwn && { voice }) };
  return { command: 'speak', options };
}

/**
 * Makes a clip of an answer, unless the same person has one on its way or got it a moment ago: then `repeated` is done,
 * and nothing is spent. One that failed can be tried again at once. Other texts are read whenever somebody asks.
 */
export async function oncePerAnswer(
  job: Pick<Job, 'options' | 'requester'>,
  dependencies: CommandDependencies,
  make: () => Promise<RunEnd>,
  repeated: () => Promise<void>,
): Promise<RunEnd> {
  const answer = answerReadBy(job);
  if (answer === undefined) return make();
  const key = clipKey(answer, job.requester);
  if (!(await dependencies.firstTime(key, sameFor))) {
    await repeated();
    return { outcome: 'refused', reason: 'rules' };
  }
  try {
    return await make();
  } catch (error) {
    await mayReadAgain(job, dependencies);
    throw error;
  }
}

/** A clip of an answer that came to nothing can be asked for again at once. */
export async function mayReadAgain(
  job: Pick<Job, 'options' | 'requester'>,
  { notes }: CommandDependencies,
): Promise<void> {
  const answer = answerReadBy(job);
  if (answer !== undefined) await notes.delete(clipKey(answer, job.requester));
}

function clipKey(answer: string, { id }: Pick<Person, 'id'>): string {
  return `clip ${answer} ${id}`;
}

const fence = /^ {0,3}(`{3,}|~{3,})/;
/** Marks at the beginning of a line: headings, quotes, list items, Discord's small print. */
const lineMark = /^\s{0,8}(?:#{1,6} |> ?|[-*+] |-# )/;
const tableRule = /^[\s|:-]+$/;
/** `![alt](address)` and `[label](address)`; their parts have a maximum length, so that matching takes linear time. */
const link = /!?\[([^[\]\n]{0,500})\]\([^()\s]{0,2000}\)/g;
const bareAddress = /https?:\/\/([^\s/<>()]{1,253})[^\s<>()]{0,2000}/g;
const emphasis = /(\*{1,3}|_{2}|~~|`+)/g;

/** Markdown as one would read it aloud: without marks and addresses; code is only mentioned. */
export function speakable(markdown: string, { codeLeftOut }: Pick<Words, 'codeLeftOut'>): string {
  const lines: string[] = [];
  let closing: string | undefined;
  for (const line of markdown.split('\n')) {
    const [, mark] = fence.exec(line) ?? [];
    if (closing !== undefined) {
      if (mark?.startsWith(closing)) closing = undefined;
    } else if (mark) {
      closing = mark;
      lines.push(codeLeftOut);
    } else lines.push(spokenLine(line));
  }
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function spokenLine(line: string): string {
  if (line.includes('|') && tableRule.test(line)) return '';
  let text = line.trimEnd();
  while (lineMark.test(text)) text = text.replace(lineMark, '');
  if (text.startsWith('|')) text = cells(text).join(', ');
  return text.replace(link, '$1').replace(bareAddress, '$1').replace(emphasis, '');
}

function cells(row: string): string[] {
  return row
    .split('|')
    .map((cell) => cell.trim())
    .filter(Boolean);
}

/** Where a sentence ends. */
const sentenceEnd = /[.!?…](?=\s)|[。！？；\n]/g;

/** The beginning of a text that has at most so many bytes of UTF-8, up to the end of a sentence where there is one. */
export function cutAtSentence(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const fitting = firstBytes(text, maxBytes);
  let end = 0;
  for (const match of fitting.matchAll(sentenceEnd)) end = match.index + match[0].length;
  // A sentence without an end in sight is cut between words.
  const space = fitting.lastIndexOf(' ');
  const cut = end > 0 ? end : space > 0 ? space : fitting.length;
  return fitting.slice(0, cut).trim();
}

function firstBytes(text: string, maxBytes: number): string {
  // A character that is cut in the middle decodes to U+FFFD.
  return Buffer.from(text)
    .subarray(0, maxBytes)
    .toString()
    .replace(/\uFFFD+$/, '');
}
