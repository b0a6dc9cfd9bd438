import type { Transaction } from 'kysely';
import type { Database, Tables } from '../../../store/index.ts';

/** A change being made, and the number it takes. */
export interface Change {
  readonly transaction: Transaction<Tables>;
  readonly revision: number;
}

/**
 * Makes one change of what pages show, all of it or nothing. Its revision is greater than every earlier one's,
 * and becomes visible after theirs: whoever has seen revision 7 asks for what came after 7 and misses nothing.
 */
export function withRevision<Result>(
  database: Database,
  work: (withRevision: Change) => Promise<Result>,
): Promise<Result> {
  return database.transaction().execute(async (transaction) => {
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
