import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { bytesType, isPostgres, jsonText, jsonType } from '../driver.ts';

/** What a migration does: its statements, some of them by the database. */
export type Statements = (database: QueryExecutorProvider) => readonly RawBuilder<unknown>[];

/** Conversations, jobs, renders, deliveries, the ledger, settings, feedback and the console: the first release. */
export const first: Statements = (database) => [
  ...jobs(database),
  ...renders(database),
  ...ledger,
  ...settings,
  ...consoleChannels,
];

const jobs: Statements = (database) => [
  sql`create table keyv (
    key ${bytesType(database)} primary key,
    value text not null,
    expires bigint
  )`,
  sql`create index keyv_expires on keyv (expires)`,
  sql`create table jobs (
    id text primary key,
    event_id text not null unique,
    command text not null,
    options text not null,
    address ${jsonType(database)} not null,
    requester text not null,
    state text not null,
    created_at bigint not null,
    acknowledgement text,
    confirmed_in text,
    person text not null default ''
  )`,
  // SQLite numbers rows by itself.
  ...(isPostgres(database)
    ? [sql`alter table jobs add column number bigint generated always as identity`]
    : []),
  sql`create index jobs_state on jobs (state)`,
  sql`create index jobs_created_at on jobs (created_at)`,
  sql`create table live_answers (
    job_id text primary key references jobs (id),
    kind text not null,
    messages text not null,
    last_text text not null
  )`,
  sql`create table feedback (
    job text not null,
    person text not null,
    platform text not null,
    workspace text not null,
    channel text not null,
    good integer not null,
    voted_at bigint not null,
    constraint feedback_by_person primary key (job, person)
  )`,
  sql`create index feedback_by_place on feedback (platform, workspace, voted_at)`,
];

const renders: Statements = (database) => [
  sql`create table renders (
    id text primary key,
    job text not null references jobs (id),
    part integer not null default 1,
    parts integer not null default 1,
    kind text not null,
    state text not null,
    request text not null,
    conversation_id text not null,
    message ${jsonType(database)} not null,
    task_id text,
    result text,
    delivered text,
    fault text,
    created_at bigint not null,
    updated_at bigint not null,
    attempts integer not null default 0,
    waited_ms bigint not null default 0,
    unanswered_ms bigint not null default 0
  )`,
  sql`create index renders_state on renders (state)`,
  sql`create index renders_of_job on renders (job)`,
  ...indexesOfOpenRenders(),
  sql`create table deliveries (
    job_id text primary key references jobs (id),
    message text not null,
    created_at bigint not null,
    held integer not null default 0
  )`,
];

/** For those that are still to be posted: all in their order, and a channel's. */
export function indexesOfOpenRenders(): readonly RawBuilder<unknown>[] {
  const of = (name: string) => sql`(${jsonText('message', name)})`;
  return [
    sql`create index renders_open on renders (created_at, id) where delivered is null`,
    sql`create index renders_at on renders
      (${of('platform')}, ${of('workspace')}, ${of('channel')}, created_at)
      where delivered is null`,
  ];
}

const ledger = [
  sql`create table ledger (
    id text primary key,
    job text not null,
    platform text not null,
    workspace text not null,
    channel text not null,
    thread text,
    person text not null,
    person_name text not null,
    conversation_id text not null,
    kind text not null,
    model text not null,
    quantity text not null,
    state text not null,
    estimated integer not null,
    low bigint not null,
    high bigint not null,
    request_id text,
    created_at bigint not null,
    settled_at bigint
  )`,
  sql`create index ledger_job on ledger (job)`,
  sql`create index ledger_state on ledger (state)`,
  // Cover what sums read, so that they need only the index.
  sql`create index ledger_workspace on ledger (platform, workspace, created_at, high)`,
  sql`create index ledger_channel on ledger (platform, workspace, channel, created_at, person, high)`,
  sql`create index ledger_person on ledger (platform, person, created_at, high)`,
  sql`create table budget_use (
    platform text not null,
    workspace text not null,
    channel text not null,
    person text not null,
    quarter integer not null,
    high bigint not null,
    constraint budget_use_key primary key (platform, workspace, channel, person, quarter)
  )`,
  sql`create index budget_use_quarter on budget_use (quarter)`,
];

const settings = [
  sql`create table place_settings (
    platform text not null,
    workspace text not null,
    channel text not null,
    name text not null,
    value text not null,
    constraint place_settings_key primary key (platform, workspace, channel, name)
  )`,
  sql`create table setting_changes (
    id text primary key,
    platform text not null,
    workspace text not null,
    channel text not null,
    name text not null,
    before text,
    after text,
    person text not null,
    person_name text not null,
    changed_at bigint not null
  )`,
  sql`create index setting_changes_place on setting_changes (platform, workspace, changed_at)`,
  sql`create table personal_defaults (
    platform text not null,
    workspace text not null,
    person text not null,
    name text not null,
    value text not null,
    constraint personal_defaults_key primary key (platform, workspace, person, name)
  )`,
];

const consoleChannels = [
  sql`create table console_revision (value bigint not null)`,
  sql`insert into console_revision (value) values (0)`,
  sql`create table console_channels (
    id text primary key,
    name text not null,
    created_at bigint not null,
    removed integer not null default 0,
    revision bigint not null
  )`,
  sql`create table console_threads (
    id text primary key,
    channel text not null references console_channels (id),
    message bigint not null unique,
    name text not null,
    created_at bigint not null,
    removed integer not null default 0,
    revision bigint not null
  )`,
  sql`create table console_messages (
    id bigint primary key,
    channel text not null references console_channels (id),
    thread text references console_threads (id),
    author text not null,
    session text,
    key text not null unique,
    text text not null,
    extras text not null,
    created_at bigint not null,
    removed integer not null default 0,
    revision bigint not null
  )`,
  sql`create index console_messages_place on console_messages (channel, thread, id)`,
  sql`create index console_messages_revision on console_messages (revision)`,
  sql`create table console_files (
    id text primary key,
    message bigint,
    position integer not null default 0,
    name text not null,
    content_type text not null,
    kind text not null,
    description text not null,
    size bigint not null,
    seconds double precision,
    created_at bigint not null
  )`,
  sql`create index console_files_message on console_files (message)`,
];
