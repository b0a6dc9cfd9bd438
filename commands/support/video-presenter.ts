import { actionId, type Button, type Job } from '../../src/port/index.ts';
import type { Render, Rendered, RenderPresenter } from '../../src/renders/index.ts';
import type { VideoRequest } from '../../src/service/index.ts';
import { video } from '../../src/spec/limits.ts';
import { bytesInWords, spanInWords, words } from '../../src/words/index.ts';
import { renderFault } from './render-faults.ts';
import { percent, quoted, titleOf } from './texts.ts';

/** What people see of a video being made: progress in its thread, then the video, for the requester. */
export const videoPresenter: RenderPresenter = {
  fileName: () => 'video.mp4',
  fileDescription: (_, job) => titleOf(promptOf(job), 1_000),
  async place(outlet, render, job) {
    const thread = await outlet.openThread(render.message, titleOf(promptOf(job), 100));
    return outlet.post(thread, { text: words(job.requester.locale).filming }, `${job.id}:progress`);
  },
  progress: (_, job, { elapsed, fraction, place }) => {
    const { locale } = job.requester;
    const { filmingFor, waitingPlace } = words(locale);
    if (place) return { text: waitingPlace(place) };
    return { text: filmingFor(spanInWords(elapsed, locale), percent(fraction)) };
  },
  ready: (render, job, rendered) => ({
    as: 'post',
    message: readyMessage(render, job, rendered),
    before: { text: words(job.requester.locale).filmed },
  }),
  ended: (render, job) => {
    const say = words(job.requester.locale);
    const text = `⚠️ ${renderFault(render, say)}`;
    return {
      as: 'post',
      message: {
        text,
        mentions: [job.requester.id],
        buttons: [{ id: actionId('video', 'same_seed', job.id), label: say.tryAgain }],
      },
      before: { text: say.notFilmed },
    };
  },
};

function readyMessage(render: Render, job: Job, rendered: Rendered) {
  const say = words(job.requester.locale);
  const button = (action: string, label: string): Button => ({
    id: actionId('video', action, job.id),
    label,
  });
  const { seed } = render.request as VideoRequest;
  const message = {
    mentions: [job.requester.id],
    buttons: [
      button('same_seed', say.sameSeed),
      button('new_seed', say.newSeed),
      button('edit', say.edit),
      { ...button('remove', say.remove), style: 'danger' as const },
    ],
  };
  const text = seed === undefined ? about(job) : `${about(job)} \`seed ${seed}\``;
  if ('file' in rendered) return { ...message, text, files: [rendered.file] };
  const { bytes, limit, link } = rendered.tooLarge;
  return {
    ...message,
    text: `${text}\n${say.tooLargeHere(bytesInWords(bytes), bytesInWords(limit))}`,
    ...(link !== undefined && { link }),
  };
}

/** What was asked for: the prompt, and what decides the video. */
export function about(job: Job): string {
  const { duration, resolution, ratio, quality } = job.options;
  const facts = [
    `${duration ?? video.duration.default} s`,
    resolution ?? video.defaultResolution,
    ratio ?? video.defaultRatio,
    quality ?? video.defaultQuality,
  ];
  return `${quoted(promptOf(job))}\n${facts.map((fact) => `\`${fact}\``).join(' ')}`;
}

const promptOf = (job: Job) => String(job.options.prompt ?? '');
