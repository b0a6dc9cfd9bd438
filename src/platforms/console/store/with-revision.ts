import type { Transaction } from 'kysely';
import { type Database, inTransaction, type Tables } from '../../../store/index.ts';

/** A transaction and the revision it gets. */
export interface Change {
  readonly transaction: Transaction<Tables>;
  readonly revision: number;
}

/**
 * Makes one change in a transaction with a new revision. Revisions become visible in order, so a page that has
 * revision 7 misses nothing when it asks for changes after 7.
 */
export function withRevision<Result>(
  database: Database,
  work: (change: Change) => Promise<Result>,
): Promise<Result> {
  return inTransaction(database, async (transaction) => {
    const { value } = await transaction
      .updateTable('console_revision')
      .set((of) => ({ value: of('value', '+', 1) }))
      .returning('value')
      .executeTakeFirstOrThrow();
    return work({ transaction, revision: Number(value) });
  });
}

/** The newest change's revision. */
export async function newestRevision(database: Database): Promise<number> {
  const { value } = await database.selectFrom('console_revision').select('value').executeTakeFirstOrThrow();
  return Number(value);
}
