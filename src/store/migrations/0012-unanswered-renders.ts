import type { Kysely } from 'kysely';

/** Nobody is asked about a render for ever: how long no question about it was answered outlives the process. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('renders')
    .addColumn('unanswered_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}
