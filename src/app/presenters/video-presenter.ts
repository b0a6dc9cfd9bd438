import { percent, quoted, titleOf } from '../../lib/text.ts';
import {
  type Address,
  type Button,
  type ButtonAmount,
  endsWithRequester,
  isPrivate,
  type Job,
  type Message,
  type PlatformAdapter,
  type PlatformAdapters,
} from '../../port/index.ts';
import type { RenderPresenter, VideoRender } from '../../renders/index.ts';
import { video } from '../../service-rules/limits.ts';
import { spanInWords, words } from '../../words/index.ts';
import { jobButton, removeButton, reportButtons, shareButtons, tryAgainButton } from '../endings.ts';
import { linkOf } from '../faults/explain.ts';
import { promptOf } from '../job-context.ts';
import { elsewhere, endText, resultMessage, spoilerOf } from './image-presenter.ts';

/**
 * What people see of a video being made: progress in its thread, then the video, for the requester. Where none can be
 * opened for it, or where messages close after a while, and only its requester may see it, its announcement shows the
 * progress.
 */
export function videoPresenter(adapters: PlatformAdapters): RenderPresenter<VideoRender> {
  return (renders, job, { buttons: amount = 'all', machineNote }) => {
    const [render] = renders;
    const { locale } = job.requester;
    const say = words(locale);
    const hasOwnThread = (at: Address) =>
      adapters(job.address.platform)?.rootOf(at, job.address) !== undefined;
    /** In the announcement, a line stands below what it announced. */
    const below = (line: string): Required<Pick<Message, 'text' | 'unquoted'>> =>
      hasOwnThread(render.message)
        ? { text: line, unquoted: line }
        : { text: `${about(job)}\n${line}`, unquoted: `${factsOf(job)}\n${line}` };
    const progressIn = (thread: Address, adapter: PlatformAdapter) =>
      adapter.post(thread, { text: say.filming }, `${job.id}:progress`);
    return {
      fileName: () => 'video.mp4',
      isShownBy: (files) => files.length > 0,
      async openProgress(adapter) {
        if (endsWithRequester(job, adapter)) return render.message;
        const thread = await adapter.openThread(render.message, titleOf(promptOf(job), 100));
        return hasOwnThread(thread) ? progressIn(thread, adapter) : render.message;
      },
      async openedProgress(adapter) {
        const isOpened = await adapter.hasThread(render.message);
        const thread = isOpened ? adapter.ownThreadOf(render.message) : undefined;
        return thread && progressIn(thread, adapter);
      },
      progress: ({ elapsed, fraction, position, late, isQueued }) => {
        const buttons = isQueued ? [jobButton(job, 'cancel', say.cancel)] : [];
        if (position) return { ...below(say.waitingPlace(position)), buttons };
        const since = spanInWords(elapsed, locale);
        const line = late ? say.takesLong(since) : say.filmingFor(since, percent(fraction));
        return { ...below(line), buttons };
      },
      ready: (rendered, { plain } = {}) => ({
        as: endOf(job),
        message: {
          ...resultMessage(plain ? undefined : seededAbout(render, job), rendered, say, machineNote),
          ...spoilerOf(job),
          ...(!isPrivate(job) && { mentions: [job.requester.id] }),
          buttons: plain ? [] : readyButtons(job, amount, adapters),
        },
        before: below(say.filmed),
        root: ({ link, ...where }) => {
          const line = (facts: string) =>
            where.seenBy === 'place' ? say.videoThere(facts, link) : `${facts}\n-# ${elsewhere(job, where)}`;
          return { text: line(about(job)), unquoted: line(factsOf(job)) };
        },
      }),
      elsewhere: (where) => below(elsewhere(job, where)),
      before: () => undefined,
      ended: ({ plain } = {}) => {
        const text = endText(renders, say);
        const again = tryAgainButton(job, say, 'same_seed');
        const buttons = plain ? [] : [again, removeButton(job, say)];
        const { fault } = render;
        const ended = fault?.code === 'canceled' ? text : say.notFilmed;
        const root = () => ({
          text: `${about(job)}\n-# ${ended}`,
          unquoted: `${factsOf(job)}\n-# ${ended}`,
        });
        // The person who canceled it needs no notification.
        if (fault?.code === 'canceled') return { as: 'complete', message: { ...below(text), buttons }, root };
        // It has shown no progress anywhere else.
        if (fault?.code === 'no-place')
          return { as: 'complete', message: { text: `${about(job)}\n${text}`, unquoted: text, buttons } };
        return {
          as: endOf(job),
          message: {
            ...(plain || endOf(job) === 'post' ? { text } : below(text)),
            ...linkOf(render),
            ...spoilerOf(job),
            ...(!isPrivate(job) && { mentions: [job.requester.id] }),
            buttons,
          },
          before: below(say.notFilmed),
          root,
        };
      },
    };
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
