import { type Kysely, sql } from 'kysely';

/** The event of the question that a press carried out anew. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('jobs').addColumn('question', 'text').execute();
  await sql`create index jobs_question on jobs (question) where question is not null`.execute(database);
}
