import { EventEmitter } from 'node:events';
import { type Clock, KeyedQueue, sleep, type UntilAlive } from '../lib/clock.ts';
import { randomId } from '../lib/text.ts';

/** Runs work for one key one piece at a time, in all processes of the bot. */
export interface Locks {
  /**
   * Does `work` when nobody else does work for `key`. In one process pieces run in the order they were given; between
   * processes in any order. The lock of a process is free once that one's lease has ended. Rejects where the database is
   * away. Work goes on where this process is taken for dead meanwhile, and may no longer be alone: a lock spares trying
   * twice, rows guard what must happen once.
   */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Words between the processes of the bot. One that's lost must do no harm: look at the database now and then, too. */
export interface Signals {
  /** Reaches every living process, this one too. Rejects only where the database is away. `text`: at most 7,000 bytes. */
  send(topic: string, text: string): Promise<void>;
  /** Listens; returns what stops it. */
  on(topic: string, listener: (text: string) => void): () => void;
}

/** Uses of something that all processes together may use only so often. */
export interface Slots {
  /**
   * 0: used once now. Otherwise nothing was used; the milliseconds until asking again makes sense. `kept`: none is used unless
   * more than so many are free, as far as this process knows; none by default.
   */
  take(kept?: number): Promise<number>;
}

/** Counts what happens, in all processes together. */
export interface Tally {
  /** Counts so many more, which may be none; resolves with how many there were lately. Rejects if the database is away. */
  add(count: number): Promise<number>;
}

/** The other processes of the bot, as this one sees them. */
export interface Others {
  /**
   * Renews this process's lease and watches those of the others; returns what ends that. `gone`: one or more have ended or
   * died, and what they had in hand is anybody's. `takenForDead`: this process hasn't renewed its lease for so long that
   * others took its work over: it must stop at once.
   */
  watch(on: {
    readonly gone: () => void;
    readonly takenForDead: () => void;
    /** Puts this process on record again, where the database has come back without it: nobody has taken its work then. */
    readonly beginAgain: () => Promise<void>;
  }): () => void;
  /** The processes that live, this one too. Rejects if the database is away. */
  living(): Promise<ReadonlySet<string>>;
  /**
   * Those of them that are connected to the database at this moment and have renewed their leases lately, as a hint before
   * a lease ends: another has most likely died, or hangs. Rejects if the database is away.
   */
  present(): Promise<ReadonlySet<string>>;
  /** Tells them that this process has ended, and what it had in hand is anybody's. Rejects if the database is away. */
  ended(): Promise<void>;
}

/** The shared parts of the processes of one bot, besides their data. */
export interface Coordination {
  /** This process's id: random, new at every start. Rows of work under way carry it. */
  readonly process: string;
  readonly locks: Locks;
  readonly signals: Signals;
  /**
   * At most `count` uses of `name` in any stretch of `milliseconds`, by all processes. Undefined in a process that's
   * alone: what it counts itself is all there is.
   */
  readonly slots?: (name: string, count: number, milliseconds: number) => Slots;
  /** What happened in the last `milliseconds` in all processes. Undefined in a process that's alone: {@link memoryTally}. */
  readonly tally?: (name: string, milliseconds: number) => Tally;
  readonly others: Others;
  /** Undefined in a process that's alone: nobody takes it for dead. */
  readonly untilAlive?: UntilAlive;
  /**
   * Awaited right before what must happen once and is on record as begun: rejects where others have taken this process
   * for dead, or nobody knows because the database is away. Undefined in a process that's alone.
   */
  readonly expectLiving?: () => Promise<void>;
  close(): Promise<void>;
}

/** Waits for a slot and uses it; `kept` as of {@link Slots.take}. Rejects if `signal` is aborted before. */
export async function waitForSlot(
  slots: Slots,
  clock: Clock,
  signal?: AbortSignal,
  kept?: number,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const wait = await slots.take(kept);
    if (wait <= 0) return;
    await sleep(clock, wait, signal);
  }
}

/** Signals that reach this process only. */
export function signalsHere(): Signals {
  const heard = new EventEmitter().setMaxListeners(0);
  return {
    async send(topic, text) {
      heard.emit(topic, text);
    },
    on(topic, listener) {
      heard.on(topic, listener);
      return () => void heard.off(topic, listener);
    },
  };
}

/** A process that has its database to itself: everything is in memory. */
export function alone(): Coordination {
  const process = randomId();
  return {
    process,
    locks: new KeyedQueue(),
    signals: signalsHere(),
    others: {
      watch: () => () => {},
      living: async () => new Set([process]),
      present: async () => new Set([process]),
      async ended() {},
    },
    async close() {},
  };
}

/** Parts of a window that are forgotten as a whole: a window is longer by at most one. */
export const tallyParts = 10;

/** The {@link Tally} of one process. */
export function memoryTally(clock: Pick<Clock, 'steady'>, milliseconds: number): Tally {
  const lengthOfPart = milliseconds / tallyParts;
  const counts = new Map<number, number>();
  return {
    async add(count) {
      const now = Math.floor(clock.steady() / lengthOfPart);
      for (const part of counts.keys()) if (part < now - tallyParts) counts.delete(part);
      if (count > 0) counts.set(now, (counts.get(now) ?? 0) + count);
      return [...counts.values()].reduce((sum, one) => sum + one, 0);
    },
  };
}
