import type { DatabaseSync } from 'node:sqlite';
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { unusable } from '../database-error.ts';
import { isPostgres, jsonText } from '../driver.ts';
import type { Tables } from '../tables.ts';
import { first, indexesOfOpenRenders, type Statements } from './0001-first.ts';

/** A migration that makes these statements, in their order. */
function by(statements: Statements): Migration {
  return {
    async up(database) {
      for (const statement of statements(database)) await statement.execute(database);
    },
  };
}

/**
 * All schema migrations, ordered by name. A released migration is never changed, and only adds: the version before
 * goes on with the tables as they are then, while processes are replaced one after another. A migration that it can't
 * live with begins the next thousand, `1001-…`: versions before that refuse the database.
 */
export const migrations: Record<string, Migration> = {
  '0001-first': by(first),
  /** The processes of the bot, and which of them has what in hand. */
  '0002-processes': by(() => [
    sql`create table processes (
      id text primary key,
      platforms text not null,
      started_at bigint not null,
      seen_at bigint not null,
      ended_at bigint
    )`,
    sql`create index processes_living on processes (id) where ended_at is null`,
    sql`alter table jobs add column process text`,
    sql`alter table renders add column process text`,
    sql`alter table deliveries add column process text`,
    sql`alter table ledger add column process text`,
    sql`create index jobs_of_process on jobs (process) where state = 'running'`,
    sql`create index renders_of_process on renders (process) where delivered is null`,
    sql`create index deliveries_of_process on deliveries (process)`,
    sql`create index ledger_of_process on ledger (process) where state = 'reserved'`,
  ]),
  /** Turns in conversations, for several processes. */
  '0003-turns': by(() => [
    sql`create table turns (
      job text primary key,
      number bigint not null,
      process text not null,
      person text not null,
      place text not null,
      conversation text,
      at_once integer,
      slot integer,
      stopped integer not null default 0
    )`,
    sql`create index turns_number on turns (number)`,
    sql`create index turns_process on turns (process)`,
    sql`create index turns_place on turns (place, person)`,
    // Whatever two processes see of each other, no slot is taken twice, and nobody has two.
    sql`create unique index turns_slot on turns (conversation, slot)`,
    sql`create unique index turns_person on turns (conversation, person) where slot is not null`,
  ]),
  /** Files in the database, for several processes; and when each render that waits goes on. */
  '0004-files': by((database) => [
    sql`create table files (
      key text primary key,
      kind text not null,
      id text not null,
      size bigint,
      written_at bigint not null
    )`,
    sql`create unique index files_complete on files (kind, id) where size is not null`,
    sql`create table file_chunks (
      file text not null,
      start bigint not null,
      content ${isPostgres(database) ? sql`bytea` : sql`blob`} not null,
      constraint file_chunks_key primary key (file, start)
    )`,
    // Media are compressed already.
    ...(isPostgres(database) ? [sql`alter table file_chunks alter column content set storage external`] : []),
    sql`alter table renders add column wakes_at bigint`,
    sql`create index renders_asleep on renders (wakes_at) where delivered is null and process is null`,
  ]),
  /** What all processes together have used of limits: the table of rate-limiter-flexible. */
  '0005-rates': by(() => [
    sql`create table rates (
      key varchar(255) primary key,
      points integer not null default 0,
      expire bigint
    )`,
  ]),
  /** Locks of several processes. */
  '0006-locks': by(() => [
    sql`create table locks (
      name text primary key,
      process text not null,
      token text not null
    )`,
  ]),
  /** All that people can read of an answer under way, and how it ended: what a crash leaves is kept whole. */
  '0007-live-answers': by(() => [
    sql`alter table live_answers add column last_piece text`,
    sql`alter table live_answers add column ending text`,
    sql`create table live_answer_pieces (
      job_id text not null references jobs (id),
      piece integer not null,
      text text not null,
      constraint live_answer_pieces_in_order primary key (job_id, piece)
    )`,
  ]),
  /** When paid calls were sent. */
  '0008-sent-calls': by(() => [sql`alter table ledger add column sent_at bigint`]),
  /** What a message asks for if it isn't the command that it looks like. */
  '0009-instead': by(() => [sql`alter table jobs add column instead text`]),
  /** The messages of answers, so that all of them can be deleted; and whose were. */
  '0010-answer-messages': by(() => [
    sql`create table answer_messages (
      job text not null,
      platform text not null,
      channel text not null,
      message text not null,
      address text not null,
      noted_at bigint not null,
      constraint answer_messages_key primary key (job, channel, message)
    )`,
    sql`create index answer_messages_message on answer_messages (platform, message)`,
    sql`alter table jobs add column deleted text`,
  ]),
  /** What was used of limits counts for a minute: it needn't survive a crash, and so waits for no disk. */
  '0011-rates-unlogged': by((database) =>
    isPostgres(database) ? [sql`alter table rates set unlogged`] : [],
  ),
  /** What a press gave, so that the same press gives nothing more while that's under way. */
  '0012-presses': by(() => [
    sql`alter table jobs add column press text`,
    sql`create unique index jobs_press on jobs (press) where press is not null`,
  ]),
  /** Messages that are to be removed, until the platform has removed them. */
  '0013-removals': by(() => [
    sql`create table removals (
      platform text not null,
      channel text not null,
      message text not null,
      address text not null,
      constraint removals_key primary key (platform, channel, message)
    )`,
  ]),
  /** Messages that are to show something else instead of being removed; and since when each is on record. */
  '0014-closed-questions': by(() => [
    sql`alter table removals add column shows text`,
    sql`alter table removals add column noted_at bigint`,
  ]),
  /** Whose question a message that is to show something else was. */
  '0015-question-jobs': by(() => [
    sql`alter table removals add column job text`,
    sql`create index removals_job on removals (job)`,
  ]),
  /** The event of the question that a press carried out anew. */
  '0016-questions': by(() => [
    sql`alter table jobs add column question text`,
    sql`create index jobs_question on jobs (question) where question is not null`,
  ]),
  /** What's known of a render that waits for its time, and which comes next. */
  '0017-pending-renders': by(() => [
    sql`alter table renders add column pending text`,
    sql`create index renders_next on renders (process, wakes_at) where delivered is null`,
  ]),
  /** Whose commands: people export and delete what is kept about them. */
  '0018-jobs-of-person': by(() => [sql`create index jobs_of_person on jobs (person, created_at)`]),
  /** Where commands were given: what's kept about a workspace is deleted once the bot is removed from it. */
  '0019-jobs-of-place': by(() => [
    sql`create index jobs_of_place on jobs ((${jsonText('address', 'workspace')}), created_at)`,
  ]),
  /** When calls were made, wherever that was: the control room adds up what the whole bot has spent. */
  '0020-ledger-by-time': by(() => [sql`create index ledger_time on ledger (created_at, id)`]),
  /** What the operator chose for places, among all that their administrators did. */
  '0021-operators-choices': by(() => [
    sql`create index place_settings_operator on place_settings (platform, workspace) where channel = '!'`,
  ]),
  /** What people asked for, beside what it cost, where administrators choose that; and until when. */
  '0022-prompts': by(() => [
    sql`alter table ledger add column prompt text`,
    sql`alter table ledger add column prompt_until bigint`,
    sql`create index ledger_prompts on ledger (prompt_until) where prompt is not null`,
  ]),
  /** How commands ended. */
  '0023-ends': by(() => [sql`alter table jobs add column ended text`]),
  /** Whose votes and choices: people export and delete what is kept about them. */
  '0024-votes-of-person': by(() => [
    sql`create index feedback_of_person on feedback (platform, person, workspace, voted_at)`,
    sql`create index setting_changes_of_person on setting_changes (platform, person, workspace, changed_at)`,
  ]),
  /** In which servers or workspaces the messages of a deleted channel are, where the platform doesn't say. */
  '0025-messages-of-channel': by(() => [
    sql`create index answer_messages_channel on answer_messages (platform, channel)`,
  ]),
};

