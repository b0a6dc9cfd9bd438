import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Job, PlatformAdapters } from '../../port/index.ts';
import { isMade, type Render } from '../render.ts';
import type { RenderStore } from '../render-store.ts';
import { presentationOf, type RenderPresenters, type RenderProgress } from './presenter.ts';

/** Between two edits that show progress, in milliseconds: each takes from the channel's rate limit. */
const spacing = 5_000;

export interface ProgressBoardDependencies {
  readonly store: Pick<RenderStore, 'ofJob'>;
  readonly adapters: PlatformAdapters;
  readonly presenters: RenderPresenters;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** Shows people the progress of renders; those of one job share a message. A render goes on where it can't be shown. */
export class ProgressBoard {
  readonly #dependencies: ProgressBoardDependencies;
  /** Jobs and when each was last shown by this process. */
  readonly #shownAt = new BoundedMap<string, number>({ most: 10_000 });

  constructor(dependencies: ProgressBoardDependencies) {
    this.#dependencies = dependencies;
  }

  async show(
    render: Render,
    job: Job,
    progress: Pick<RenderProgress, 'fraction' | 'position' | 'late'>,
  ): Promise<void> {
    const { clock, log } = this.#dependencies;
    const now = clock.steady();
    if (now - (this.#shownAt.get(render.job) ?? Number.NEGATIVE_INFINITY) < spacing) return;
    this.#shownAt.set(render.job, now);
    await this.#edit(render, job, progress).catch((error: unknown) =>
      log.warn({ render: render.id, error }, 'progress could not be shown'),
    );
  }

  /** Call when a render of the job has nothing left to do. */
  forget(job: string): void {
    this.#shownAt.delete(job);
  }

  async #edit(
    render: Render,
    job: Job,
    progress: Pick<RenderProgress, 'fraction' | 'position' | 'late'>,
  ): Promise<void> {
    const { store, clock, presenters, adapters } = this.#dependencies;
    const all = render.parts > 1 ? await store.ofJob(render.job) : [render];
    const message = presentationOf(presenters, [render], job).progress({
      ...progress,
      elapsed: Math.max(render.waited, clock.now() - render.createdAt),
      made: all.filter(isMade).length,
      isQueued: all.some(({ state }) => state === 'reserved'),
    });
    await adapters(render.message.platform)?.edit(render.message, message);
  }
}
