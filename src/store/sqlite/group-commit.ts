import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../lib/clock.ts';
import type { Fifo } from './fifo.ts';
import { retryWhileLocked } from './retry-while-locked.ts';
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
  #open: OpenGroup | undefined;

  constructor(database: DatabaseSync, clock: Clock, line: Fifo, flushes?: Flushes) {
    this.#database = database;
    this.#clock = clock;
    this.#line = line;
    this.#flushes = flushes;
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
    await retryWhileLocked(this.#clock, () => this.#database.exec('begin immediate'));
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
      await retryWhileLocked(this.#clock, () => this.#database.exec('commit'));
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
