import { type Clock, untilDone, type Waits } from '../../lib/clock.ts';
import { isLocal } from '../../lib/local-faults.ts';
import { onNewError } from '../../port/index.ts';

/** Between tries, in milliseconds. */
const waits: Waits = { first: 500, longest: 10_000 };
/** So many wait at most: an outage of the database takes no more memory than this. */
const most = 1_000;

export interface MissedDeletionsDependencies {
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** A deletion that waits for the database. */
interface Missed {
  /** Does what follows from it; may be done several times. */
  readonly take: () => Promise<void>;
  /** The jobs whose answers it's known to concern. */
  readonly jobs: readonly string[];
  /** It waits no longer. */
  readonly ended: PromiseWithResolvers<void>;
}

/**
 * Deletions that the database didn't take when the platform told of them, in the order in which they came: they're tried
 * until it does, or until this process ends. Platforms tell of them once.
 */
export class MissedDeletions {
  readonly #dependencies: MissedDeletionsDependencies;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<Missed>();
  #underWay: Promise<void> | undefined;

  constructor(dependencies: MissedDeletionsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Tries `take` again until the database lets it; the oldest makes way where too many wait. */
  add({ take, jobs }: Pick<Missed, 'take' | 'jobs'>): void {
    if (this.#stop.signal.aborted) return;
    const [oldest] = this.#waiting;
    if (oldest && this.#waiting.size >= most) {
      this.#dependencies.log.warn(
        { most },
        'too many deletions wait for the database; the oldest is ignored',
      );
      this.#end(oldest);
    }
    this.#waiting.add({ take, jobs, ended: Promise.withResolvers() });
    this.#goOn();
  }

  /** Whether one waits that concerns a job's answer. */
  concerns(job: string): boolean {
    return [...this.#waiting].some(({ jobs }) => jobs.includes(job));
  }

  /** Resolves when none that concerns a job's answer waits any longer. */
  async ofJob(job: string): Promise<void> {
    const those = [...this.#waiting].filter(({ jobs }) => jobs.includes(job));
    await Promise.all(those.map(({ ended }) => ended.promise));
  }

  /** Nobody waits for the rest any longer. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('shutting down'));
    await this.#underWay;
    for (const one of this.#waiting) this.#end(one);
  }

  #goOn(): void {
    this.#underWay ??= this.#work().finally(() => {
      this.#underWay = undefined;
      if (this.#waiting.size > 0 && !this.#stop.signal.aborted) this.#goOn();
    });
  }

  async #work(): Promise<void> {
    const { clock, log } = this.#dependencies;
    const { signal } = this.#stop;
    const failed = onNewError((error) => log.warn({ error }, 'deletions wait for the database'));
    const round = async () => {
      for (const one of this.#waiting) await this.#take(one);
    };
    await untilDone(round, { clock, waits, signal, failed }).catch(() => {});
  }

  async #take(one: Missed): Promise<void> {
    this.#stop.signal.throwIfAborted();
    try {
      await one.take();
    } catch (error) {
      if (isLocal(error)) throw error;
      this.#dependencies.log.warn({ error }, 'what was deleted could not be stopped');
    }
    this.#end(one);
  }

  #end(one: Missed): void {
    this.#waiting.delete(one);
    one.ended.resolve();
  }
}
