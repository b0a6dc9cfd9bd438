import { type DeleteResult, type RawBuilder, sql, type UpdateResult } from 'kysely';
import { inTurn, quarterHourOf } from '../lib/clock.ts';
import type { Address, Deleted, Job, Person, PlatformName } from '../port/index.ts';
import type { Database } from './database.ts';
import { hasTexts } from './driver.ts';
import { isPosted, nothingGiven } from './job-progress.ts';
import { storedRemovals } from './removals.ts';
import { unanswered } from './tables.ts';
import { inTransaction } from './transactions.ts';

const day = 86_400_000;
/** How long buttons work, in milliseconds: their jobs are kept for that. */
export const jobLife = 90 * day;

/** Processes that ended are kept for so many days, to be looked at: nothing needs them. */
const processDays = 7;

/** Spending older than this counts against no budget: a day has begun and ended since in every time zone. */
const budgetDays = 3;

/** Changes of a place's settings that are kept, the latest: nobody looks further back. */
const changesKept = 100;

/** Rows that are deleted at a time: PostgreSQL ends a statement that takes some seconds. */
const atOnce = 1_000;

/**
 * Deletes what is no longer needed: expired values, turns and locks of processes that ended, and old jobs with their dependent
 * rows; conversations may keep what they were given for `historyDays`. What fails keeps nothing else from being deleted. Returns
 * how many rows of values and jobs.
 * @throws the first error, at the end.
 */
export async function sweep(database: Database, now: number, historyDays = 0): Promise<number> {
  const [before, uncounted] = [now - jobLife, now - budgetDays * day];
  let deleted = 0;
  const works = [
    async () => (deleted += await deleteExpired(database, 'keyv', now)),
    () => deleteExpired(database, 'rates', now - day),
    () => database.deleteFrom('budget_use').where('quarter', '<', quarterHourOf(uncounted)).execute(),
    () => sweepProcesses(database, now),
    () => database.deleteFrom('feedback').where('voted_at', '<', before).execute(),
    () => sweepPrompts(database, now),
    () => sweepChanges(database),
    () => sweepRemovals(database, now, before),
    async () => (deleted += await deleteEndedJobs(database, now - Math.max(jobLife, historyDays * day))),
  ];
  await inTurn<() => Promise<unknown>>(works, (work) => work());
  return deleted;
}

/** Deletes or empties by statements of `atOnce` rows until one finds fewer. Returns how many rows. */
async function inBatches(some: () => Promise<DeleteResult | UpdateResult>): Promise<number> {
  for (let all = 0; ;) {
    const done = await some();
    const found = Number('numDeletedRows' in done ? done.numDeletedRows : done.numUpdatedRows);
    all += found;
    if (found < atOnce) return all;
  }
}

/**
 * Deletes what was made for a workspace's commands, given until then, and isn't posted yet. What's still being made is left
 * until it is.
 */
export async function deleteWaiting(database: Database, place: OwnerOfJobs, before: number): Promise<void> {
  const isTheirs = (job: string) =>
    sql<boolean>`exists (select 1 from jobs
      where jobs.id = ${sql.ref(job)} and ${isOf(place)} and jobs.created_at <= ${before})`;
  await database.deleteFrom('deliveries').where(isTheirs('deliveries.job_id')).execute();
  await database
    .deleteFrom('renders')
    .where('delivered', 'is', null)
    .where('state', 'in', ['ready', 'failed', 'uncertain'])
    .where(isTheirs('renders.job'))
    .execute();
  const removals = storedRemovals(database);
  for await (const some of removals.of(place.platform as PlatformName))
    for (const removal of some)
      if (removal.message.workspace === place.workspace) await removals.done(removal);
}

/**
 * Deletes what a workspace chose, voted and counts against its budgets until then, a day ago or earlier, with what its people
 * chose there; what it spent is nobody's and nowhere's from then on. What the operator chose for it, under `operators` instead
 * of a channel, stays: nobody lifts that by removing the bot.
 */
