import type { ButtonPress } from '../../engine/index.ts';
import { adapterOf, type IncomingFile, undefinedIfRefused } from '../../port/index.ts';
import type { CommandDependencies } from '../command-dependencies.ts';
import { InputError } from '../faults/input-error.ts';

/** How long the file of a chosen image is remembered, in milliseconds: shorter than any platform's addresses live. */
const choiceLife = 3_600_000;

/** The image a button is about: of its own message, or one of several that were posted in another. */
export async function imageIn(press: ButtonPress, dependencies: CommandDependencies): Promise<IncomingFile> {
  const file =
    press.argument === undefined
      ? (await filesOf(press, dependencies)).find(isImage)
      : await chosenImage(press, press.argument, dependencies);
  if (!file) throw new InputError((say) => say.errors.resultGone);
  return file;
}

/**
 * Remembers the image that was chosen from a message, where the event told its files: the message may be out of reach
 * later, because the bot isn't a member.
 */
export async function rememberFile(press: ButtonPress, { notes }: CommandDependencies): Promise<void> {
  const { files = [], argument } = press;
  const file = argument === undefined ? undefined : files.filter(isImage)[argument - 1];
  if (file) await notes.set(noteOf(press), file, choiceLife);
}

async function filesOf(
  { message, files }: ButtonPress,
  dependencies: CommandDependencies,
): Promise<readonly IncomingFile[]> {
  return files ?? adapterOf(dependencies, message).attachments(message);
}

async function chosenImage(
  press: ButtonPress,
  number: number,
  dependencies: CommandDependencies,
): Promise<IncomingFile | undefined> {
  const remembered: IncomingFile | undefined = await dependencies.notes.get(noteOf(press));
  if (remembered) return remembered;
  const [first] = await dependencies.renders.ofJob(press.job.id);
  if (!first?.delivered) return undefined;
  const { delivered } = first;
  const files = await undefinedIfRefused(adapterOf(dependencies, delivered).attachments(delivered));
  return files?.filter(isImage)[number - 1];
}

function noteOf({ job, argument, requester }: ButtonPress): string {
  return `chosen image ${job.id} ${argument} ${requester.id}`;
}

function isImage({ contentType }: IncomingFile): boolean {
  return contentType.startsWith('image/');
}
