import type { Kysely } from 'kysely';

/** Locks of several processes. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('locks')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('process', 'text', (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull())
    .execute();
}
