import type { Kysely } from 'kysely';

/** The press that confirmed a command becomes its answered event, by which its answer is found. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('jobs').addColumn('confirmed_in', 'text').execute();
}
