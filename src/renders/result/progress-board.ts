import type { Clock } from '../../lib/clock.ts';
import type { Job, PlatformAdapters } from '../../port/index.ts';
import type { Render, RenderKind } from '../render.ts';
import type { RenderPresenter, RenderProgress } from './presenter.ts';

/** Progress is shown at most so often, in milliseconds: every showing costs an edit of the place's budget. */
const spacing = 5_000;

export interface ProgressBoardDependencies {
  readonly adapters: PlatformAdapters;
  readonly presenters: Readonly<Record<RenderKind, RenderPresenter>>;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** Shows people how far renders are. That it cannot be shown spoils nothing. */
export class ProgressBoard {
  readonly #dependencies: ProgressBoardDependencies;
  readonly #shownAt = new Map<string, number>();

  constructor(dependencies: ProgressBoardDependencies) {
    this.#dependencies = dependencies;
  }

  async show(render: Render, job: Job, progress: Omit<RenderProgress, 'elapsed'>): Promise<void> {
    const { clock, presenters, adapters, log } = this.#dependencies;
    const now = clock.steady();
    if (now - (this.#shownAt.get(render.id) ?? Number.NEGATIVE_INFINITY) < spacing) return;
    this.#shownAt.set(render.id, now);
    const elapsed = Math.max(render.waited, clock.now() - render.createdAt);
    const message = presenters[render.kind].progress(render, job, { elapsed, ...progress });
    await adapters(render.message.platform)
      ?.edit(render.message, message)
      .catch((error: unknown) => log.warn({ render: render.id, error }, 'progress could not be shown'));
  }

  forget(id: string): void {
    this.#shownAt.delete(id);
  }
}
