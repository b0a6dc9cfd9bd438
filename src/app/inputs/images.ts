import { creditsOfImage, exactly, type PaidCall, type PaidCalls } from '../../credits/index.ts';
import type { Invocation, PressedButton } from '../../engine/index.ts';
import { titleOf } from '../../lib/text.ts';
import {
  adapterOf,
  type AnyValues,
  type IncomingFile,
  type Job,
  type MessageAddress,
  undefinedIfRefused,
} from '../../port/index.ts';
import { renderId } from '../../renders/index.ts';
import { words } from '../../words/index.ts';
import type { CommandDependencies, EffectAction } from '../define-command.ts';
import { machineNote, noted, pageButtons } from '../endings.ts';
import { InputError } from '../faults/explain.ts';
import { promptOf, rootOf } from '../job-context.ts';
import { about, imageButtons, spoilerOf } from '../presenters/image-presenter.ts';

/** How long the file of a chosen image is remembered, in milliseconds: shorter than any platform's addresses live. */
const choiceLife = 3_600_000;

/**
 * The image a button is about, as an option of the command that the button gives: of its own message, or one of several that
 * were posted in another. The platform isn't asked for it: {@link withImages} does that once its command is on record.
 */
export async function useImage(
  option: string,
  press: PressedButton,
  dependencies: CommandDependencies,
): Promise<AnyValues> {
  const { message, files } = press;
  const file =
    press.argument !== undefined
      ? await chosenImage(press, press.argument, dependencies)
      : files
        ? files.find(isImage)
        : shownIn(message, 1);
  if (!file) throw new InputError((say) => say.errors.resultGone);
  return { [option]: file, made_of: [press.job.id] };
}

function shownIn(message: MessageAddress, number: number): IncomingFile {
  return {
    name: 'image',
    contentType: 'image/png',
    size: 0,
    source: '',
    shownIn: { message, image: number },
  };
}

/**
 * A command's values with the images of messages that a button gave it: they're asked for now, and put on record.
 * @throws {InputError} if one isn't there any more, or was deleted since.
 */
export async function withImages<Values extends object>(
  { job, options }: Invocation<Values>,
  dependencies: CommandDependencies,
): Promise<Values> {
  await dependencies.deletions.expectSource(job);
  const found: Record<string, IncomingFile> = {};
  for (const [name, { shownIn: place }] of Object.entries(options).filter(isShownFile)) {
    const files = await undefinedIfRefused(adapterOf(dependencies, place.message).attachments(place.message));
    const file = files?.filter(isImage)[place.image - 1];
    if (!file) throw new InputError((say) => say.errors.resultGone);
    found[name] = file;
  }
  if (Object.keys(found).length > 0) await dependencies.jobs.runWith(job.id, { ...job.options, ...found });
  return { ...options, ...found };
}

function isShownFile(
  entry: [string, unknown],
): entry is [string, IncomingFile & Required<Pick<IncomingFile, 'shownIn'>>] {
  const [, value] = entry;
  return typeof value === 'object' && value !== null && 'shownIn' in value;
}

/**
 * Remembers the image that was chosen from a message, where the event told its files: the message may be out of reach
 * later, because the bot isn't a member.
 */
export async function rememberFile(press: PressedButton, { notes }: CommandDependencies): Promise<void> {
  const { files = [], argument } = press;
  const file = argument === undefined ? undefined : files.filter(isImage)[argument - 1];
  if (file) await notes.set(noteOf(press), file, choiceLife);
}

async function chosenImage(
  press: PressedButton,
  number: number,
  dependencies: CommandDependencies,
): Promise<IncomingFile | undefined> {
  const remembered: IncomingFile | undefined = await dependencies.notes.get(noteOf(press));
  if (remembered) return remembered;
  const [first] = await dependencies.renders.ofJob(press.job.id);
  if (!first?.delivered) return undefined;
  return shownIn(first.delivered, number);
}

function noteOf({ job, argument, requester }: PressedButton): string {
  return `chosen image ${job.id} ${argument} ${requester.id}`;
}

function isImage({ contentType }: IncomingFile): boolean {
  return contentType.startsWith('image/');
}

/** Whether a press of Again draws a new version in the same message: only the requester's own does. */
export async function isNewVersion(
  { job, requester, message, argument }: Pick<PressedButton, 'job' | 'requester' | 'message' | 'argument'>,
  { imageVersions }: CommandDependencies,
): Promise<boolean> {
  if (argument !== undefined || requester.id !== job.requester.id) return false;
  return imageVersions.canReplace(job, message);
}

/**
 * Has a job draw the next version in the message of the first, by `start`; it ends with that if it's deleted meanwhile.
 * @throws if another is under way.
 */
export async function nextVersion(
  root: string,
  job: Job,
  { answers, imageVersions, deletions }: CommandDependencies,
  start: (message: MessageAddress) => Promise<void>,
): Promise<void> {
  const begin = async (message: MessageAddress) => {
    await answers.note(job.id, [message]);
    await deletions.stopIfGone(job, [message]);
    await start(message);
  };
  if (!(await imageVersions.begin(root, job, begin)))
    throw new InputError((say) => say.errors.versionUnderWay);
}

/** Shows the version so many after the one that is shown; anyone may look. */
export function pageBy(by: number): EffectAction {
  return {
    who: 'anyone',
    answers: 'quiet',
    async run(press, dependencies) {
      // What stands between the arrows only tells.
      if (by === 0) return;
      const { job, requester, message, reply } = press;
      const { imageVersions, adapters, placeSettings } = dependencies;
      const settings = await placeSettings.at(job.address);
      const adapter = adapterOf(dependencies, message);
      const root = rootOf(job);
      const paged = await imageVersions.page(root, by, press, async ({ job: drawn, number, count, file }) => {
        const description = titleOf(promptOf(drawn), 1_000);
        const content = {
          ...noted(about(drawn), machineNote('media', settings, words(drawn.requester.locale))),
          files: [{ ...file, description }],
          ...spoilerOf(drawn),
          buttons: [
            ...imageButtons(drawn, adapters, settings.values.buttons),
            ...pageButtons(drawn, { number, count }),
          ],
        };
        await adapter.complete(message, content, `${root}:page:${number}`);
      });
      const { resultGone, versionUnderWay } = words(requester.locale).errors;
      if (paged !== 'shown') await reply.whisper({ text: paged === 'gone' ? resultGone : versionUnderWay });
    },
  };
}

/** The paid calls of a job's images: one for each, as the service charges for each. */
export function paidImages(call: Omit<PaidCall, 'kind' | 'quantity' | 'estimate'>, count: number): PaidCalls {
  const { job } = call;
  const image = (part: number): PaidCall => ({
    ...call,
    job: { ...job, id: renderId(job.id, part) },
    kind: 'image',
    quantity: { images: 1 },
    estimate: exactly(creditsOfImage),
  });
  return [image(1), ...Array.from({ length: count - 1 }, (_, index) => image(index + 2))];
}
