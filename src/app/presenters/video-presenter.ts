import { percent, quoted, titleOf } from '../../lib/text.ts';
import {
  type Address,
  type Button,
  type ButtonAmount,
  endsWithRequester,
  isPrivate,
  type Job,
  type Message,
  type PlatformAdapters,
} from '../../port/index.ts';
import type { RenderPresenter, VideoRender } from '../../renders/index.ts';
import { video } from '../../service-rules/limits.ts';
import { spanInWords, words } from '../../words/index.ts';
import { jobButton, removeButton, reportButtons, shareButtons, tryAgainButton } from '../endings.ts';
import { linkOf } from '../faults/explain.ts';
import { promptOf } from '../job-sources.ts';
import { elsewhere, endText, resultMessage, sentDirectly, spoilerOf } from './image-presenter.ts';

/**
 * What people see of a video being made: progress in its thread, then the video, for the requester. Where none can be
 * opened for it, or where messages close after a while, and only its requester may see it, its announcement shows the
 * progress.
 */
export function videoPresenter(adapters: PlatformAdapters): RenderPresenter<VideoRender> {
  const hasOwnThread = (at: Address, job: Job) =>
    adapters(job.address.platform)?.rootOf(at, job.address) !== undefined;
  /** In the announcement, a line stands below what it announced. */
  const below = (
    job: Job,
    { message }: VideoRender,
    line: string,
  ): Required<Pick<Message, 'text' | 'unquoted'>> =>
    hasOwnThread(message, job)
      ? { text: line, unquoted: line }
      : { text: `${about(job)}\n${line}`, unquoted: `${factsOf(job)}\n${line}` };
  return {
    fileName: () => 'video.mp4',
    fileDescription: (_, job) => titleOf(promptOf(job), 1_000),
    async openProgress(adapter, render, job) {
      if (endsWithRequester(job, adapter)) return render.message;
      const thread = await adapter.openThread(render.message, titleOf(promptOf(job), 100));
      if (!hasOwnThread(thread, job)) return render.message;
      return adapter.post(thread, { text: words(job.requester.locale).filming }, `${job.id}:progress`);
    },
    progress: (render, job, { elapsed, fraction, position, late, isQueued }) => {
      const { locale } = job.requester;
      const say = words(locale);
      const buttons = isQueued ? [jobButton(job, 'cancel', say.cancel)] : [];
      if (position) return { ...below(job, render, say.waitingPlace(position)), buttons };
      const since = spanInWords(elapsed, locale);
      const line = late ? say.takesLong(since) : say.filmingFor(since, percent(fraction));
      return { ...below(job, render, line), buttons };
    },
    ready: ([render], job, rendered, { plain, buttons = 'all', machineNote } = {}) => ({
      as: endOf(job),
      message: {
        ...resultMessage(
          plain ? undefined : seededAbout(render, job),
          rendered,
          words(job.requester.locale),
          machineNote,
        ),
        ...spoilerOf(job),
        ...(!isPrivate(job) && { mentions: [job.requester.id] }),
        buttons: plain ? [] : readyButtons(job, buttons, adapters),
      },
      before: below(job, render, words(job.requester.locale).filmed),
      root: ({ link, ...where }) => {
        const say = words(job.requester.locale);
        const below = (facts: string) =>
          where.seenBy === 'place' ? say.videoThere(facts, link) : `${facts}\n-# ${elsewhere(job, where)}`;
        return { text: below(about(job)), unquoted: below(factsOf(job)) };
      },
    }),
    movesDirectly: (job) => words(job.requester.locale).movesDirectly,
    notPostedYet: (job) => words(job.requester.locale).notPostedYet,
    sentDirectly,
    elsewhere: (render, job, where) => below(job, render, elsewhere(job, where)),
    ended: (renders, job, { plain } = {}) => {
      const say = words(job.requester.locale);
      const text = endText(renders, say);
      const again = tryAgainButton(job, say, 'same_seed');
      const buttons = plain ? [] : [again, removeButton(job, say)];
      const [{ fault }] = renders;
      const ended = fault?.code === 'canceled' ? text : say.notFilmed;
      const root = () => ({ text: `${about(job)}\n-# ${ended}`, unquoted: `${factsOf(job)}\n-# ${ended}` });
      // The person who canceled it needs no notification.
      if (fault?.code === 'canceled')
        return {
          as: 'complete',
          message: { ...below(job, renders[0], text), buttons },
          root,
        };
      // It has shown no progress anywhere else.
      if (fault?.code === 'no-place')
        return { as: 'complete', message: { text: `${about(job)}\n${text}`, unquoted: text, buttons } };
      return {
        as: endOf(job),
        message: {
          ...(plain || endOf(job) === 'post' ? { text } : below(job, renders[0], text)),
          ...linkOf(renders[0]),
          ...spoilerOf(job),
          ...(!isPrivate(job) && { mentions: [job.requester.id] }),
          buttons,
        },
        before: below(job, renders[0], say.notFilmed),
        root,
      };
    },
  };
}

/** A private video ends where its announcement is. */
function endOf(job: Job): 'post' | 'complete' {
  return isPrivate(job) ? 'complete' : 'post';
}

function readyButtons(job: Job, amount: ButtonAmount, adapters: PlatformAdapters): readonly Button[] {
  const say = words(job.requester.locale);
  if (amount === 'none') return [removeButton(job, say)];
  const button = (action: string, label: string) => jobButton(job, action, label);
  return [
    ...(amount === 'all' ? [button('same_seed', say.sameSeed)] : []),
    button('new_seed', say.newSeed),
    button('edit', say.edit),
    ...shareButtons(job, say),
    ...(amount === 'all' ? reportButtons(job, say, adapters) : []),
    removeButton(job, say),
  ];
}

function seededAbout({ seed }: VideoRender, job: Job): string {
  return seed === undefined ? about(job) : `${about(job)} \`seed ${seed}\``;
}

/** The origin of a video: the prompt and its options. */
export function about(job: Job): string {
  return `${quoted(promptOf(job))}\n${factsOf(job)}`;
}

/** The options of a video, without the prompt. */
export function factsOf(job: Job): string {
  const { duration, resolution, ratio, quality } = job.options;
  const facts = [
    `${duration ?? video.duration.default} s`,
    resolution ?? video.defaultResolution,
    ratio ?? video.defaultRatio,
    quality ?? video.defaultQuality,
  ];
  return facts.map((fact) => `\`${fact}\``).join(' ');
}
