import type { Kysely } from 'kysely';

/** The ledger of paid calls. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('ledger')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('job', 'text', (column) => column.notNull())
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('workspace', 'text', (column) => column.notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('thread', 'text')
    .addColumn('person', 'text', (column) => column.notNull())
    .addColumn('person_name', 'text', (column) => column.notNull())
    .addColumn('conversation_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('quantity', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('estimated', 'integer', (column) => column.notNull())
    .addColumn('low', 'bigint', (column) => column.notNull())
    .addColumn('high', 'bigint', (column) => column.notNull())
    .addColumn('request_id', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('settled_at', 'bigint')
    .execute();
  await database.schema.createIndex('ledger_job').on('ledger').column('job').execute();
  await database.schema.createIndex('ledger_state').on('ledger').column('state').execute();
  // Covers the sums for budgets, so that they need only the index.
  await database.schema
    .createIndex('ledger_workspace')
    .on('ledger')
    .columns(['platform', 'workspace', 'created_at', 'high'])
    .execute();
  await database.schema
    .createIndex('ledger_channel')
    .on('ledger')
    .columns(['platform', 'workspace', 'channel', 'created_at', 'person', 'high'])
    .execute();
  await database.schema
    .createIndex('ledger_person')
    .on('ledger')
    .columns(['platform', 'person', 'created_at', 'high'])
    .execute();
}
