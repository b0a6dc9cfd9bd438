import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { type Clock, untilDone, type Waits } from '../../lib/clock.ts';
import { identityOf } from './database-file.ts';

/** A longer log is checkpointed into the database and then restarted, in bytes. */
export const longestLog = 32 * 1024 ** 2;
/** The length is checked once per this many flushes. */
const flushesALook = 32;
/** Delay between attempts if the disk fails, in milliseconds. */
const diskWaits: Waits = { first: 1_000, longest: 30_000 };

/** Disk operations of a database, none of them on the event loop's thread. */
export type Disk = ReturnType<typeof walOf>;

/** The target of a checkpoint. */
export interface Checkpoint {
  readonly file: string;
  /** Identity of the opened file; another may have its name in the meantime. */
  readonly identity: string | undefined;
}

/** The write-ahead log of a database file on disk. Call when the database is open. */
export function walOf(file: string) {
  const identity = identityOf(file);
  let opened: Promise<FileHandle> | undefined;
  // SQLite holds no lock on this file, so opening and closing it loses none.
  const handle = () => {
    opened ??= open(`${file}-wal`, 'r+');
    opened.catch(() => (opened = undefined));
    return opened;
  };
  return {
    /** Flushes commits to disk. */
    flush: async () => (await handle()).datasync(),
    /** Writes the log into the database and flushes both, then restarts the log if nobody is reading it. */
    checkpoint: () => checkpointed({ file, identity }),
    /** Length of the log in bytes. */
    length: async () => (await (await handle()).stat()).size,
    close: async () => (await opened?.catch(() => {}))?.close(),
  };
}

async function checkpointed(workerData: Checkpoint): Promise<void> {
  await once(new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData }), 'exit');
}

/**
 * Flushes commits to disk, one flush at a time: commits made during one go with the next. Checkpoints when the log
 * has grown long.
 */
export class Flushes {
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #failed: (error: unknown) => void;
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #count = 0;
  #checkpoint: Promise<void> | undefined;

  /** `failed`: told why what was committed can't be brought to the disk, each time. */
  constructor(disk: Disk, clock: Clock, failed: (error: unknown) => void = () => {}) {
    this.#disk = disk;
    this.#clock = clock;
    this.#failed = failed;
  }

  /** The current flush. */
  get underWay(): Promise<void> | undefined {
    return this.#underWay;
  }

  /** Resolves when everything committed so far is on disk; never rejects. */
  flush(): Promise<void> {
    this.#next ??= this.#after(this.#underWay);
    return this.#next;
  }

  /** Waits for the current flush. */
  async close(): Promise<void> {
    await (this.#next ?? this.#underWay);
    await this.#checkpoint;
    await this.#disk.close();
  }

  async #after(before: Promise<void> | undefined): Promise<void> {
    await before;
    this.#underWay = this.#next;
    this.#next = undefined;
    await this.#toDisk();
    this.#underWay = undefined;
    this.#count += 1;
    if (this.#count % flushesALook === 0) this.#checkpoint ??= this.#shorten();
  }

  /**
   * After a failed flush it is unknown which parts of the log the system will still write: a checkpoint writes
   * everything again, elsewhere, until that works. No commit is reported before.
   */
  async #toDisk(): Promise<void> {
    try {
      await this.#disk.flush();
    } catch (error) {
      this.#failed(error);
      const persistence = { clock: this.#clock, waits: diskWaits, failed: this.#failed };
      await untilDone(() => this.#disk.checkpoint(), persistence);
    }
  }

  /** A failure is retried next time. */
  async #shorten(): Promise<void> {
    try {
      if ((await this.#disk.length()) > longestLog) await this.#disk.checkpoint();
    } catch {
    } finally {
      this.#checkpoint = undefined;
    }
  }
}

/** Writes that are flushed together: resolves when all of them are on disk; rejects if none ever will be. */
type Group = PromiseWithResolvers<void>;

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
  #open: Group | undefined;

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
  async join(): Promise<void> {
    if (this.#open) return;
    // Leftovers of a failed rollback would make every later transaction fail.
    if (this.#database.isTransaction) this.#database.exec('rollback');
    await retryWhileLocked(this.#clock, () => this.#begin.run());
    const group: Group = Promise.withResolvers();
    // There may be no listener left.
    group.promise.catch(() => {});
    this.#open = group;
    void this.#commitSoon(group);
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
    void this.flush().then(group.resolve);
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

  async #commitSoon(group: Group): Promise<void> {
    await this.#flushes?.underWay;
    setImmediate(() => void this.#commitInTurn(group));
  }

  async #commitInTurn(group: Group): Promise<void> {
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
const lockWaits: Waits = { first: 5, longest: 250 };
/** This many attempts take half a minute. */
const mostTries = 125;
const SQLITE_BUSY = 5;

/** Whether another process currently has the database locked. */
export function isBusy(error: unknown): boolean {
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
    return untilDone(async () => work(), { clock, waits: lockWaits, failed });
  }
}
