import { untilDone, type Waits } from '../../lib/backoff.ts';
import type { KeyedQueue } from '../../lib/keyed-queue.ts';
import { isLocal } from '../../lib/local-faults.ts';
import type { LastingState } from '../../service/index.ts';
import type { RendersDependencies } from '../dependencies.ts';
import type { RenderFault } from '../render.ts';
import type { RenderChange, RenderStore } from '../render-store.ts';
import type { ProgressBoard } from '../result/progress-board.ts';

/** Between tries of what this machine's disk or database refused, in milliseconds. */
export const localWaits: Waits = { first: 1_000, longest: 300_000 };

/** All that is kept in memory of a render while it waits. */
export interface PendingRender {
  readonly id: string;
  readonly job: string;
  /** Milliseconds until the service is asked about it; undefined while it has something else to do. */
  spacing?: number | undefined;
  /** Status queries in a row that the service did not answer. */
  unansweredQueries: number;
  /** What the service answered before, where that may need a second look. */
  lastingState?: LastingState;
  /** Steps in a row that failed on this machine. */
  failures: number;
  /** Its requester was told that it can't be brought to them directly. */
  isStuck?: boolean;
  /** Gives up its place in the queue for the key's limits, where it waits there. */
  leaveQueue?: () => void;
}

/** What a render's lifecycle needs besides what all renders need. */
export interface CourseDependencies extends RendersDependencies {
  readonly store: RenderStore;
  readonly progress: ProgressBoard;
  readonly stop: AbortSignal;
  /** How many renders are open. */
  readonly outstanding: () => number;
  /** Called before what may take long: others may go on meanwhile. */
  readonly makeRoom: () => void;
  /** The ends of jobs, posted one at a time each. */
  readonly ends: KeyedQueue;
  /** Has another render go on, which had nothing left to do. */
  readonly wake: (id: string, job: string) => void;
}

/** What the steps of one render share. */
export class LifecycleContext {
  readonly dependencies: CourseDependencies;
  readonly pending: PendingRender;

  constructor(dependencies: CourseDependencies, pending: PendingRender) {
    this.dependencies = dependencies;
    this.pending = pending;
  }

  /** Its name for `/readyz`. */
  get work(): string {
    return `render ${this.pending.id}`;
  }

  noteFailure(error: unknown): void {
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
