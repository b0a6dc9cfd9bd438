import { type Kysely, sql } from 'kysely';

/** What is being made at a place is found without reading what is made everywhere else. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create index renders_at on renders (
      json_extract(message, '$.platform'),
      json_extract(message, '$.workspace'),
      json_extract(message, '$.channel'),
      created_at
    ) where delivered is null`.execute(database);
}
