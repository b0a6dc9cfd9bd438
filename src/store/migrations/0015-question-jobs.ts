import type { Kysely } from 'kysely';

/** Whose question a message that is to show something else was. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('removals').addColumn('job', 'text').execute();
  await database.schema.createIndex('removals_job').on('removals').column('job').execute();
}
