import type { Locks } from '../../coordination/index.ts';
import { untilDone, type Waits } from '../../lib/clock.ts';
import { isLocal } from '../../lib/local-faults.ts';
import type { RendersDependencies } from '../dependencies.ts';
import type { PendingRender } from '../queue.ts';
import type { Render, RenderFault } from '../render.ts';
import { type RenderChange, type RenderStore, TakenOverError } from '../render-store.ts';
import type { ProgressBoard } from '../result/progress-board.ts';

/** Between tries of what this machine's disk or database refused, in milliseconds. */
export const localWaits: Waits = { first: 1_000, longest: 300_000 };

/** Dependencies of a render's lifecycle, besides those of all renders. */
export interface CourseDependencies extends RendersDependencies {
  readonly store: RenderStore;
  readonly progress: ProgressBoard;
  readonly stop: AbortSignal;
  /** How many renders are open. */
  readonly outstanding: () => number;
  /** Called before what may take long: others may go on meanwhile. */
  readonly makeRoom: () => void;
  /** The ends of jobs, posted one at a time each, by their ids. */
  readonly ends: Locks;
  /** Has another render go on, which had nothing left to do. */
  readonly wake: (render: Render) => void;
}

/** The shared state of one render's steps. */
export class LifecycleContext {
  readonly dependencies: CourseDependencies;
  readonly pending: PendingRender;

  constructor(dependencies: CourseDependencies, pending: PendingRender) {
    this.dependencies = dependencies;
    this.pending = pending;
  }

  /** Its name for `/readyz`. */
  get work(): string {
    return workOf(this.pending.id);
  }

  /** @throws the error if another process has the render by now: it's none of this one's business then. */
  noteFailure(error: unknown): void {
    if (error instanceof TakenOverError) throw error;
    const { troubles, log } = this.dependencies;
    if (isLocal(error)) troubles.note(this.work, error);
    log.warn({ render: this.pending.id, error }, 'a render cannot go on yet');
  }

  /** Tries until this machine's disk and database let it happen. */
  persistently<T>(work: () => Promise<T>): Promise<T> {
    const { clock, stop: signal, troubles } = this.dependencies;
    const failed = (error: unknown) => this.noteFailure(error);
    return untilDone(work, { clock, waits: localWaits, signal, failed }).finally(() =>
      troubles.clear(this.work),
    );
  }

  /** Records what cannot be done over: it must not be forgotten because a disk is full. */
  record(change: RenderChange): Promise<void> {
    return this.persistently(() => this.dependencies.store.change(this.pending.id, change));
  }

  recordFault(fault: RenderFault): Promise<void> {
    return this.record({ state: 'failed', fault });
  }
}

/** A render's name for `/readyz`. */
export function workOf(render: string): string {
  return `render ${render}`;
}
