import { EventEmitter } from 'node:events';
import type { Coordination } from '../../coordination/index.ts';
import { type Clock, inTime, sleep } from '../../lib/clock.ts';
import type { Database } from '../../store/index.ts';
import type { StopOutcome } from './turns.ts';

/** How often a process that has turns looks whether one is to be stopped, if no signal comes, in milliseconds. */
const lookForStopsEvery = 2_000;
/** How long a stop waits for a response, in milliseconds: longer than until the next look. */
const patience = 3_000;
/** Asks the process that has a job's turn to stop it. */
const stopTurn = 'stop-turn';
/** The response. */
const turnStops = 'turn-stops';

/** What turns of several processes need. */
export interface SharedTurnsDependencies {
  readonly database: Database;
  readonly coordination: Pick<Coordination, 'process' | 'signals'>;
  readonly clock: Clock;
}

/** Stops turns that another process has: what's asked for is in the turn's row, and a signal hurries it. */
export class Stops {
  readonly #dependencies: SharedTurnsDependencies;
  /** What stops the turns of this process, by job. */
  readonly #mine = new Map<string, () => void>();
  /** Tells those who wait for a response, by job. */
  readonly #answered = new EventEmitter().setMaxListeners(0);
  #isLooking = false;

  constructor(dependencies: SharedTurnsDependencies) {
    this.#dependencies = dependencies;
    const { signals } = dependencies.coordination;
    signals.on(stopTurn, (job) => this.#stopMine(job));
    signals.on(turnStops, (job) => void this.#answered.emit(job));
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
    this.#answered.on(job, answered);
    try {
      const { numUpdatedRows } = await database
        .updateTable('turns')
        .set({ stopped: 1 })
        .where('job', '=', job)
        .executeTakeFirst();
      if (Number(numUpdatedRows) === 0) return 'not-found';
      await coordination.signals.send(stopTurn, job);
      return await inTime(clock, patience, response, 'no-response');
    } finally {
      this.#answered.off(job, answered);
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
      await sleep(clock, lookForStopsEvery);
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

/** How often turns that wait look at their queue if no signal comes, in milliseconds. */
const lookAtQueueEvery = 1_000;
/** Told when a turn has ended; the text is its conversation or its place. */
const topic = 'turn-ended';

interface Change {
  readonly promise: Promise<void>;
  readonly forget: () => void;
  listeners: number;
}

/** Tells turns that wait when to look at their queue: all of this process's in one queue at the same moment. */
export class Changes {
  readonly #signals: Coordination['signals'];
  readonly #clock: Clock;
  /** The next one of each queue that turns wait in. */
  readonly #next = new Map<string, Change>();
  /** Wakes them, by conversation and place. */
  readonly #ended = new EventEmitter().setMaxListeners(0);

  constructor(signals: Coordination['signals'], clock: Clock) {
    this.#signals = signals;
    this.#clock = clock;
    signals.on(topic, (text) => void this.#ended.emit(text));
  }

  /** A turn of a conversation, given in a place, has ended. */
  async tell(conversation: string | null, place: string): Promise<void> {
    for (const text of new Set([conversation ?? place, place])) await this.#signals.send(topic, text);
  }

  /** `changed` resolves when a turn of these has ended, or after a while. Listen before looking at the queue. */
  listen(
    conversation: string,
    place: string,
  ): { readonly changed: Promise<void>; readonly stop: () => void } {
    const key = JSON.stringify([conversation, place]);
    const change = this.#next.get(key) ?? this.#add(key, new Set([conversation, place]));
    change.listeners++;
    const stop = () => {
      if (--change.listeners === 0) change.forget();
    };
    return { changed: change.promise, stop };
  }

  #add(key: string, texts: ReadonlySet<string>): Change {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => {
      change.forget();
      resolve();
    };
    const cancel = this.#clock.after(lookAtQueueEvery, wake);
    const forget = () => {
      cancel();
      if (this.#next.get(key) === change) this.#next.delete(key);
      for (const text of texts) this.#ended.off(text, wake);
    };
    const change: Change = { promise, forget, listeners: 0 };
    this.#next.set(key, change);
    for (const text of texts) this.#ended.on(text, wake);
    return change;
  }
}
