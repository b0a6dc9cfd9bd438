import { type Kysely, sql } from 'kysely';

/** What's known of a render that waits for its time, and which comes next. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('renders').addColumn('pending', 'text').execute();
  await sql`create index renders_next on renders (process, wakes_at) where delivered is null`.execute(
    database,
  );
}
