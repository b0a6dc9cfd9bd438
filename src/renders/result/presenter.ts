import type {
  Job,
  LateNotice,
  Message,
  MessageAddress,
  OutgoingFile,
  PlatformAdapter,
  PlatformErrorKind,
} from '../../port/index.ts';
import type { ImageRender, Render, VideoRender } from '../render.ts';

/** How far a render is. */
export interface RenderProgress {
  /** Milliseconds since it was begun. */
  readonly elapsed: number;
  /** 0 to 1, if the service tells. */
  readonly fraction?: number;
  /** Its position in the queue, 1 for the next, while it waits for the key's rate limits. */
  readonly position?: number;
  /** It takes much longer than usual. */
  readonly late?: boolean;
}

/** What can be posted of a result. */
export type Rendered =
  | { readonly file: OutgoingFile }
  /** Too large to attach. */
  | { readonly tooLarge: { readonly bytes: number; readonly limit: number; readonly link?: string } }
  /** The file is not taken: only its link is left. */
  | { readonly elsewhere: { readonly link: string } };

/** How a render's end is presented. */
export interface PresentOptions {
  /** Without anything a platform could refuse: no buttons, and none of people's own words. */
  readonly plain?: boolean;
}

/** The message of a render's end, and whether it replaces the progress message or is a new one. */
export interface EndMessage {
  readonly message: Message;
  /**
   * `complete`: the progress message becomes this one. `post`: this is a message of its own, and the progress message
   * then shows `before`.
   */
  readonly as: 'complete' | 'post';
  readonly before?: Message;
}

/** What people see of one kind of render. */
export interface RenderPresenter<R extends Render> {
  fileName(render: R): string;
  /** Read to people who cannot see the result. */
  fileDescription(render: R, job: Job): string;
  /**
   * Opens the message where progress is shown and the result posted; without it that is the message the render began
   * with. Called again after a crash: it must find the same message.
   */
  openProgress?(adapter: PlatformAdapter, render: R, job: Job): Promise<MessageAddress>;
  progress(render: R, job: Job, progress: RenderProgress): Message;
  ready(render: R, job: Job, rendered: Rendered, options?: PresentOptions): EndMessage;
  /** It's made, but can't be posted for the time being; that is tried further. */
  notPostedYet(job: Job): LateNotice;
  /** Stands above the result in direct messages; `why`: what the channel refused it for. */
  sentDirectly(job: Job, why?: PlatformErrorKind): string;
  /** It failed, or perhaps was never begun (`uncertain`). */
  ended(render: R, job: Job, options?: PresentOptions): EndMessage;
}

/** The presenter of each kind. */
export interface RenderPresenters {
  readonly image: RenderPresenter<ImageRender>;
  readonly video: RenderPresenter<VideoRender>;
}

/** What people see of one render. */
export interface Presentation {
  readonly fileName: () => string;
  readonly fileDescription: () => string;
  readonly openProgress: ((adapter: PlatformAdapter) => Promise<MessageAddress>) | undefined;
  readonly progress: (progress: RenderProgress) => Message;
  readonly ready: (rendered: Rendered, options?: PresentOptions) => EndMessage;
  readonly notPostedYet: () => LateNotice;
  readonly sentDirectly: (why?: PlatformErrorKind) => string;
  readonly ended: (options?: PresentOptions) => EndMessage;
}

/** One render as the presenter of its kind shows it. */
export function presentationOf({ image, video }: RenderPresenters, render: Render, job: Job): Presentation {
  return render.kind === 'image' ? bind(image, render, job) : bind(video, render, job);
}

function bind<R extends Render>(presenter: RenderPresenter<R>, render: R, job: Job): Presentation {
  const { openProgress } = presenter;
  return {
    fileName: () => presenter.fileName(render),
    fileDescription: () => presenter.fileDescription(render, job),
    openProgress: openProgress && ((adapter) => openProgress.call(presenter, adapter, render, job)),
    progress: (progress) => presenter.progress(render, job, progress),
    ready: (rendered, options) => presenter.ready(render, job, rendered, options),
    notPostedYet: () => presenter.notPostedYet(job),
    sentDirectly: (why) => presenter.sentDirectly(job, why),
    ended: (options) => presenter.ended(render, job, options),
  };
}
