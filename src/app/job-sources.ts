import { z } from 'zod';
import type { Job, MessageAddress } from '../port/index.ts';

/** Which answer a clip reads, and how much of it: values of `/speak` that nobody can type. */
export const readAnswer = z.object({
  /** The job of the answer. */
  answer: z.string().exactOptional(),
  /** `beginning`: the rest is too long for a clip; `shown`: only the text of its message is known. */
  part: z.enum(['beginning', 'shown']).exactOptional(),
});

/** Whose image a command of a button is made from: a value that nobody can type. Who asks for the same again uses it again. */
export const imageUsed = z.object({
  /** The job that made it. */
  image_of: z.string().exactOptional(),
});

type Options = Pick<Job, 'options'>;

/** The job of the answer that a clip reads; undefined for other texts. */
export function answerReadBy({ options: { answer } }: Options): string | undefined {
  return typeof answer === 'string' ? answer : undefined;
}

/** The job that drew the first version of an image. */
export function rootOf({ id, options: { version_of: root } }: Pick<Job, 'id' | 'options'>): string {
  return typeof root === 'string' ? root : id;
}

/** The message in which a new version of an answer is written. */
export function rewrittenBy({
  address,
  options: { rewrites },
}: Pick<Job, 'address' | 'options'>): MessageAddress | undefined {
  return typeof rewrites === 'string' ? { ...address, message: rewrites } : undefined;
}

/** The job of the answer, or of the image's first version, in whose message a new version is made. */
export function replacedBy(job: Job): string | undefined {
  if (rootOf(job) !== job.id) return rootOf(job);
  const { replaces } = job.options;
  return rewrittenBy(job) && typeof replaces === 'string' ? replaces : undefined;
}

/** The jobs whose answer a job reads, or whose image it's made from or replaces, or whose answer it replaces. */
export function sourcesOf(job: Job): ReadonlySet<string> {
  const { image_of: image } = job.options;
  const sources = [replacedBy(job), answerReadBy(job), typeof image === 'string' ? image : undefined];
  return new Set(sources.filter((source) => source !== undefined));
}
