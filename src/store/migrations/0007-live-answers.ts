import type { Kysely } from 'kysely';

/** All that people can read of an answer under way, and how it ended: what a crash leaves is kept whole. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('live_answers').addColumn('last_piece', 'text').execute();
  await database.schema.alterTable('live_answers').addColumn('ending', 'text').execute();
  await database.schema
    .createTable('live_answer_pieces')
    .addColumn('job_id', 'text', (column) => column.notNull().references('jobs.id'))
    .addColumn('piece', 'integer', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('live_answer_pieces_in_order', ['job_id', 'piece'])
    .execute();
}
