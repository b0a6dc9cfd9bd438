import type { Kysely } from 'kysely';

/** The press that confirmed a command is the event it's answered in: its answer is found by that. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('jobs').addColumn('confirmed_in', 'text').execute();
}
