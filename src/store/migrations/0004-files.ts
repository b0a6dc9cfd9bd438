import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Files in the database, for several processes; and when each render that waits goes on. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const isPostgres = database.getExecutor().adapter instanceof PostgresAdapter;
  await database.schema
    .createTable('files')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint')
    .addColumn('written_at', 'bigint', (column) => column.notNull())
    .execute();
  await sql`create unique index files_complete on files (kind, id) where size is not null`.execute(database);
  await database.schema
    .createTable('file_chunks')
    .addColumn('file', 'text', (column) => column.notNull())
    .addColumn('start', 'bigint', (column) => column.notNull())
    .addColumn('content', isPostgres ? 'bytea' : 'blob', (column) => column.notNull())
    .addPrimaryKeyConstraint('file_chunks_key', ['file', 'start'])
    .execute();
  // Media are compressed already.
  if (isPostgres)
    await sql`alter table file_chunks alter column content set storage external`.execute(database);
  await database.schema.alterTable('renders').addColumn('wakes_at', 'bigint').execute();
  await sql`create index renders_asleep on renders (wakes_at) where delivered is null and process is null`.execute(
    database,
  );
}
