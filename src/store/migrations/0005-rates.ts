import type { Kysely } from 'kysely';

/** What all processes together have used of limits: the table of rate-limiter-flexible. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('rates')
    .addColumn('key', 'varchar(255)', (column) => column.primaryKey())
    .addColumn('points', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('expire', 'bigint')
    .execute();
}
