import type { Kysely } from 'kysely';

/** Conversations, jobs and renders. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('keyv')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('expires', 'bigint')
    .execute();
  await database.schema.createIndex('keyv_expires').on('keyv').column('expires').execute();

  await database.schema
    .createTable('jobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('event_id', 'text', (column) => column.notNull().unique())
    .addColumn('command', 'text', (column) => column.notNull())
    .addColumn('options', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('requester', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema.createIndex('jobs_state').on('jobs').column('state').execute();

  await database.schema
    .createTable('renders')
    .addColumn('id', 'text', (column) => column.primaryKey().references('jobs.id'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('conversation_id', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('task_id', 'text')
    .addColumn('result', 'text')
    .addColumn('delivered', 'text')
    .addColumn('fault', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('deadline_at', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await database.schema.createIndex('renders_state').on('renders').column('state').execute();
}
