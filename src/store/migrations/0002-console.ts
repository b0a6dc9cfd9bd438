import { type Kysely, sql } from 'kysely';

/** Channels, threads, messages and files of the console page. */
export async function up(database: Kysely<unknown>): Promise<void> {
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
    .addColumn('seconds', 'real')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema.createIndex('console_files_message').on('console_files').column('message').execute();
}
