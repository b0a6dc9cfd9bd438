import type { Kysely } from 'kysely';

/** What people chose for themselves with `/me`. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('personal_defaults')
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('workspace', 'text', (column) => column.notNull())
    .addColumn('person', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('personal_defaults_key', ['platform', 'workspace', 'person', 'name'])
    .execute();
}
