import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { identityOf } from './database-file.ts';
import type { Checkpoint } from './wal.ts';

/** How long another writer is waited for, in milliseconds: nobody waits for this thread. */
const patience = 500;
/** So many times what was written meanwhile is brought over, each time less, before anybody is held up for the rest. */
const passes = 3;

const { file, identity }: Checkpoint = workerData;
// SQLite would make a new one in the place of one that was deleted, and write this log over a backup put there.
if (identity === undefined || identityOf(file) !== identity)
  throw new Error('the database was deleted or replaced');

const database = new DatabaseSync(file, { timeout: patience });
try {
  database.exec('pragma synchronous = full');
  const pass = database.prepare('pragma wal_checkpoint(passive)');
  for (let count = 0; count < passes; count++) {
    const [{ busy, log, checkpointed } = {}] = pass.all();
    // Beside another checkpoint it does nothing, and has no figures.
    if (busy !== 0 || Number(checkpointed) < Number(log))
      throw new Error('the log could not be written into the database');
  }
  // The rest takes a moment of the write lock.
  database.exec('pragma wal_checkpoint(truncate)');
} finally {
  database.close();
}
