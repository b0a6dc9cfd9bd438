import type { PlatformName } from '../../port/index.ts';
import type { LastingState } from '../../service/index.ts';

/** All that is kept of a render while it waits, besides its row. */
export interface PendingRender {
  readonly id: string;
  readonly job: string;
  /** Where it's posted: a process that runs this platform goes on with it. */
  readonly platform: PlatformName;
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

/** A render that nothing is known about but its row. */
export function pendingRender({
  id,
  job,
  platform,
}: Pick<PendingRender, 'id' | 'job' | 'platform'>): PendingRender {
  return { id, job, platform, unansweredQueries: 0, failures: 0 };
}

/** A render that waits, and for how many milliseconds from now. */
export interface Sleeper {
  readonly render: PendingRender;
  readonly milliseconds: number;
}

/** Decides when renders go on. A render is either in one process's hand, or it waits here for its time. */
export interface WakeUps {
  /** Whether any process may take what this one puts here. */
  readonly areShared: boolean;
  /** Begins to call `onDue` whenever something may be due. `isInHand`: whether this process is at work on a render. */
  start(onDue: () => void, isInHand: (id: string) => boolean): void;
  /**
   * Leaves renders alone for a while. What another process has in hand, or waits here already, stays as it is. Rejects
   * if the database is away: they're still in this process's hand then.
   */
  put(sleepers: readonly Sleeper[]): Promise<void>;
  /**
   * Takes what is due, at most so many, of those platforms: it's in this process's hand then. Never rejects: if the
   * database is away, nothing is due.
   */
  take(most: number, platforms: readonly PlatformName[]): Promise<readonly PendingRender[]>;
  /** Nothing is left to do for a render that this process had in hand. */
  drop(render: PendingRender): Promise<void>;
  /** How many renders are open, in all processes, if this one has so many in hand. */
  outstanding(inHand: number): number;
  close(): Promise<void>;
}
