import type { Kysely } from 'kysely';

/** The messages of answers, so that all of them can be deleted; and whose were. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('answer_messages')
    .addColumn('job', 'text', (column) => column.notNull())
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('noted_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('answer_messages_key', ['job', 'channel', 'message'])
    .execute();
  await database.schema
    .createIndex('answer_messages_message')
    .on('answer_messages')
    .columns(['platform', 'message'])
    .execute();
  await database.schema.alterTable('jobs').addColumn('deleted', 'text').execute();
}