const known = Object.keys(migrations);
const generationOf = (name: string) => name[0];
const generation = generationOf(known.at(-1) ?? '');

/** How many changes this version has yet to make where these migrations were made. */
export function countPending(made: readonly string[]): number {
  const adoption = standingOf(made) === 'last' ? 1 : 0;
  return adoption + known.filter((name) => !made.includes(name)).length;
}

/** Migrations of a newer version; this version works on, unless one begins a new generation. */
function newerOf(made: readonly string[]): readonly string[] {
  return made.filter((name) => !known.includes(name));
}

/** The migrations before the first release, all of SQLite; `0001-first` makes what all of them made. */
const former = [
  '0002-console',
  '0003-credits',
  '0004-place-settings',
  '0005-live-answers',
  '0006-budget-use',
  '0007-paid-results',
  '0010-renders-at',
  '0011-answered-event',
  '0012-unanswered-renders',
  '0013-platform-data',
  '0014-feedback',
  '0015-personal-defaults',
  '0016-render-groups',
];

/** How a database stands to the first release: of today, adoptable as its last state before, or older than that. */
function standingOf(made: readonly string[]): 'of today' | 'last' | 'too old' {
  if (!made.some((name) => former.includes(name))) return 'of today';
  return former.every((name) => made.includes(name)) ? 'last' : 'too old';
}

/** Whether a version of troupe has made one of these migrations. */
function isOurs(made: readonly string[]): boolean {
  return made.some((name) => known.includes(name) || former.includes(name));
}

/** Makes a database in the last state before the first release one of the first release, with all it holds. */
async function adopt(transaction: QueryExecutorProvider): Promise<void> {
  await sql`alter table jobs add column person text not null default ''`.execute(transaction);
  await sql`update jobs set person = ifnull(requester ->> 'id', '')`.execute(transaction);
  await sql`alter table deliveries add column held integer not null default 0`.execute(transaction);
  await sql`update deliveries set held = 1 where message ->> 'isHeld' is not null`.execute(transaction);
  for (const index of ['renders_open', 'renders_at'])
    await sql`drop index ${sql.ref(index)}`.execute(transaction);
  for (const index of indexesOfOpenRenders()) await index.execute(transaction);
  await sql`delete from kysely_migration where name in (${sql.join(former)})`.execute(transaction);
}

