import type { Kysely } from 'kysely';

/** Answers under way, and what a platform needs to settle a command after a crash. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('live_answers')
    .addColumn('job_id', 'text', (column) => column.primaryKey().references('jobs.id'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('messages', 'text', (column) => column.notNull())
    .addColumn('last_text', 'text', (column) => column.notNull())
    .execute();
  await database.schema.alterTable('jobs').addColumn('acknowledgement', 'text').execute();
  await database.schema.createIndex('jobs_created_at').on('jobs').column('created_at').execute();
}
