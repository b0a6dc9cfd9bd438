import { z } from 'zod';
import type { Question } from '../conversation/index.ts';
import { noPersona, type Persona, personaNamed, type PlaceSettings } from '../place-settings/index.ts';
import type { AnyValues, Job, MessageAddress } from '../port/index.ts';

/**
 * What a command of a button, a menu or a reply is made from: a value that nobody can type. Who asks for the same again uses it
 * again.
 */
export const madeOf = z.object({
  /** Jobs of answers and images, and messages (`messageSource`). */
  made_of: z.array(z.string()).exactOptional(),
  /** The job of an image, in rows of earlier versions. */
  image_of: z.string().exactOptional(),
});

/** What a command is made from, by its values. */
export function sourcesIn(values: AnyValues = {}): readonly string[] {
  const { made_of: sources = [], image_of: image } = madeOf.safeParse(values).data ?? {};
  return image === undefined ? sources : [...sources, image];
}

/** What a clip is made from, or which answer it reads, and how much of it: values of `/speak` that nobody can type. */
export const readAnswer = madeOf.extend({
  /** The job of the answer. */
  answer: z.string().exactOptional(),
  /** `beginning`: the rest is too long for a clip; `shown`: only the text of its message is known. */
  part: z.enum(['beginning', 'shown']).exactOptional(),
});

type Options = Pick<Job, 'options'>;

/** What a job was asked for, or to speak; empty where its command has neither, or that's deleted. */
export function promptOf({ options }: Options): string {
  return String(options.prompt ?? options.text ?? '');
}

/** The question of a job, as its conversation keeps it. */
export function questionOf({ id, requester, options }: Pick<Job, 'id' | 'requester' | 'options'>): Question {
  const { prompt = '', context, replaces } = options;
  return {
    jobId: id,
    speaker: requester.name,
    asked: String(prompt),
    ...(typeof context === 'string' && { context }),
    ...(typeof replaces === 'string' && { replaces }),
  };
}

/** The job of the answer that a clip reads; undefined for other texts. */
export function answerReadBy({ options: { answer } }: Options): string | undefined {
  return typeof answer === 'string' ? answer : undefined;
}

/** The job that drew the first version of an image. */
export function rootOf({ id, options: { version_of: root } }: Pick<Job, 'id' | 'options'>): string {
  return typeof root === 'string' ? root : id;
}

/** Whose name stands above a job's answer: the persona's that answers. All versions of an answer have the same. */
export function spokenBy({ options: { as } }: Options): { readonly persona?: string } {
  return typeof as === 'string' && as !== noPersona ? { persona: as } : {};
}

/** That persona; undefined where nobody's answers, or it's gone. `isChannels`: it's what its channel has chosen, too. */
export async function personaOf(
  { address, options: { as } }: Pick<Job, 'address' | 'options'>,
  { placeSettings }: { readonly placeSettings: Pick<PlaceSettings, 'at'> },
): Promise<(Persona & { readonly isChannels: boolean }) | undefined> {
  if (typeof as !== 'string') return undefined;
  const { personas, values } = await placeSettings.at(address);
  const persona = personaNamed(as, personas);
  return persona && { ...persona, isChannels: personaNamed(values.as, personas) === persona };
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

/** What a job is made from, and whose answer it reads or replaces, or image it replaces. */
export function sourcesOf(job: Job): ReadonlySet<string> {
  const sources = [replacedBy(job), answerReadBy(job), ...sourcesIn(job.options)];
  return new Set(sources.filter((source) => source !== undefined));
}
