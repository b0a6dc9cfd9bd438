import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, inTime } from '../../lib/clock.ts';
import {
  type ButtonAmount,
  type IncomingFile,
  type Job,
  type Message,
  type MessageAddress,
  type OutgoingFile,
  type PlatformAdapter,
  type PlatformAdapters,
  type PlatformErrorKind,
  refusalOf,
} from '../../port/index.ts';
import type { BegunBefore } from '../../store/index.ts';
import type { RenderStore } from '../render-store.ts';
import { type ImageRender, isMade, type Render, type VideoRender } from '../render.ts';

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
export interface PresentOptions {
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

/** A job's renders as people see them. */
export interface Presentation {
  /** The name of a result's file; `number` from 1, where its message has several. */
  fileName(render: Render, number?: number): string;
  /** Whether a message with these files shows what was made for the job, or a later version of that. */
  isShownBy(files: readonly IncomingFile[]): boolean;
  /**
   * Opens the message where progress is shown and the result posted; without it that is the message the render began
   * with. Called again after a crash: it must find the same message.
   */
  openProgress?(adapter: PlatformAdapter): Promise<MessageAddress>;
  /** What it may have opened under a message that's gone by now. */
  openedProgress?(adapter: PlatformAdapter): Promise<MessageAddress | undefined>;
  progress(progress: RenderProgress): Message;
  /** What was made of the job's renders; it says if some failed. */
  ready(rendered: Rendered, options?: PresentOptions): EndMessage;
  /** What the announcement of a result shows that doesn't take its place. */
  elsewhere(where: Whereabouts): Message;
  /** What its message shows again where nothing new comes there; undefined where nothing stood there before. */
  before(): Message | undefined;
  /** All failed, or perhaps were never begun (`uncertain`). */
  ended(options?: PresentOptions): EndMessage;
}

/** Presents a job's renders of one kind; `style`: what stands under their end. */
export type RenderPresenter<R extends Render> = (
  renders: JobRenders<R>,
  job: Job,
  style: PresentStyle,
) => Presentation;

/** The presenter of each kind. */
export interface RenderPresenters {
  readonly image: RenderPresenter<ImageRender>;
  readonly video: RenderPresenter<VideoRender>;
}

/** A job's renders, all of one kind, as the presenter of that kind shows them. */
export function presentationOf(
  { image, video }: RenderPresenters,
  [first, ...more]: JobRenders<Render>,
  job: Job,
  style: PresentStyle = {},
): Presentation {
  return first.kind === 'image'
    ? image([first, ...more.filter((render) => render.kind === 'image')], job, style)
    : video([first, ...more.filter((render) => render.kind === 'video')], job, style);
}

/** Between two edits that show a job's progress, in milliseconds. */
const spacing = 5_000;

export interface ProgressBoardDependencies {
  readonly store: Pick<RenderStore, 'ofJob'>;
  readonly adapters: PlatformAdapters;
  readonly presenters: RenderPresenters;
  readonly begunBefore?: BegunBefore;
  /** Told that the message in which a job's renders are shown was deleted. */
  readonly shownNoMore?: (job: Job) => Promise<void>;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** A job as this process has shown it. */
interface Shown {
  readonly at: number;
  /** Settles when the last edit has arrived, or failed. */
  edit: Promise<void>;
  /** The place refused for good: it isn't tried again. */
  isRefused: boolean;
}

/**
 * Shows people the progress of renders; those of one job share a message. Nothing waits for that: what there's no room for is
 * left out, and a render goes on where it can't be shown.
 */
export class ProgressBoard {
  readonly #dependencies: ProgressBoardDependencies;
  /** By job. */
  readonly #shown = new BoundedMap<string, Shown>({ most: 10_000 });

  constructor(dependencies: ProgressBoardDependencies) {
    this.#dependencies = dependencies;
  }

  show(render: Render, job: Job, progress: Pick<RenderProgress, 'fraction' | 'position' | 'late'>): void {
    const { clock, log, shownNoMore, begunBefore } = this.#dependencies;
    // A restored database may have lost the end that's shown there.
    const mayHaveEnded = begunBefore?.(`${job.id}:`) !== undefined;
    const now = clock.steady();
    const last = this.#shown.get(render.job);
    if (job.deleted || mayHaveEnded || last?.isRefused || (last && now - last.at < spacing)) return;
    const shown: Shown = { at: now, edit: Promise.resolve(), isRefused: false };
    this.#shown.set(render.job, shown);
    shown.edit = this.#edit(render, job, progress).catch(async (error: unknown) => {
      const refusal = refusalOf(error);
      shown.isRefused = refusal !== undefined;
      log.warn({ render: render.id, error }, 'progress could not be shown');
      if (refusal === 'deleted')
        await shownNoMore?.(job).catch((fault: unknown) =>
          log.warn({ render: render.id, error: fault }, 'a deleted render could not be ended'),
        );
    });
  }

  /** Resolves when the last edit of a job has arrived, or takes too long: another process may edit its message now. */
  async settled(job: string): Promise<void> {
    const { clock } = this.#dependencies;
    await inTime(clock, spacing, this.#shown.get(job)?.edit ?? Promise.resolve(), undefined);
  }

  /** Call when a render of the job has nothing left to do. */
  forget(job: string): void {
    this.#shown.delete(job);
  }

  async #edit(
    render: Render,
    job: Job,
    progress: Pick<RenderProgress, 'fraction' | 'position' | 'late'>,
  ): Promise<void> {
    const { store, clock, presenters, adapters } = this.#dependencies;
    const adapter = adapters(render.message.platform);
    // What's left of its edits is for its end.
    if (!adapter?.takesManyEdits(render.message)) return;
    const all = render.parts > 1 ? await store.ofJob(render.job) : [render];
    const message = presentationOf(presenters, [render], job).progress({
      ...progress,
      elapsed: Math.max(render.waited, clock.now() - render.createdAt),
      made: all.filter(isMade).length,
      isQueued: all.some(({ state }) => state === 'reserved'),
    });
    await adapter.edit(render.message, message, { optional: true });
  }
}
