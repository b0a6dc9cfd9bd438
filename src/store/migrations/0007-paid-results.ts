import { type Kysely, sql } from 'kysely';

/** Paid results survive restarts: renders wait by running time, clips and whole answers are stored until posted. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('renders')
    .addColumn('waited_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await database.schema.alterTable('renders').dropColumn('deadline_at').execute();

  await database.schema
    .createTable('deliveries')
    .addColumn('job_id', 'text', (column) => column.primaryKey().references('jobs.id'))
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();

  await sql`create index renders_open on renders (created_at) where delivered is null`.execute(database);
}
