import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { identityOf } from './database-file.ts';
import type { Checkpoint } from './wal.ts';

/** How long to wait for another writer, in milliseconds: nobody waits for this thread. */
const patience = 500;
/** Passes that copy what was written meanwhile, less each time, before writers are blocked for the rest. */
const passes = 3;

const { file, identity }: Checkpoint = workerData;
// SQLite would recreate a deleted file, and write this log over a backup restored there.
if (identity === undefined || identityOf(file) !== identity)
  throw new Error('the database was deleted or replaced');

using database = new DatabaseSync(file, { timeout: patience });
database.exec('pragma synchronous = full');
const pass = database.prepare('pragma wal_checkpoint(passive)');
for (let count = 0; count < passes; count++) {
  const [{ busy, log, checkpointed } = {}] = pass.all();
  // During another checkpoint it does nothing, and returns no numbers.
  if (busy !== 0 || Number(checkpointed) < Number(log))
    throw new Error('the log could not be written into the database');
}
// The rest takes the write lock for a moment.
database.exec('pragma wal_checkpoint(truncate)');
