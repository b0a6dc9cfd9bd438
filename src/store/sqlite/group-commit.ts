import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../lib/clock.ts';
import type { Fifo } from './fifo.ts';
import { retryWhileLocked } from './retry-while-locked.ts';
import type { Flushes } from './wal.ts';

/** Writes that reach the disk together. */
export interface Group {
  /** Resolves when they are on the disk; rejects where they will never be, none of them. */
  readonly done: Promise<void>;
}

interface OpenGroup extends Group {
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * All that is written in one turn of the event loop, or while the disk is busy, is committed together: the disk takes
 * some milliseconds, for one write as for a hundred. Nobody hears that something is written before it is on the disk.
 * What is here is called by whoever is first in the line, but for the commit, which takes its own place there.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #line: Fifo;
  /** Undefined in memory, where there is no disk. */
  readonly #flushes: Flushes | undefined;
  #open: OpenGroup | undefined;

  constructor(database: DatabaseSync, clock: Clock, line: Fifo, flushes?: Flushes) {
    this.#database = database;
    this.#clock = clock;
    this.#line = line;
    this.#flushes = flushes;
  }

  /** The group that was begun and isn't committed yet. */
  get open(): Group | undefined {
    return this.#open;
  }

  /** Begins a group where none is open. The write lock is taken here, so that it is met here and nowhere else. */
  async join(): Promise<Group> {
    if (this.#open) return this.#open;
    // What a failed rollback left would make every later transaction fail.
    if (this.#database.isTransaction) this.#database.exec('rollback');
    await retryWhileLocked(this.#clock, () => this.#database.exec('begin immediate'));
    const { promise: done, resolve, reject } = Promise.withResolvers<void>();
    // Nobody may be left to hear of it.
    done.catch(() => {});
    const group: OpenGroup = { done, resolve, reject };
    this.#open = group;
    void this.#commitSoon(group);
    return group;
  }

  /** Commits what is open; the disk follows. Never rejects: those in the group hear of it. */
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

  /** Resolves when all that is committed is on the disk. */
  async flush(): Promise<void> {
    await this.#flushes?.flush();
  }

  /** Call after a failure inside: SQLite ends a transaction by itself where the disk is full. */
  check(error: unknown): void {
    if (this.#open && !this.#database.isTransaction) this.lose(error);
  }

  /** Takes everything in the open group back. */
  lose(error: unknown): void {
    const group = this.#open;
    this.#open = undefined;
    try {
      if (this.#database.isTransaction) this.#database.exec('rollback');
    } catch {
      // The disk is away: the next group begins by taking back what this one has left.
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
