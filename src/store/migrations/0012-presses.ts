import { type Kysely, sql } from 'kysely';

/** What a press gave, so that the same press gives nothing more while that's under way. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('jobs').addColumn('press', 'text').execute();
  await sql`create unique index jobs_press on jobs (press) where press is not null`.execute(database);
}
