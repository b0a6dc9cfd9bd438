import type { Kysely } from 'kysely';

/** What people think of answers: one vote for each person and answer. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('feedback')
    .addColumn('job', 'text', (column) => column.notNull())
    .addColumn('person', 'text', (column) => column.notNull())
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('workspace', 'text', (column) => column.notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('good', 'integer', (column) => column.notNull())
    .addColumn('voted_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_by_person', ['job', 'person'])
    .execute();
  await database.schema
    .createIndex('feedback_by_place')
    .on('feedback')
    .columns(['platform', 'workspace', 'voted_at'])
    .execute();
}
