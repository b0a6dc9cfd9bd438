import { type Kysely, sql } from 'kysely';

/** Turns in conversations, for several processes. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('turns')
    .addColumn('job', 'text', (column) => column.primaryKey())
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('process', 'text', (column) => column.notNull())
    .addColumn('person', 'text', (column) => column.notNull())
    .addColumn('place', 'text', (column) => column.notNull())
    .addColumn('conversation', 'text')
    .addColumn('at_once', 'integer')
    .addColumn('slot', 'integer')
    .addColumn('stopped', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await database.schema.createIndex('turns_number').on('turns').column('number').execute();
  await database.schema.createIndex('turns_process').on('turns').column('process').execute();
  await database.schema.createIndex('turns_place').on('turns').columns(['place', 'person']).execute();
  // Whatever two processes see of each other, no slot is taken twice, and nobody has two.
  await sql`create unique index turns_slot on turns (conversation, slot)`.execute(database);
  await sql`create unique index turns_person on turns (conversation, person) where slot is not null`.execute(
    database,
  );
}
