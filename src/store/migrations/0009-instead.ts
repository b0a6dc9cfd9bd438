import type { Kysely } from 'kysely';

/** What a message asks for if it isn't the command that it looks like. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('jobs').addColumn('instead', 'text').execute();
}
