import { type Kysely, sql } from 'kysely';

/** A budget lasts a day, in any time zone: older spending counts against none. */
const backfilled = 2 * 86_400_000;

/**
 * Sums for budgets, so that a check costs the same however many calls there are; drops the list of administrators.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
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
  const since = Date.now() - backfilled;
  const all = sql.lit('');
  const [platform, workspace, channel, person] = ['platform', 'workspace', 'channel', 'person'].map((name) =>
    sql.ref(name),
  );
  for (const scope of [
    [all, all, all, all],
    [platform, workspace, all, all],
    [platform, workspace, channel, all],
    [platform, all, all, person],
    [platform, workspace, all, person],
    [platform, workspace, channel, person],
  ]) {
    await sql`insert into budget_use
      select ${sql.join(scope)}, created_at / 900000, sum(high) from ledger where created_at >= ${since}
      group by 1, 2, 3, 4, 5`.execute(database);
  }
  await database.schema.dropTable('administrators').execute();
}
