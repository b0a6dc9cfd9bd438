import type { ButtonPress } from '../../engine/index.ts';
import { adapterOf, type Job, type MessageAddress } from '../../port/index.ts';
import { words } from '../../words/index.ts';
import type { CommandDependencies } from '../command-dependencies.ts';
import type { EffectAction } from '../define-command.ts';
import { InputError } from '../faults/input-error.ts';
import { titleOf } from '../format-text.ts';
import { rootOf } from '../image-versions.ts';
import { about, imageButtons, spoilerOf } from '../presenters/image-presenter.ts';
import { pageButtons } from '../result-buttons.ts';

/** Whether a press of Again draws a new version in the same message: only the requester's own does. */
export async function isNewVersion(
  { job, requester, message, argument }: Pick<ButtonPress, 'job' | 'requester' | 'message' | 'argument'>,
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
  { answers, imageVersions }: CommandDependencies,
  start: (message: MessageAddress) => Promise<void>,
): Promise<void> {
  const begin = async (message: MessageAddress) => {
    await answers.note(job.id, [message]);
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
    async run({ job, requester, message, reply }, dependencies) {
      // What stands between the arrows only tells.
      if (by === 0) return;
      const { imageVersions, adapters, placeSettings } = dependencies;
      const { values } = await placeSettings.at(job.address);
      const adapter = adapterOf(dependencies, message);
      const root = rootOf(job);
      const isShown = await imageVersions.page(
        root,
        by,
        message,
        async ({ job: drawn, number, count, file }) => {
          const description = titleOf(String(drawn.options.prompt ?? ''), 1_000);
          const content = {
            text: about(drawn),
            unquoted: '',
            files: [{ ...file, description }],
            ...spoilerOf(drawn),
            buttons: [
              ...imageButtons(drawn, adapters, values.buttons),
              ...pageButtons(drawn, { number, count }),
            ],
          };
          await adapter.complete(message, content, `${root}:page:${number}`);
        },
      );
      if (!isShown) await reply.whisper({ text: words(requester.locale).errors.resultGone });
    },
  };
}
