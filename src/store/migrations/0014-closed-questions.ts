import type { Kysely } from 'kysely';

/** Messages that are to show something else instead of being removed; and since when each is on record. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('removals').addColumn('shows', 'text').execute();
  await database.schema.alterTable('removals').addColumn('noted_at', 'bigint').execute();
}
