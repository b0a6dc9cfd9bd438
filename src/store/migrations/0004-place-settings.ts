import type { Kysely } from 'kysely';

/**
 * Settings that administrators chose for their channels and workspaces, the log of changes, and the administrators.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('place_settings')
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('workspace', 'text', (column) => column.notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('place_settings_key', ['platform', 'workspace', 'channel', 'name'])
    .execute();

  await database.schema
    .createTable('setting_changes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('workspace', 'text', (column) => column.notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('person', 'text', (column) => column.notNull())
    .addColumn('person_name', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('setting_changes_place')
    .on('setting_changes')
    .columns(['platform', 'workspace', 'changed_at'])
    .execute();

  await database.schema
    .createTable('administrators')
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('workspace', 'text', (column) => column.notNull())
    .addColumn('person', 'text', (column) => column.notNull())
    .addColumn('locale', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('administrators_key', ['platform', 'workspace'])
    .execute();
}
