import { type Kysely, sql } from 'kysely';

/**
 * A job can have several renders: each row says whose it is, and which of how many. The table is made anew, because a
 * row's id was a job's.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const kept = sql.raw(
    'id, kind, state, request, conversation_id, message, task_id, result, delivered, fault, created_at, updated_at, attempts, waited_ms, unanswered_ms',
  );
  await database.schema
    .createTable('renders_anew')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('conversation_id', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('task_id', 'text')
    .addColumn('result', 'text')
    .addColumn('delivered', 'text')
    .addColumn('fault', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('waited_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('unanswered_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('job', 'text', (column) => column.notNull().references('jobs.id'))
    .addColumn('part', 'integer', (column) => column.notNull().defaultTo(1))
    .addColumn('parts', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await sql`insert into renders_anew (${kept}, job) select ${kept}, id from renders order by rowid`.execute(
    database,
  );
  await database.schema.dropTable('renders').execute();
  await sql`alter table renders_anew rename to renders`.execute(database);
  await sql`create index renders_state on renders (state)`.execute(database);
  await sql`create index renders_of_job on renders (job)`.execute(database);
  await sql`create index renders_open on renders (created_at) where delivered is null`.execute(database);
  await sql`
    create index renders_at on renders (
      json_extract(message, '$.platform'),
      json_extract(message, '$.workspace'),
      json_extract(message, '$.channel'),
      created_at
    ) where delivered is null`.execute(database);
}
