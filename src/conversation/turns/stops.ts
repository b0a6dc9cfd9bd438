import type { Coordination } from '../../coordination/index.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Database } from '../../store/index.ts';
import type { StopOutcome } from './turns.ts';

/** How often a process that has turns looks whether one is to be stopped, if no signal comes, in milliseconds. */
const lookEvery = 2_000;
/** How long a stop waits for a response, in milliseconds: longer than until the next look. */
const patience = 3_000;
/** Asks the process that has a job's turn to stop it. */
const stopTurn = 'stop-turn';
/** The response. */
const turnStops = 'turn-stops';

export interface StopsDependencies {
  readonly database: Database;
  readonly coordination: Pick<Coordination, 'process' | 'signals'>;
  readonly clock: Clock;
}

/** Stops turns that another process has: what's asked for is in the turn's row, and a signal hurries it. */
export class Stops {
  readonly #dependencies: StopsDependencies;
  /** What stops the turns of this process, by job. */
  readonly #mine = new Map<string, () => void>();
  /** Those who wait for a response, by job. */
  readonly #asked = new Map<string, Set<() => void>>();
  #isLooking = false;

  constructor(dependencies: StopsDependencies) {
    this.#dependencies = dependencies;
    const { signals } = dependencies.coordination;
    signals.on(stopTurn, (job) => this.#stopMine(job));
    signals.on(turnStops, (job) => {
      for (const answered of this.#asked.get(job) ?? []) answered();
    });
  }

  /** Calls `onStop` when this process's turn is to be stopped; returns what ends that. */
  watch(job: string, onStop: () => void): () => void {
    this.#mine.set(job, onStop);
    if (!this.#isLooking) void this.#keepLooking();
    return () => void this.#mine.delete(job);
  }

  async stop(job: string): Promise<StopOutcome> {
    const { database, coordination, clock } = this.#dependencies;
    const { promise: response, resolve } = Promise.withResolvers<StopOutcome>();
    const answered = () => resolve('stops');
    const asked = this.#asked.get(job) ?? new Set();
    this.#asked.set(job, asked.add(answered));
    const late = new AbortController();
    try {
      const { numUpdatedRows } = await database
        .updateTable('turns')
        .set({ stopped: 1 })
        .where('job', '=', job)
        .executeTakeFirst();
      if (Number(numUpdatedRows) === 0) return 'not-found';
      await coordination.signals.send(stopTurn, job);
      const noResponse = sleep(clock, patience, late.signal).then((): StopOutcome => 'no-response');
      noResponse.catch(() => {});
      return await Promise.race([response, noResponse]);
    } finally {
      late.abort();
      asked.delete(answered);
      if (asked.size === 0) this.#asked.delete(job);
    }
  }

  #stopMine(job: string): void {
    const stop = this.#mine.get(job);
    if (!stop) return;
    stop();
    // The person who pressed is told something else if this doesn't arrive; the answer stops in any case.
    this.#dependencies.coordination.signals.send(turnStops, job).catch(() => {});
  }

  /** Looks now and then while this process has turns: a signal may be lost. */
  async #keepLooking(): Promise<void> {
    const { database, coordination, clock } = this.#dependencies;
    this.#isLooking = true;
    while (this.#mine.size > 0) {
      await sleep(clock, lookEvery);
      if (this.#mine.size === 0) break;
      const rows = await database
        .selectFrom('turns')
        .select('job')
        .where('process', '=', coordination.process)
        .where('stopped', '=', 1)
        .execute()
        .catch(() => []);
      for (const { job } of rows) this.#stopMine(job);
    }
    this.#isLooking = false;
  }
}
