import { type Kysely, sql } from 'kysely';

/** An index for finding a channel's renders without reading all others. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create index renders_at on renders (
      json_extract(message, '$.platform'),
      json_extract(message, '$.workspace'),
      json_extract(message, '$.channel'),
      created_at
    ) where delivered is null`.execute(database);
}
