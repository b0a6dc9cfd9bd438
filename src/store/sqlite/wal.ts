import { type FileHandle, open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { untilDone, type Waits } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { identityOf } from './database-file.ts';

/** A longer log is checkpointed into the database and then restarted, in bytes. */
export const longestLog = 32 * 1024 ** 2;
/** The length is checked once per this many flushes. */
const flushesALook = 32;
/** Delay between attempts if the disk fails, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 60_000 };

/** Disk operations of a database, none of them on the event loop's thread. */
export interface Disk {
  /** Flushes commits to disk. */
  flush(): Promise<void>;
  /** Writes the log into the database and flushes both, then restarts the log if nobody is reading it. */
  checkpoint(): Promise<void>;
  /** Length of the log in bytes. */
  length(): Promise<number>;
  close(): Promise<void>;
}

/** The target of a checkpoint. */
export interface Checkpoint {
  readonly file: string;
  /** Identity of the opened file; another may have its name in the meantime. */
  readonly identity: string | undefined;
}

/** The write-ahead log of a database file on disk. Call when the database is open. */
export function walOf(file: string): Disk {
  const identity = identityOf(file);
  let opened: Promise<FileHandle> | undefined;
  // SQLite holds no lock on this file, so opening and closing it loses none.
  const handle = () => {
    opened ??= open(`${file}-wal`, 'r+');
    opened.catch(() => (opened = undefined));
    return opened;
  };
  return {
    flush: async () => (await handle()).datasync(),
    checkpoint: () => checkpointed({ file, identity }),
    length: async () => (await (await handle()).stat()).size,
    close: async () => (await opened?.catch(() => {}))?.close(),
  };
}

function checkpointed(workerData: Checkpoint): Promise<void> {
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData });
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
}

/**
 * Flushes commits to disk, one flush at a time: commits made during one go with the next. Checkpoints when the log
 * has grown long.
 */
export class Flushes {
  readonly #disk: Disk;
  readonly #clock: Clock;
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #count = 0;
  #checkpoint: Promise<void> | undefined;

  constructor(disk: Disk, clock: Clock) {
    this.#disk = disk;
    this.#clock = clock;
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
    } catch {
      await untilDone(() => this.#disk.checkpoint(), { clock: this.#clock, waits });
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
