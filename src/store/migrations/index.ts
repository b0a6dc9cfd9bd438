import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { unusable } from '../database-error.ts';
import { isPostgres, jsonText } from '../driver.ts';
import type { Tables } from '../tables.ts';
import * as first from './0001-first.ts';
import { createIndexesOfOpenRenders } from './0001-first.ts';

/**
 * All schema migrations, ordered by name. A released migration is never changed, and only adds: the version before
 * goes on with the tables as they are then, while processes are replaced one after another. A migration that it can't
 * live with begins the next thousand, `1001-…`: versions before that refuse the database.
 */
export const migrations: Record<string, Migration> = {
  '0001-first': first,
  /** The processes of the bot, and which of them has what in hand. */
  '0002-processes': {
    async up(database) {
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
      await sql`create index renders_of_process on renders (process) where delivered is null`.execute(
        database,
      );
      await sql`create index deliveries_of_process on deliveries (process)`.execute(database);
      await sql`create index ledger_of_process on ledger (process) where state = 'reserved'`.execute(
        database,
      );
    },
  },
  /** Turns in conversations, for several processes. */
  '0003-turns': {
    async up(database) {
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
    },
  },
  /** Files in the database, for several processes; and when each render that waits goes on. */
  '0004-files': {
    async up(database) {
      await database.schema
        .createTable('files')
        .addColumn('key', 'text', (column) => column.primaryKey())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('id', 'text', (column) => column.notNull())
        .addColumn('size', 'bigint')
        .addColumn('written_at', 'bigint', (column) => column.notNull())
        .execute();
      await sql`create unique index files_complete on files (kind, id) where size is not null`.execute(
        database,
      );
      await database.schema
        .createTable('file_chunks')
        .addColumn('file', 'text', (column) => column.notNull())
        .addColumn('start', 'bigint', (column) => column.notNull())
        .addColumn('content', isPostgres(database) ? 'bytea' : 'blob', (column) => column.notNull())
        .addPrimaryKeyConstraint('file_chunks_key', ['file', 'start'])
        .execute();
      // Media are compressed already.
      if (isPostgres(database))
        await sql`alter table file_chunks alter column content set storage external`.execute(database);
      await database.schema.alterTable('renders').addColumn('wakes_at', 'bigint').execute();
      await sql`create index renders_asleep on renders (wakes_at) where delivered is null and process is null`.execute(
        database,
      );
    },
  },
  /** What all processes together have used of limits: the table of rate-limiter-flexible. */
  '0005-rates': {
    async up(database) {
      await database.schema
        .createTable('rates')
        .addColumn('key', 'varchar(255)', (column) => column.primaryKey())
        .addColumn('points', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('expire', 'bigint')
        .execute();
    },
  },
  /** Locks of several processes. */
  '0006-locks': {
    async up(database) {
      await database.schema
        .createTable('locks')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('process', 'text', (column) => column.notNull())
        .addColumn('token', 'text', (column) => column.notNull())
        .execute();
    },
  },
  /** All that people can read of an answer under way, and how it ended: what a crash leaves is kept whole. */
  '0007-live-answers': {
    async up(database) {
      await database.schema.alterTable('live_answers').addColumn('last_piece', 'text').execute();
      await database.schema.alterTable('live_answers').addColumn('ending', 'text').execute();
      await database.schema
        .createTable('live_answer_pieces')
        .addColumn('job_id', 'text', (column) => column.notNull().references('jobs.id'))
        .addColumn('piece', 'integer', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('live_answer_pieces_in_order', ['job_id', 'piece'])
        .execute();
    },
  },
  /** When paid calls were sent. */
  '0008-sent-calls': {
    async up(database) {
      await database.schema.alterTable('ledger').addColumn('sent_at', 'bigint').execute();
    },
  },
  /** What a message asks for if it isn't the command that it looks like. */
  '0009-instead': {
    async up(database) {
      await database.schema.alterTable('jobs').addColumn('instead', 'text').execute();
    },
  },
  /** The messages of answers, so that all of them can be deleted; and whose were. */
  '0010-answer-messages': {
    async up(database) {
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
    },
  },
  /** What was used of limits counts for a minute: it needn't survive a crash, and so waits for no disk. */
  '0011-rates-unlogged': {
    async up(database) {
      if (isPostgres(database)) await sql`alter table rates set unlogged`.execute(database);
    },
  },
  /** What a press gave, so that the same press gives nothing more while that's under way. */
  '0012-presses': {
    async up(database) {
      await database.schema.alterTable('jobs').addColumn('press', 'text').execute();
      await sql`create unique index jobs_press on jobs (press) where press is not null`.execute(database);
    },
  },
  /** Messages that are to be removed, until the platform has removed them. */
  '0013-removals': {
    async up(database) {
      await database.schema
        .createTable('removals')
        .addColumn('platform', 'text', (column) => column.notNull())
        .addColumn('channel', 'text', (column) => column.notNull())
        .addColumn('message', 'text', (column) => column.notNull())
        .addColumn('address', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('removals_key', ['platform', 'channel', 'message'])
        .execute();
    },
  },
  /** Messages that are to show something else instead of being removed; and since when each is on record. */
  '0014-closed-questions': {
    async up(database) {
      await database.schema.alterTable('removals').addColumn('shows', 'text').execute();
      await database.schema.alterTable('removals').addColumn('noted_at', 'bigint').execute();
    },
  },
  /** Whose question a message that is to show something else was. */
  '0015-question-jobs': {
    async up(database) {
      await database.schema.alterTable('removals').addColumn('job', 'text').execute();
      await database.schema.createIndex('removals_job').on('removals').column('job').execute();
    },
  },
  /** The event of the question that a press carried out anew. */
  '0016-questions': {
    async up(database) {
      await database.schema.alterTable('jobs').addColumn('question', 'text').execute();
      await sql`create index jobs_question on jobs (question) where question is not null`.execute(database);
    },
  },
  /** What's known of a render that waits for its time, and which comes next. */
  '0017-pending-renders': {
    async up(database) {
      await database.schema.alterTable('renders').addColumn('pending', 'text').execute();
      await sql`create index renders_next on renders (process, wakes_at) where delivered is null`.execute(
        database,
      );
    },
  },
  /** Whose commands: people export and delete what is kept about them. */
  '0018-jobs-of-person': {
    async up(database) {
      await sql`create index jobs_of_person on jobs (person, created_at)`.execute(database);
    },
  },
  /** Where commands were given: what's kept about a workspace is deleted once the bot is removed from it. */
  '0019-jobs-of-place': {
    async up(database) {
      await sql`create index jobs_of_place on jobs ((${jsonText('address', 'workspace')}), created_at)`.execute(
        database,
      );
    },
  },
  /** When calls were made, wherever that was: the control room adds up what the whole bot has spent. */
  '0020-ledger-by-time': {
    async up(database) {
      await sql`create index ledger_time on ledger (created_at, id)`.execute(database);
    },
  },
  /** What the operator chose for places, among all that their administrators did. */
  '0021-operators-choices': {
    async up(database) {
      await sql`create index place_settings_operator on place_settings (platform, workspace)
        where channel = '!'`.execute(database);
    },
  },
  /** What people asked for, beside what it cost, where administrators choose that; and until when. */
  '0022-prompts': {
    async up(database) {
      await database.schema.alterTable('ledger').addColumn('prompt', 'text').execute();
      await database.schema.alterTable('ledger').addColumn('prompt_until', 'bigint').execute();
      await sql`create index ledger_prompts on ledger (prompt_until) where prompt is not null`.execute(
        database,
      );
    },
  },
  /** How commands ended. */
  '0023-ends': {
    async up(database) {
      await database.schema.alterTable('jobs').addColumn('ended', 'text').execute();
    },
  },
  /** Whose votes and choices: people export and delete what is kept about them. */
  '0024-votes-of-person': {
    async up(database) {
      for (const [table, at] of [
        ['feedback', 'voted_at'],
        ['setting_changes', 'changed_at'],
      ] as const)
        await database.schema
          .createIndex(`${table}_of_person`)
          .on(table)
          .columns(['platform', 'person', 'workspace', at])
          .execute();
    },
  },
  /** In which servers or workspaces the messages of a deleted channel are, where the platform doesn't say. */
  '0025-messages-of-channel': {
    async up(database) {
      await database.schema
        .createIndex('answer_messages_channel')
        .on('answer_messages')
        .columns(['platform', 'channel'])
        .execute();
    },
  },
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

/** Makes a database in the last state before the first release one of the first release, with all it holds. */
async function adopt(transaction: QueryExecutorProvider): Promise<void> {
  await sql`alter table jobs add column person text not null default ''`.execute(transaction);
  await sql`update jobs set person = ifnull(requester ->> 'id', '')`.execute(transaction);
  await sql`alter table deliveries add column held integer not null default 0`.execute(transaction);
  await sql`update deliveries set held = 1 where message ->> 'isHeld' is not null`.execute(transaction);
  for (const index of ['renders_open', 'renders_at'])
    await sql`drop index ${sql.ref(index)}`.execute(transaction);
  await createIndexesOfOpenRenders(transaction);
  await sql`delete from kysely_migration where name in (${sql.join(former)})`.execute(transaction);
}

/**
 * Makes the tables of this version, also where several processes begin at once. `url` is for errors.
 * @throws {DatabaseError} if a version wrote the database that this one can't live with.
 */
export async function migrate(database: Kysely<Tables>, url: string): Promise<void> {
  let made = await madeIn(database);
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
  }).migrateToLatest();
  if (error) throw error;
}

/** @throws {DatabaseError} if this version can't use a database in which these migrations were made. */
export function requireUsable(made: readonly string[], url: string): void {
  if (newerOf(made).some((name) => generationOf(name) !== generation)) throw unusable(url, 'newer');
  if (standingOf(made) === 'too old') throw unusable(url, 'older');
}

/** Names of the migrations that were made. */
export async function madeIn(database: Kysely<Tables>): Promise<readonly string[]> {
  const table = sql.lit('kysely_migration');
  const { rows: found } = await (
    isPostgres(database)
      ? sql`select true where to_regclass(${table}) is not null`
      : sql`select true from sqlite_master where name = ${table}`
  ).execute(database);
  if (found.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(database);
  return rows.map(({ name }) => name);
}