export async function deletePlaceRows(
  database: Database,
  { platform, workspace }: Pick<OwnerOfJobs, 'platform' | 'workspace'>,
  before: number,
  operators: string,
): Promise<void> {
  const place = { platform, workspace };
  await database
    .deleteFrom('place_settings')
    .where(({ and }) => and(place))
    .where('channel', '<>', operators)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('setting_changes')
            .select('id')
            .whereRef('setting_changes.platform', '=', 'place_settings.platform')
            .whereRef('setting_changes.workspace', '=', 'place_settings.workspace')
            .whereRef('setting_changes.channel', '=', 'place_settings.channel')
            .whereRef('setting_changes.name', '=', 'place_settings.name')
            .where('changed_at', '>', before),
        ),
      ),
    )
    .execute();
  await database
    .deleteFrom('setting_changes')
    .where(({ and }) => and(place))
    .where('channel', '<>', operators)
    .where('changed_at', '<=', before)
    .execute();
  await database
    .deleteFrom('personal_defaults')
    .where(({ and }) => and(place))
    .execute();
  await database
    .deleteFrom('feedback')
    .where(({ and }) => and(place))
    .where('voted_at', '<=', before)
    .execute();
  await database
    .deleteFrom('budget_use')
    .where(({ and }) => and(place))
    .where('quarter', '<=', quarterHourOf(before))
    .execute();
  const spent = database
    .selectFrom('ledger')
    .select('id')
    .where(({ and }) => and(place))
    .where('created_at', '<=', before)
    .where('state', '<>', 'reserved')
    .limit(atOnce);
  const nowhere = {
    workspace: '',
    channel: '',
    thread: null,
    conversation_id: '',
    person: '',
    person_name: '',
    prompt: null,
  };
  await inBatches(() =>
    database.updateTable('ledger').set(nowhere).where('id', 'in', spent).executeTakeFirstOrThrow(),
  );
}

/** Deletes what expired by then. */
function deleteExpired(database: Database, table: 'keyv' | 'rates', until: number): Promise<number> {
  const isExpired = sql<boolean>`${sql.ref(table === 'keyv' ? 'expires' : 'expire')} <= ${until}`;
  return inBatches(() =>
    database
      .deleteFrom(table)
      .where('key', 'in', ({ selectFrom }) => selectFrom(table).select('key').where(isExpired).limit(atOnce))
      // One of them may get a new value meanwhile.
      .where(isExpired)
      .executeTakeFirstOrThrow(),
  );
}

/** What was spent stays, without what it was spent on. */
async function sweepPrompts(database: Database, now: number): Promise<void> {
  const ended = database
    .selectFrom('ledger')
    .select('id')
    .where('prompt', 'is not', null)
    .where('prompt_until', '<=', now)
    .limit(atOnce);
  await inBatches(() =>
    database.updateTable('ledger').set({ prompt: null }).where('id', 'in', ended).executeTakeFirstOrThrow(),
  );
}

/** Anybody changes the settings of their direct messages as often as they like. */
async function sweepChanges(database: Database): Promise<void> {
  const place = ['platform', 'workspace', 'channel'] as const;
  const ranked = database
    .selectFrom('setting_changes')
    .select(({ fn }) => [
      'id',
      fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy(place).orderBy('changed_at', 'desc'))
        .as('rank'),
    ])
    .as('ranked');
  const outdated = database.selectFrom(ranked).select('id').where('rank', '>', changesKept).limit(atOnce);
  await inBatches(() =>
    database.deleteFrom('setting_changes').where('id', 'in', outdated).executeTakeFirstOrThrow(),
  );
}

/** Those whose platform is turned off, or lets nobody do it: nobody's button works any longer, either. */
async function sweepRemovals(database: Database, now: number, before: number): Promise<void> {
  await database.deleteFrom('removals').where('noted_at', '<', before).execute();
  await database.updateTable('removals').set({ noted_at: now }).where('noted_at', 'is', null).execute();
}

async function sweepProcesses(database: Database, now: number): Promise<void> {
  const living = database.selectFrom('processes').select('id').where('ended_at', 'is', null);
  await database.deleteFrom('turns').where('process', 'not in', living).execute();
  await database.deleteFrom('locks').where('process', 'not in', living).execute();
  await database
    .deleteFrom('processes')
    .where('ended_at', '<', now - processDays * day)
    .execute();
}

/** Whose commands: a person's on a platform, in one workspace unless that's empty; or all of a workspace. */
export interface OwnerOfJobs {
  readonly platform: string;
  readonly workspace: string;
  readonly person?: string;
}

/**
 * Commands that have ended, about which nobody has still to be told; everybody's, one person's, who may still answer what
 * they're asked, or a workspace's.
 */
function endedJobs(database: Database, owner?: OwnerOfJobs) {
  return database
    .selectFrom('jobs')
    .where('state', '!=', 'running')
    .$if(owner?.person !== undefined, (jobs) => jobs.where('state', 'not in', unanswered))
    .where(owner ? isOf(owner) : sql<boolean>`true`)
    .where(isPosted);
}