/**
 * Makes the tables of this version, also where several processes begin at once. `url` is for errors.
 * @throws {DatabaseError} if a version wrote the database that this one can't live with.
 */
export async function migrate(database: Kysely<Tables>, url: string): Promise<void> {
  const { schema, made: before } = await recordsIn(database);
  let made = before;
  requireUsable(made, url);
  // Kysely's migrator would read all tables' columns before it finds out.
  if (countPending(made) === 0) return;
  if (standingOf(made) === 'last') {
    await database.transaction().execute(adopt);
    made = await madeIn(database);
  }
  const provider = {
    // What a newer version has added stays as it is.
    async getMigrations() {
      // Another process may have migrated meanwhile. SQLite has one, and its one connection is in the transaction.
      if (isPostgres(database)) made = await madeIn(database);
      const newer = newerOf(made).map((name) => [name, { up: async () => {} }]);
      return { ...migrations, ...Object.fromEntries(newer) };
    },
  };
  const { error } = await new Migrator({
    db: database,
    provider,
    allowUnorderedMigrations: true,
    ...(schema !== undefined && { migrationTableSchema: schema }),
  }).migrateToLatest();
  if (error) throw error;
}

/** Finds what tables a SQLite file has besides those of Kysely, of SQLite itself, and of Litestream, which may be there first. */
export const tablesInFile = `select name from sqlite_master where type = 'table'
  and name not glob 'kysely_*' and name not glob 'sqlite_*' and name not glob '_litestream_*' order by name`;

/** What a SQLite file that's open has on record: the names of the migrations made in it, and whether it's another program's. */
export function recordsInFile(database: DatabaseSync): {
  readonly made: string[];
  readonly isForeign: boolean;
} {
  const namesFrom = (statement: string) =>
    database
      .prepare(statement)
      .all()
      .map(({ name }) => String(name));
  // First: a bot that starts meanwhile makes its tables and puts that on record at once.
  const hasTables = namesFrom(tablesInFile).length > 0;
  const hasRecords = namesFrom(`select name from sqlite_master where name = 'kysely_migration'`).length > 0;
  const made = hasRecords ? namesFrom('select name from kysely_migration') : [];
  return { made, isForeign: made.length > 0 ? !isOurs(made) : hasTables };
}

/**
 * Names of the migrations made in a SQLite file that's open, which is only read. `about` names it in errors.
 * @throws {DatabaseError} if this version can't use it, or it's another program's.
 */
export function usableIn(database: DatabaseSync, about: string): readonly string[] {
  const { made, isForeign } = recordsInFile(database);
  if (isForeign) throw unusable(about, 'foreign');
  requireUsable(made, about);
  return made;
}

/** @throws {DatabaseError} if this version can't use a database in which these migrations were made. */
export function requireUsable(made: readonly string[], url: string): void {
  if (made.length > 0 && !isOurs(made)) throw unusable(url, 'foreign');
  if (newerOf(made).some((name) => generationOf(name) !== generation)) throw unusable(url, 'newer');
  if (standingOf(made) === 'too old') throw unusable(url, 'older');
}

/** Names of the migrations that were made. */
export async function madeIn(database: Kysely<Tables>): Promise<readonly string[]> {
  return (await recordsIn(database)).made;
}

/** Migrations on record; with PostgreSQL, and in which schema. */
interface MigrationRecords {
  readonly made: readonly string[];
  readonly schema?: string;
}

/**
 * Ours, wherever the search path comes to them; else those in the schema that tables are made in. Kysely by itself would take
 * another program's, in any schema, for ours. Others may be closed to the bot's user.
 */
async function recordsIn(database: Kysely<Tables>): Promise<MigrationRecords> {
  if (!isPostgres(database)) {
    const table = await sql`select true from sqlite_master where name = 'kysely_migration'`.execute(database);
    return { made: table.rows.length === 0 ? [] : await namesIn(database) };
  }
  const { rows } = await sql<{ schema: string; isThere: boolean }>`
    select schema, readable is not null and (readable or place = 1) as "isThere"
    from unnest(current_schemas(false)) with ordinality as path (schema, place),
      has_table_privilege(to_regclass(format('%I.kysely_migration', schema)), 'select') as readable
    order by place`.execute(database);
  const all: MigrationRecords[] = [];
  for (const { schema, isThere } of rows)
    all.push({ schema, made: isThere ? await namesIn(database, schema) : [] });
  return all.find(({ made }) => isOurs(made)) ?? all[0] ?? { made: [] };
}

async function namesIn(database: Kysely<Tables>, ...schema: readonly string[]): Promise<readonly string[]> {
  const table = sql.id(...schema, 'kysely_migration');
  const { rows } = await sql<{ name: string }>`select name from ${table}`.execute(database);
  return rows.map(({ name }) => name);
}
