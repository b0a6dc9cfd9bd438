import { actionId, type Button, type Job, type Outlets } from '../../src/port/index.ts';
import type { Rendered, RenderPresenter } from '../../src/renders/index.ts';
import { image } from '../../src/spec/limits.ts';
import { bytesInWords, spanInWords, words } from '../../src/words/index.ts';
import { renderFault } from './render-faults.ts';
import { percent, quoted, titleOf } from './texts.ts';

/** What people see of an image being made. */
export function imagePresenter(outlets: Outlets): RenderPresenter {
  return {
    fileName: (render) => `image.${extension(render.result?.contentType)}`,
    fileDescription: (_, job) => titleOf(promptOf(job), 1_000),
    progress: (_, job, { elapsed, fraction, place }) => {
      const { locale } = job.requester;
      const { drawingFor, waitingPlace } = words(locale);
      const how = place ? waitingPlace(place) : drawingFor(spanInWords(elapsed, locale), percent(fraction));
      return { text: `${about(job)}\n${how}` };
    },
    ready: (_, job, rendered) => ({ as: 'complete', message: readyMessage(job, rendered, outlets) }),
    ended: (render, job) => {
      const say = words(job.requester.locale);
      return {
        as: 'complete',
        message: {
          text: `${about(job)}\n⚠️ ${renderFault(render, say)}`,
          buttons: [{ id: actionId('imagine', 'again', job.id), label: say.tryAgain }],
        },
      };
    },
  };
}

function readyMessage(job: Job, rendered: Rendered, outlets: Outlets) {
  const say = words(job.requester.locale);
  const button = (action: string, label: string): Button => ({
    id: actionId('imagine', action, job.id),
    label,
  });
  const buttons: Button[] = [
    button('again', say.again),
    button('edit', say.edit),
    ...(outlets(job.address.platform)?.hasPublicFiles ? [button('to_video', say.toVideo)] : []),
    { ...button('remove', say.remove), style: 'danger' },
  ];
  if ('file' in rendered) return { text: about(job), files: [rendered.file], buttons };
  const { bytes, limit, link } = rendered.tooLarge;
  return {
    text: `${about(job)}\n${say.tooLargeHere(bytesInWords(bytes), bytesInWords(limit))}`,
    ...(link !== undefined && { link }),
    buttons: buttons.filter(({ id }) => !id.includes('.edit:')),
  };
}

/** What was asked for: the prompt and the size. */
export function about(job: Job): string {
  const { size = image.defaultSize } = job.options as { size?: string };
  return `${quoted(promptOf(job))}\n\`${size}\``;
}

const promptOf = (job: Job) => String(job.options.prompt ?? '');

function extension(contentType = 'image/png'): string {
  const type = contentType.slice('image/'.length).replace(/\W.*$/, '');
  return type === 'jpeg' ? 'jpg' : type;
}
