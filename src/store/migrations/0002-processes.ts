import { type Kysely, sql } from 'kysely';

/** The processes of the bot, and which of them has what in hand. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('processes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('platforms', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
  await sql`create index processes_living on processes (id) where ended_at is null`.execute(database);
  for (const table of ['jobs', 'renders', 'deliveries', 'ledger'])
    await database.schema.alterTable(table).addColumn('process', 'text').execute();
  await sql`create index jobs_of_process on jobs (process) where state = 'running'`.execute(database);
  await sql`create index renders_of_process on renders (process) where delivered is null`.execute(database);
  await sql`create index deliveries_of_process on deliveries (process)`.execute(database);
  await sql`create index ledger_of_process on ledger (process) where state = 'reserved'`.execute(database);
}
