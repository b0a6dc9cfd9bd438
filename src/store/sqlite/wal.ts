import { type FileHandle, open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { untilDone, type Waits } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { identityOf } from './database-file.ts';

/** A log longer than this is written into the database itself, in bytes; then it begins anew. */
export const longestLog = 32 * 1024 ** 2;
/** The length is looked at once in so many flushes. */
const flushesALook = 32;
/** Between tries of what the disk did not take, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 60_000 };

/** What a database does with its disk, none of it in the event loop's own thread. */
export interface Disk {
  /** Brings what was committed to the disk. */
  flush(): Promise<void>;
  /** Writes the log into the database and both to the disk, then begins the log anew where nobody reads it. */
  checkpoint(): Promise<void>;
  /** The log's length in bytes. */
  length(): Promise<number>;
  close(): Promise<void>;
}

/** What a log is written into. */
export interface Checkpoint {
  readonly file: string;
  /** Of the file that was opened; another may have its name by now. */
  readonly identity: string | undefined;
}

/** The write-ahead log of a database file as it lies on the disk. Call when the database is open. */
export function walOf(file: string): Disk {
  const identity = identityOf(file);
  let opened: Promise<FileHandle> | undefined;
  // No lock of SQLite's is on this file, so that opening and closing it loses none.
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
 * Brings commits to the disk, one flush at a time: what is committed during one goes with the next, and the log is
 * written into the database when it has grown long.
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

  /** The flush that goes on just now. */
  get underWay(): Promise<void> | undefined {
    return this.#underWay;
  }

  /** Resolves when all that has been committed by now is on the disk; never rejects. */
  flush(): Promise<void> {
    this.#next ??= this.#after(this.#underWay);
    return this.#next;
  }

  /** Waits for what goes on. */
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
   * After a flush has failed nobody knows what of the log the system still means to write: everything is written
   * again, elsewhere, until that works. Nobody hears before that is true.
   */
  async #toDisk(): Promise<void> {
    try {
      await this.#disk.flush();
    } catch {
      await untilDone(() => this.#disk.checkpoint(), { clock: this.#clock, waits });
    }
  }

  /** What fails is done the next time. */
  async #shorten(): Promise<void> {
    try {
      if ((await this.#disk.length()) > longestLog) await this.#disk.checkpoint();
    } catch {
    } finally {
      this.#checkpoint = undefined;
    }
  }
}