function isOf({ platform, workspace, person }: OwnerOfJobs): RawBuilder<boolean> {
  const place = hasTexts('jobs.address', { platform, ...(workspace !== '' && { workspace }) });
  if (person === undefined) return place;
  // As a whole, in which no index is looked for: SQLite would read all commands of their place rather than theirs.
  return sql<boolean>`jobs.person = ${person} and (${place}) is true`;
}

/** The ids of an owner's commands that have ended, oldest first: those after one of them, `most` at a time. */
export async function endedJobsOf(
  database: Database,
  owner: OwnerOfJobs,
  {
    before,
    after = { createdAt: 0, id: '' },
    most,
  }: {
    readonly before: number;
    readonly after: Pick<Job, 'id' | 'createdAt'> | undefined;
    readonly most: number;
  },
): Promise<readonly string[]> {
  const rows = await endedJobs(database, owner)
    .select('id')
    .where('created_at', '<=', before)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'id'), '>', tuple(after.createdAt, after.id)),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(most)
    .execute();
  return rows.map(({ id }) => id);
}

/** Forgets what a person's commands that have ended were given. What was private stays that. */
export async function emptyOptions(database: Database, owner: OwnerOfJobs, before: number): Promise<void> {
  const ended = endedJobs(database, owner).select('id').where('created_at', '<=', before);
  await database
    .updateTable('jobs')
    .set({ ...nothingGiven, deleted: sql<Deleted>`coalesce(deleted, 'data')` })
    .where('id', 'in', ended)
    .execute();
}

/**
 * Deletes commands that have ended, with their renders, given until then: everybody's, or an owner's. Of a person's it stays
 * known that they were carried out, but not whose they were: an edit of an old question isn't a new one. Returns how many.
 */
export async function deleteEndedJobs(
  database: Database,
  before: number,
  owner?: OwnerOfJobs,
): Promise<number> {
  const ended = endedJobs(database, owner).select('id').where('created_at', '<=', before).limit(atOnce);
  let deleted = 0;
  for (let found = atOnce; found === atOnce;) {
    const ids = (await ended.execute()).map(({ id }) => id);
    found = ids.length;
    if (found > 0) deleted += await deleteJobs(database, ids, owner?.person !== undefined);
  }
  return deleted;
}

/** Who gave commands of which only that is known. */
const nobody: Person = { id: '', name: '', locale: 'en', administrator: false, moderator: false };

/** With what belongs to them. `leavesEvents`: that they were carried out stays known, as long as any command does. */
function deleteJobs(database: Database, ids: readonly string[], leavesEvents: boolean): Promise<number> {
  return inTransaction(database, async (transaction) => {
    await transaction.deleteFrom('renders').where('job', 'in', ids).execute();
    await transaction.deleteFrom('live_answer_pieces').where('job_id', 'in', ids).execute();
    await transaction.deleteFrom('live_answers').where('job_id', 'in', ids).execute();
    await transaction.deleteFrom('answer_messages').where('job', 'in', ids).execute();
    if (!leavesEvents) {
      const deleted = await transaction.deleteFrom('jobs').where('id', 'in', ids).executeTakeFirst();
      return Number(deleted.numDeletedRows);
    }
    const named = await transaction
      .selectFrom('jobs')
      .select(['id', 'address', 'requester'])
      .where('id', 'in', ids)
      .execute();
    const anonymous = { person: '', requester: JSON.stringify(nobody), press: null, acknowledgement: null };
    for (const { id, ...row } of named)
      await transaction
        .updateTable('jobs')
        .set({ ...anonymous, address: JSON.stringify(withoutPerson(row)) })
        .where('id', '=', id)
        .execute();
    return named.length;
  });
}

/** Where a command was given, as far as that doesn't say by whom: direct messages are somebody's. */
function withoutPerson(row: { readonly address: string; readonly requester: string }): Address {
  const { platform, workspace, channel, ...more } = JSON.parse(row.address) as Address;
  const { onlyFor: _, platformData: __, ...there } = more;
  const { direct } = JSON.parse(row.requester) as Person;
  if (!direct) return { platform, workspace, channel, ...there };
  // Where they are a workspace of their own, as on Discord, that's theirs, too.
  return { platform, workspace: workspace === channel ? '' : workspace, channel: '' };
}
