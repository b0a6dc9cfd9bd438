import type Keyv from 'keyv';
import { z } from 'zod';
import type { ButtonPress } from '../../engine/index.ts';
import type { CommandCall, Job, Person, RunEnd } from '../../port/index.ts';
import { speech } from '../../service-rules/limits.ts';
import type { FirstTime } from '../../store/index.ts';
import { words } from '../../words/index.ts';
import { answerText } from './answer-text.ts';
import { cutAtSentence, speakable } from './speakable.ts';

/** For how long the same person's press under the same answer makes no second clip, in milliseconds. */
const sameFor = 2 * 60_000;

/** Which answer a clip reads, and how much of it: values of `/speak` that nobody can type. */
export const readAnswer = z.object({
  /** The job of the answer. */
  answer: z.string().exactOptional(),
  /** `beginning`: the rest is too long for a clip; `shown`: only the text of its message is known. */
  part: z.enum(['beginning', 'shown']).exactOptional(),
});

/** The job of the answer that a clip reads; undefined for other texts. */
export function answerReadBy({ options: { answer } }: Pick<Job, 'options'>): string | undefined {
  return typeof answer === 'string' ? answer : undefined;
}

/** Remembers who had which answer read. */
interface ClipRecords {
  readonly notes: Pick<Keyv, 'has' | 'delete'>;
  /** True on the first call for a key of `notes`, and again once so many milliseconds have passed. */
  readonly firstTime: FirstTime;
}

type Press = Pick<ButtonPress, 'job' | 'requester' | 'text'>;

/** Reads an answer aloud: `/speak` with its text, or why that can't be done. */
export async function listenTo(
  { job, requester, text: shown }: Press,
  dependencies: Parameters<typeof answerText>[2] & Pick<ClipRecords, 'notes'>,
): Promise<CommandCall | { readonly refused: string }> {
  const say = words(requester.locale);
  if (await dependencies.notes.has(clipKey(job.id, requester))) return { refused: say.alreadyRead };
  const answer = await answerText(job, shown, dependencies);
  if (!answer) return { refused: say.answerGone };
  const whole = speakable(answer.text, say);
  if (whole === '') return { refused: say.nothingToRead };
  const text = cutAtSentence(whole, speech.maxInputBytes);
  const part = answer.isShownPart ? 'shown' : text === whole ? undefined : 'beginning';
  return { command: 'speak', options: { text, answer: job.id, ...(part && { part }) } };
}

/**
 * Makes a clip of an answer, unless the same person has one on its way or got it a moment ago: then `repeated` is done,
 * and nothing is spent. One that failed can be tried again at once. Other texts are read whenever somebody asks.
 */
export async function oncePerAnswer(
  job: Pick<Job, 'options' | 'requester'>,
  { firstTime, notes }: ClipRecords,
  make: () => Promise<RunEnd>,
  repeated: () => Promise<void>,
): Promise<RunEnd> {
  const answer = answerReadBy(job);
  if (answer === undefined) return make();
  const key = clipKey(answer, job.requester);
  if (!(await firstTime(key, sameFor))) {
    await repeated();
    return { outcome: 'refused', reason: 'rules' };
  }
  try {
    return await make();
  } catch (error) {
    await mayReadAgain(job, { notes });
    throw error;
  }
}

/** A clip of an answer that came to nothing can be asked for again at once. */
export async function mayReadAgain(
  job: Pick<Job, 'options' | 'requester'>,
  { notes }: Pick<ClipRecords, 'notes'>,
): Promise<void> {
  const answer = answerReadBy(job);
  if (answer !== undefined) await notes.delete(clipKey(answer, job.requester));
}

function clipKey(answer: string, { id }: Pick<Person, 'id'>): string {
  return `clip ${answer} ${id}`;
}
