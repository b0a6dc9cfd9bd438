import type { Clock } from '../../lib/clock.ts';
import type { Job, PlatformAdapters } from '../../port/index.ts';
import type { Render } from '../render.ts';
import { presentationOf, type RenderPresenters, type RenderProgress } from './presenter.ts';

/** Between two edits that show progress, in milliseconds: each takes from the channel's rate limit. */
const spacing = 5_000;

export interface ProgressBoardDependencies {
  readonly adapters: PlatformAdapters;
  readonly presenters: RenderPresenters;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** Shows people the progress of renders. A render goes on where it can't be shown. */
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
    const message = presentationOf(presenters, render, job).progress({ elapsed, ...progress });
    await adapters(render.message.platform)
      ?.edit(render.message, message)
      .catch((error: unknown) => log.warn({ render: render.id, error }, 'progress could not be shown'));
  }

  forget(id: string): void {
    this.#shownAt.delete(id);
  }
}
