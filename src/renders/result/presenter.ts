import type {
  ButtonAmount,
  IncomingFile,
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
  /** How many of the job's renders are ready. */
  readonly made: number;
  /** Something of the job waits for its turn and hasn't been sent: it can be canceled. */
  readonly isQueued: boolean;
}

/** What can be posted of what was made. */
export type Rendered =
  | { readonly files: readonly OutgoingFile[] }
  /** Too large to attach: the largest has so many bytes. */
  | {
      readonly tooLarge: {
        readonly bytes: number;
        readonly limit: number;
        readonly links: readonly string[];
      };
    }
  /** The files are not taken: only their links are left. */
  | { readonly elsewhere: { readonly links: readonly string[] } };

/** All renders of a job, which have ended; several where several images were asked for. */
export type JobRenders<R extends Render> = readonly [R, ...R[]];

/** What stands under what was made. */
export interface PresentStyle {
  /** How many buttons; all by default. */
  readonly buttons?: ButtonAmount;
  /** A line that says that a machine made it. */
  readonly machineNote?: string;
}

/** How a render's end is presented. */
export interface PresentOptions extends PresentStyle {
  /** Without anything a platform could refuse: no buttons, and none of people's own words. */
  readonly plain?: boolean;
  /** It took so long that whoever waited for it does something else meanwhile. */
  readonly tookLong?: boolean;
}

/**
 * Where a result is: in its place, at `link` if that's known; with its requester, directly or since they fetched it; or with
 * nobody yet; and why.
 */
export interface Whereabouts {
  readonly seenBy: 'place' | 'requester' | 'nobody';
  readonly isFetched?: true;
  readonly link?: string | undefined;
  readonly why?: PlatformErrorKind | undefined;
}

/** The message of a render's end, and whether it replaces the progress message or is a new one. */
export interface EndMessage {
  readonly message: Message;
  /**
   * `complete`: the progress message becomes this one. `edit`: the same, and the files it has stay. `post`: this is a
   * message of its own, and the progress message then shows `before`.
   */
  readonly as: 'complete' | 'edit' | 'post';
  readonly before?: Message;
  /** What the message says by then under which the progress message's thread was opened. */
  readonly root?: (where: Whereabouts) => Message;
  /** Tells who waited that the progress message has become this one, where it took long. */
  readonly notice?: Message;
}

/** Where a private render goes on, or where its result can be fetched if direct messages are closed. */
export interface DirectMove {
  readonly goesOn: string;
  readonly isKept: string;
}

/** One kind of render as people see it. */
export interface RenderPresenter<R extends Render> {
  /** The name of a result's file; `number` from 1, where its message has several. */
  fileName(render: R, number: number | undefined, job: Job): string;
  /** Whether a message with these files shows what was made for a job, or a later version of that; with any if absent. */
  isShownBy?(files: readonly IncomingFile[], job: Job): boolean;
  /** Read to people who cannot see the result. */
  fileDescription(render: R, job: Job): string;
  /**
   * Opens the message where progress is shown and the result posted; without it that is the message the render began
   * with. Called again after a crash: it must find the same message.
   */
  openProgress?(adapter: PlatformAdapter, render: R, job: Job): Promise<MessageAddress>;
  progress(render: R, job: Job, progress: RenderProgress): Message;
  /** What was made of the job's renders; it says if some failed. */
  ready(renders: JobRenders<R>, job: Job, rendered: Rendered, options?: PresentOptions): EndMessage;
  /** What the message of a private render says when it can't be changed any more: it goes on directly, or can't. */
  movesDirectly(job: Job): DirectMove;
  /** It's made, but can't be posted for the time being; that is tried further. */
  notPostedYet(job: Job): LateNotice;
  /** Stands above the result in direct messages; `why`: what the channel refused it for. */
  sentDirectly(job: Job, why?: PlatformErrorKind): string;
  /** What the announcement of a result shows that doesn't take its place. */
  elsewhere(render: R, job: Job, where: Whereabouts, options?: PresentOptions): Message;
  /** What its message shows again where nothing new comes there; undefined where nothing stood there before. */
  before?(job: Job, options?: PresentOptions): Message | undefined;
  /** All failed, or perhaps were never begun (`uncertain`). */
  ended(renders: JobRenders<R>, job: Job, options?: PresentOptions): EndMessage;
}

/** The presenter of each kind. */
export interface RenderPresenters {
  readonly image: RenderPresenter<ImageRender>;
  readonly video: RenderPresenter<VideoRender>;
}

/** A job's renders as people see them. */
export interface Presentation {
  readonly fileName: (render: Render, number?: number) => string;
  readonly isShownBy: (files: readonly IncomingFile[]) => boolean;
  readonly fileDescription: () => string;
  readonly openProgress: ((adapter: PlatformAdapter) => Promise<MessageAddress>) | undefined;
  readonly progress: (progress: RenderProgress) => Message;
  readonly ready: (rendered: Rendered, options?: PresentOptions) => EndMessage;
  readonly movesDirectly: () => DirectMove;
  readonly notPostedYet: () => LateNotice;
  readonly sentDirectly: (why?: PlatformErrorKind) => string;
  readonly elsewhere: (where: Whereabouts) => Message;
  readonly before: () => Message | undefined;
  readonly ended: (options?: PresentOptions) => EndMessage;
}

/** A job's renders, all of one kind, as the presenter of that kind shows them; `style`: what stands under their end. */
export function presentationOf(
  { image, video }: RenderPresenters,
  [first, ...more]: JobRenders<Render>,
  job: Job,
  style: PresentStyle = {},
): Presentation {
  return first.kind === 'image'
    ? bind(image, [first, ...more.filter((render) => render.kind === 'image')], job, style)
    : bind(video, [first, ...more.filter((render) => render.kind === 'video')], job, style);
}

function bind<R extends Render>(
  presenter: RenderPresenter<R>,
  renders: JobRenders<R>,
  job: Job,
  style: PresentStyle,
): Presentation {
  const { openProgress } = presenter;
  const [first] = renders;
  return {
    fileName: (render, number) =>
      presenter.fileName(renders.find(({ id }) => id === render.id) ?? first, number, job),
    isShownBy: (files) => presenter.isShownBy?.(files, job) ?? files.length > 0,
    fileDescription: () => presenter.fileDescription(first, job),
    openProgress: openProgress && ((adapter) => openProgress.call(presenter, adapter, first, job)),
    progress: (progress) => presenter.progress(first, job, progress),
    ready: (rendered, options) => presenter.ready(renders, job, rendered, { ...options, ...style }),
    movesDirectly: () => presenter.movesDirectly(job),
    notPostedYet: () => presenter.notPostedYet(job),
    sentDirectly: (why) => presenter.sentDirectly(job, why),
    elsewhere: (where) => presenter.elsewhere(first, job, where, style),
    before: () => presenter.before?.(job, style),
    ended: (options) => presenter.ended(renders, job, { ...options, ...style }),
  };
}
