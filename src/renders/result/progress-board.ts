import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, inTime } from '../../lib/clock.ts';
import { type Job, type PlatformAdapters, refusalOf } from '../../port/index.ts';
import type { BegunBefore } from '../../store/index.ts';
import type { RenderStore } from '../render-store.ts';
import { isMade, type Render } from '../render.ts';
import { presentationOf, type RenderPresenters, type RenderProgress } from './presenter.ts';

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
