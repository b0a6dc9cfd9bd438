import type { Kysely } from 'kysely';

/** Messages that are to be removed, until the platform has removed them. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('removals')
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('removals_key', ['platform', 'channel', 'message'])
    .execute();
}
