import type { Kysely } from 'kysely';

/** When paid calls were sent. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('ledger').addColumn('sent_at', 'bigint').execute();
}
