import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { bytesType, isPostgres, jsonText, jsonType } from '../driver.ts';

/** Conversations, jobs, renders, deliveries, the ledger, settings, feedback and the console: the first release. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await createJobs(database);
  await createRenders(database);
  await createLedger(database);
  await createSettings(database);
  await createConsole(database);
}

async function createJobs(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('keyv')
    .addColumn('key', bytesType(database), (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('expires', 'bigint')
    .execute();
  await database.schema.createIndex('keyv_expires').on('keyv').column('expires').execute();

  await database.schema
    .createTable('jobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('event_id', 'text', (column) => column.notNull().unique())
    .addColumn('command', 'text', (column) => column.notNull())
    .addColumn('options', 'text', (column) => column.notNull())
    .addColumn('address', jsonType(database), (column) => column.notNull())
    .addColumn('requester', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('acknowledgement', 'text')
    .addColumn('confirmed_in', 'text')
    .addColumn('person', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  // SQLite numbers rows by itself.
  if (isPostgres(database))
    await sql`alter table jobs add column number bigint generated always as identity`.execute(database);
  await database.schema.createIndex('jobs_state').on('jobs').column('state').execute();
  await database.schema.createIndex('jobs_created_at').on('jobs').column('created_at').execute();

  await database.schema
    .createTable('live_answers')
    .addColumn('job_id', 'text', (column) => column.primaryKey().references('jobs.id'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('messages', 'text', (column) => column.notNull())
    .addColumn('last_text', 'text', (column) => column.notNull())
    .execute();

  await database.schema
    .createTable('feedback')
    .addColumn('job', 'text', (column) => column.notNull())
    .addColumn('person', 'text', (column) => column.notNull())
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('workspace', 'text', (column) => column.notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('good', 'integer', (column) => column.notNull())
    .addColumn('voted_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_by_person', ['job', 'person'])
    .execute();
  await database.schema
    .createIndex('feedback_by_place')
    .on('feedback')
    .columns(['platform', 'workspace', 'voted_at'])
    .execute();
}

async function createRenders(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('renders')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('job', 'text', (column) => column.notNull().references('jobs.id'))
    .addColumn('part', 'integer', (column) => column.notNull().defaultTo(1))
    .addColumn('parts', 'integer', (column) => column.notNull().defaultTo(1))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('conversation_id', 'text', (column) => column.notNull())
    .addColumn('message', jsonType(database), (column) => column.notNull())
    .addColumn('task_id', 'text')
    .addColumn('result', 'text')
    .addColumn('delivered', 'text')
    .addColumn('fault', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('waited_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('unanswered_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await database.schema.createIndex('renders_state').on('renders').column('state').execute();
  await database.schema.createIndex('renders_of_job').on('renders').column('job').execute();
  await createIndexesOfOpenRenders(database);

  await database.schema
    .createTable('deliveries')
    .addColumn('job_id', 'text', (column) => column.primaryKey().references('jobs.id'))
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('held', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}

/** For those that are still to be posted: all in their order, and a channel's. */
export async function createIndexesOfOpenRenders(database: QueryExecutorProvider): Promise<void> {
  await sql`create index renders_open on renders (created_at, id) where delivered is null`.execute(database);
  const of = (name: string) => sql`(${jsonText('message', name)})`;
  await sql`create index renders_at on renders
    (${of('platform')}, ${of('workspace')}, ${of('channel')}, created_at)
    where delivered is null`.execute(database);
}

async function createLedger(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('ledger')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('job', 'text', (column) => column.notNull())
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('workspace', 'text', (column) => column.notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('thread', 'text')
    .addColumn('person', 'text', (column) => column.notNull())
    .addColumn('person_name', 'text', (column) => column.notNull())
    .addColumn('conversation_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('quantity', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('estimated', 'integer', (column) => column.notNull())
    .addColumn('low', 'bigint', (column) => column.notNull())
    .addColumn('high', 'bigint', (column) => column.notNull())
    .addColumn('request_id', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('settled_at', 'bigint')
    .execute();
  await database.schema.createIndex('ledger_job').on('ledger').column('job').execute();
  await database.schema.createIndex('ledger_state').on('ledger').column('state').execute();
  // Cover what sums read, so that they need only the index.
  await database.schema
    .createIndex('ledger_workspace')
    .on('ledger')
    .columns(['platform', 'workspace', 'created_at', 'high'])
    .execute();
  await database.schema
    .createIndex('ledger_channel')
    .on('ledger')
    .columns(['platform', 'workspace', 'channel', 'created_at', 'person', 'high'])
    .execute();
  await database.schema
    .createIndex('ledger_person')
    .on('ledger')
    .columns(['platform', 'person', 'created_at', 'high'])
    .execute();

  await database.schema
    .createTable('budget_use')
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('workspace', 'text', (column) => column.notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('person', 'text', (column) => column.notNull())
    .addColumn('quarter', 'integer', (column) => column.notNull())
    .addColumn('high', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('budget_use_key', ['platform', 'workspace', 'channel', 'person', 'quarter'])
    .execute();
  await database.schema.createIndex('budget_use_quarter').on('budget_use').column('quarter').execute();
}

async function createSettings(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('place_settings')
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('workspace', 'text', (column) => column.notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('place_settings_key', ['platform', 'workspace', 'channel', 'name'])
    .execute();

  await database.schema
    .createTable('setting_changes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('workspace', 'text', (column) => column.notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('person', 'text', (column) => column.notNull())
    .addColumn('person_name', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('setting_changes_place')
    .on('setting_changes')
    .columns(['platform', 'workspace', 'changed_at'])
    .execute();

  await database.schema
    .createTable('personal_defaults')
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('workspace', 'text', (column) => column.notNull())
    .addColumn('person', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('personal_defaults_key', ['platform', 'workspace', 'person', 'name'])
    .execute();
}

async function createConsole(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('console_revision')
    .addColumn('value', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into console_revision (value) values (0)`.execute(database);

  await database.schema
    .createTable('console_channels')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('removed', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .execute();

  await database.schema
    .createTable('console_threads')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('channel', 'text', (column) => column.notNull().references('console_channels.id'))
    .addColumn('message', 'bigint', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('removed', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .execute();

  await database.schema
    .createTable('console_messages')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('channel', 'text', (column) => column.notNull().references('console_channels.id'))
    .addColumn('thread', 'text', (column) => column.references('console_threads.id'))
    .addColumn('author', 'text', (column) => column.notNull())
    .addColumn('session', 'text')
    .addColumn('key', 'text', (column) => column.notNull().unique())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('extras', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('removed', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('console_messages_place')
    .on('console_messages')
    .columns(['channel', 'thread', 'id'])
    .execute();
  await database.schema
    .createIndex('console_messages_revision')
    .on('console_messages')
    .column('revision')
    .execute();

  await database.schema
    .createTable('console_files')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('message', 'bigint')
    .addColumn('position', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('content_type', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('seconds', 'double precision')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema.createIndex('console_files_message').on('console_files').column('message').execute();
}
