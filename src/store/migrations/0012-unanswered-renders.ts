import type { Kysely } from 'kysely';

/** Keeps across restarts how long a render's status requests went unanswered, so that polling ends. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('renders')
    .addColumn('unanswered_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}
