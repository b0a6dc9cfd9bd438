import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { untilDone, type Waits } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Flushes } from './wal.ts';

/** Writes that are flushed together. */
export interface Group {
  /** Resolves when all of them are on disk; rejects if none ever will be. */
  readonly done: Promise<void>;
}

interface OpenGroup extends Group {
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Commits everything written in one turn of the event loop, or while the disk is busy, together: the disk needs some
 * milliseconds, for one write as for a hundred. No write is reported before it is on disk. Methods are called by the
 * holder of the connection, except the commit, which queues for it.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #line: Fifo;
  /** Undefined for an in-memory database. */
  readonly #flushes: Flushes | undefined;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #open: OpenGroup | undefined;

  constructor(database: DatabaseSync, clock: Clock, line: Fifo, flushes?: Flushes) {
    this.#database = database;
    this.#clock = clock;
    this.#line = line;
    this.#flushes = flushes;
    this.#begin = database.prepare('begin immediate');
    this.#commit = database.prepare('commit');
  }

  /** The open group, not committed yet. */
  get open(): Group | undefined {
    return this.#open;
  }

  /** Starts a group unless one is open. Takes the write lock here, so that lock conflicts occur only here. */
  async join(): Promise<Group> {
    if (this.#open) return this.#open;
    // Leftovers of a failed rollback would make every later transaction fail.
    if (this.#database.isTransaction) this.#database.exec('rollback');
    await retryWhileLocked(this.#clock, () => this.#begin.run());
    const { promise: done, resolve, reject } = Promise.withResolvers<void>();
    // There may be no listener left.
    done.catch(() => {});
    const group: OpenGroup = { done, resolve, reject };
    this.#open = group;
    void this.#commitSoon(group);
    return group;
  }

  /** Commits the open group; the flush follows. Never rejects: the group's promises do. */
  async commit(): Promise<void> {
    const group = this.#open;
    if (!group) return;
    try {
      await retryWhileLocked(this.#clock, () => this.#commit.run());
    } catch (error) {
      return this.lose(error);
    }
    this.#open = undefined;
    if (this.#flushes) void this.flush().then(group.resolve);
    else group.resolve();
  }

  /** Resolves when all commits are on disk. */
  async flush(): Promise<void> {
    await this.#flushes?.flush();
  }

  /** Call after an error in the group: SQLite ends a transaction by itself if the disk is full. */
  check(error: unknown): void {
    if (this.#open && !this.#database.isTransaction) this.lose(error);
  }

  /** Rolls back the open group. */
  lose(error: unknown): void {
    const group = this.#open;
    this.#open = undefined;
    try {
      if (this.#database.isTransaction) this.#database.exec('rollback');
    } catch {
      // The disk is unavailable: the next group starts by rolling back what this one left.
    }
    group?.reject(error);
  }

  async #commitSoon(group: OpenGroup): Promise<void> {
    await this.#flushes?.underWay;
    setImmediate(() => void this.#commitInTurn(group));
  }

  async #commitInTurn(group: OpenGroup): Promise<void> {
    if (this.#open !== group) return;
    await this.#line.enter({ first: true });
    try {
      if (this.#open === group) await this.commit();
    } finally {
      this.#line.leave();
    }
  }
}

/** How much runs in one turn of the event loop, before input, timers and answers get theirs. */
const mostInTurn = 32;

/** A mutex with a first-come, first-served queue; releasing it wakes only one waiter, however many there are. */
export class Fifo {
  // In the order in which they came: removing the first of an array would move all the others.
  readonly #waiting = new Set<() => void>();
  readonly #ahead = new Set<() => void>();
  #taken = false;
  #inTurn = 0;

  /** `first`: ahead of all waiting entries. */
  async enter({ first = false } = {}): Promise<void> {
    const line = first ? this.#ahead : this.#waiting;
    if (this.#taken) await new Promise<void>((resolve) => line.add(resolve));
    this.#taken = true;
    if (!first) await this.breathe();
  }

  /** Counts work that blocks the loop; after too much in one turn, waits for the next. */
  async breathe(): Promise<void> {
    if (this.#inTurn >= mostInTurn) await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.#inTurn === 0) setImmediate(() => (this.#inTurn = 0));
    this.#inTurn += 1;
  }

  /** Passes the lock to the next waiter: it stays locked, so that no newcomer slips in. */
  leave(): void {
    const line = this.#ahead.size > 0 ? this.#ahead : this.#waiting;
    const [next] = line;
    if (!next) {
      this.#taken = false;
      return;
    }
    line.delete(next);
    next();
  }
}

/** Delay between attempts while another process has the database locked, in milliseconds. */
const waits: Waits = { first: 5, longest: 250 };
/** This many attempts take half a minute. */
const mostTries = 125;
const SQLITE_BUSY = 5;

/** Whether another process currently has the database locked. */
function isBusy(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { readonly code?: unknown; readonly errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' && (errcode & 0xff) === SQLITE_BUSY;
}

/**
 * Runs synchronously if possible, and retries for half a minute if another process has the database locked. SQLite
 * itself never waits for a lock, because that would block the event loop.
 */
export function retryWhileLocked<T>(clock: Clock, work: () => T): T | Promise<T> {
  try {
    return work();
  } catch (error) {
    if (!isBusy(error)) throw error;
    const failed = (again: unknown, tries: number) => {
      if (!isBusy(again) || tries >= mostTries) throw again;
    };
    return untilDone(async () => work(), { clock, waits, failed });
  }
}
