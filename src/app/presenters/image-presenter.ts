import { actionId, type Button, type Job, type PlatformAdapters } from '../../port/index.ts';
import type { ImageRender, Rendered, RenderPresenter } from '../../renders/index.ts';
import { image } from '../../service-rules/limits.ts';
import { spanInWords, words } from '../../words/index.ts';
import { linkOf, renderFault } from '../faults/render-faults.ts';
import { percent, quoted, titleOf } from '../format-text.ts';
import { resultMessage } from './result-message.ts';

/** What people see of an image being made. */
export function imagePresenter(adapters: PlatformAdapters): RenderPresenter<ImageRender> {
  return {
    fileName: (render) => `image.${extension(render.result?.contentType)}`,
    fileDescription: (_, job) => titleOf(promptOf(job), 1_000),
    progress: (_, job, { elapsed, fraction, position, late }) => {
      const { locale } = job.requester;
      const { drawingFor, takesLong, waitingPlace } = words(locale);
      const since = spanInWords(elapsed, locale);
      const line = position ? waitingPlace(position) : drawingFor(since, percent(fraction));
      const unquoted = late ? takesLong(since) : line;
      return { text: `${about(job)}\n${unquoted}`, unquoted };
    },
    ready: (_, job, rendered, { plain } = {}) => {
      const message = resultMessage(plain ? undefined : about(job), rendered, words(job.requester.locale));
      const buttons = plain ? [] : readyButtons(job, rendered, adapters);
      return { as: 'complete', message: { ...message, buttons } };
    },
    notPostedYet: (job) => words(job.requester.locale).notPostedYet,
    sentDirectly: (job, why) => words(job.requester.locale).sentDirectly(why),
    ended: (render, job, { plain } = {}) => {
      const say = words(job.requester.locale);
      const text = `⚠️ ${renderFault(render, say)}`;
      const again = { id: actionId('imagine', 'again', job.id), label: say.tryAgain };
      return {
        as: 'complete',
        message: {
          text: plain ? text : `${about(job)}\n${text}`,
          unquoted: text,
          ...linkOf(render),
          buttons: plain ? [] : [again],
        },
      };
    },
  };
}

function readyButtons(job: Job, rendered: Rendered, adapters: PlatformAdapters): readonly Button[] {
  const say = words(job.requester.locale);
  const button = (action: string, label: string): Button => ({
    id: actionId('imagine', action, job.id),
    label,
  });
  return [
    button('again', say.again),
    ...('file' in rendered ? [button('edit', say.edit)] : []),
    ...(adapters(job.address.platform)?.hasPublicFiles ? [button('to_video', say.toVideo)] : []),
    { ...button('remove', say.remove), style: 'danger', confirm: say.confirmRemove },
  ];
}

/** What an image was made from: the prompt and the size. */
export function about(job: Job): string {
  const { size = image.defaultSize } = job.options as { size?: string };
  return `${quoted(promptOf(job))}\n\`${size}\``;
}

const promptOf = (job: Job) => String(job.options.prompt ?? '');

function extension(contentType = 'image/png'): string {
  const type = contentType.slice('image/'.length).replace(/\W[\s\S]*$/, '');
  return type === 'jpeg' ? 'jpg' : type;
}
