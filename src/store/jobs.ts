import { type CompiledQuery, type Insertable, type Selectable, sql } from 'kysely';
import {
  type Address,
  type AnyValues,
  type CommandCall,
  type CommandEnd,
  commandFor,
  type Deleted,
  isFormPress,
  type Job,
  type Jobs,
  type Person,
} from '../port/index.ts';
import type { Database } from './database.ts';
import { arrival, hasTexts } from './driver.ts';
import { isHeld, isMade, nothingGiven, underWay } from './job-progress.ts';
import { storedRemovals } from './removals.ts';
import { type JobsTable, unanswered } from './tables.ts';
import {
  expectLiving,
  insertIf,
  inTransaction,
  isStillLiving,
  readyQuery,
  writeOrUndo,
} from './transactions.ts';

/** How long an answer usually takes at most, in milliseconds: it may end, and ask something, after what was given later. */
const answering = 30_000;

/**
 * The dispatcher's `Jobs` over the `jobs` table, for a process: what it adds or confirms is in its hands, and once
 * another has taken it over, ending it does nothing. A process that was taken for dead adds and confirms nothing: that
 * throws a {@link LeaseEndedError}.
 */
export function createJobs(database: Database, process: string | null = null): Jobs {
  let insertion: CompiledQuery | undefined;
  /** Every command makes one: it's compiled once, for rows with the same columns in the same order. */
  const insert = (row: Insertable<JobsTable>) => {
    const values = Object.values(row);
    insertion ??= insertIf(database, 'jobs', row, isStillLiving(database, process))
      .onConflict((conflict) => conflict.doNothing())
      .compile();
    const ofCondition = insertion.parameters.slice(values.length);
    return database.executeQuery({ ...insertion, parameters: [...values, ...ofCondition] });
  };
  const ending = database
    .updateTable('jobs')
    .set(({ fn, ref, cast, val }) => ({
      state: 'done',
      ended: fn.coalesce(cast<string | null>(val(''), 'text'), ref('ended')),
    }))
    .where('id', '=', '')
    // A later fault of what was done is noted by whichever process delivers it.
    .$if(process !== null, (jobs) =>
      jobs.where(({ eb, or }) => or([eb('state', '<>', 'running'), eb('process', '=', '')])),
    );
  const end = readyQuery(database, ending);
  const endedBy = process === null ? [] : ['running', process];
  /** Frees a press whose job isn't under way any more, but a form only where its job failed; false for others. */
  const freed = async (press: string) => {
    const { numUpdatedRows } = await database
      .updateTable('jobs')
      .set({ press: null })
      .where('press', '=', press)
      .where('state', 'not in', unanswered)
      .where(({ not }) => not(underWay))
      .$if(isFormPress(press), (update) => update.where('state', '=', 'failed'))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  };
  const change = async (
    id: string,
    state: 'running' | 'asking',
    changed: { readonly options: string } | { readonly state: 'asked' },
  ) => {
    await database
      .updateTable('jobs')
      .set(changed)
      .where('id', '=', id)
      .where('state', '=', state)
      .where(isStillLiving(database, process))
      .execute();
  };
  const all = () => database.selectFrom('jobs').selectAll();
  const isOne = async (query: { readonly executeTakeFirst: () => Promise<unknown> }) =>
    (await query.executeTakeFirst()) !== undefined;
  return {
    async add(job, eventId, state = 'running') {
      const inserted = async () => {
        const { numAffectedRows } = await insert({
          id: job.id,
          event_id: eventId,
          command: job.command,
          options: JSON.stringify(job.options),
          address: JSON.stringify(job.address),
          requester: JSON.stringify(job.requester),
          state,
          created_at: job.createdAt,
          acknowledgement: job.acknowledgement ? JSON.stringify(job.acknowledgement) : null,
          person: job.requester.id,
          process,
          instead: job.instead ? JSON.stringify(job.instead) : null,
          press: job.press ?? null,
          question: job.question === eventId ? null : (job.question ?? null),
        });
        return (numAffectedRows ?? 0n) > 0n;
      };
      const write = async (isAgain: boolean) => {
        if (await inserted()) return true;
        if (process !== null) await expectLiving(database, process);
        // The first try may have written it.
        if (isAgain && (await this.find(job.id))) return true;
        return job.press !== undefined && (await freed(job.press)) && inserted();
      };
      return writeOrUndo(write, () => database.deleteFrom('jobs').where('id', '=', job.id).execute());
    },
    async find(id) {
      const row = await all().where('id', '=', id).executeTakeFirst();
      return row && jobOf(row);
    },
    async underWay(press, eventId) {
      const row = await all()
        .select([isMade.as('is_made'), isHeld.as('is_held')])
        .where('press', '=', press)
        .where('event_id', '<>', eventId)
        .where(underWay)
        .executeTakeFirst();
      if (!row) return undefined;
      const [made, held] = [row.is_made, row.is_held].map((one) => Number(one) === 1);
      return { job: jobOf(row), isMade: made === true, isHeld: held === true };
    },
    async ofEvent(eventId) {
      const row = await all().where('event_id', '=', eventId).executeTakeFirst();
      return row && { job: jobOf(row), state: row.state };
    },
    async unfinished() {
      const rows = await all()
        .where('state', 'in', ['running', 'asking'])
        .orderBy('created_at')
        .orderBy(arrival(database))
        .execute();
      return rows.map(jobOf);
    },
    runWith: (id, options) => change(id, 'running', { options: JSON.stringify(options) }),
    askWith: (id, options) => change(id, 'asking', { options: JSON.stringify(options) }),
    asked: (id) => change(id, 'asking', { state: 'asked' }),
    async askedOf(person, since) {
      const rows = await all()
        .where('state', 'in', unanswered)
        .where('person', '=', person)
        .where('created_at', '>=', since)
        .where('deleted', 'is', null)
        .orderBy('created_at', 'desc')
        .execute();
      return rows.map(jobOf);
    },
    async isFollowed({ id, createdAt, requester }, isThere) {
      const others = await database
        .selectFrom('jobs')
        .select('address')
        .where(({ eb, or, and }) =>
          or([
            eb('created_at', '>=', createdAt),
            and([
              eb('person', '=', requester.id),
              eb('command', '=', commandFor.chat),
              or([eb('created_at', '>=', createdAt - answering), eb('state', '=', 'running')]),
            ]),
          ]),
        )
        .where('id', '<>', id)
        .execute();
      return others.some(({ address }) => isThere(JSON.parse(address) as Address));
    },
    hasAnswered: (eventId, since) =>
      isOne(all().where('created_at', '>=', since).where('confirmed_in', '=', eventId)),
    isAnswered: (id) => isOne(all().where('id', '=', id).where('confirmed_in', 'is not', null)),
    awaitsConfirmation: (id) =>
      isOne(all().where('id', '=', id).where('state', 'in', unanswered).where('deleted', 'is', null)),
    async confirm(id, chosen, eventId, closed = []) {
      let asked: Job | undefined;
      const confirmed = async (transaction: Database, isAgain: boolean) => {
        const row = await transaction.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
        // The first try may have written it.
        if (isAgain && row?.confirmed_in === eventId) return true;
        asked = row?.confirmed_in === null ? jobOf(row) : undefined;
        const { numUpdatedRows } = await transaction
          .updateTable('jobs')
          .set({
            state: chosen ? 'running' : 'done',
            ...(chosen ? callIn(chosen) : nothingGiven),
            ...(chosen?.acknowledgement && { acknowledgement: JSON.stringify(chosen.acknowledgement) }),
            confirmed_in: eventId,
            process,
          })
          .where('id', '=', id)
          .where('state', 'in', unanswered)
          .where('deleted', 'is', null)
          .where(isStillLiving(transaction, process))
          .executeTakeFirst();
        const isFirst = numUpdatedRows > 0n;
        if (isFirst) await storedRemovals(transaction).add(closed);
        return isFirst;
      };
      const write = (isAgain: boolean) => inTransaction(database, (one) => confirmed(one, isAgain));
      const counts = await writeOrUndo(write, async () => {
        if (asked) await this.reopenConfirmation(asked, eventId, closed);
      });
      if (!counts && process !== null) await expectLiving(database, process);
      return counts;
    },
    async askAbout(id, call, shown) {
      return inTransaction(database, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('jobs')
          // Somebody pressed its button: it has been asked, whether that's on record yet or not.
          .set({ ...callIn(call), state: 'asked' })
          .where('id', '=', id)
          .where('state', 'in', unanswered)
          .where('deleted', 'is', null)
          .where(isStillLiving(transaction, process))
          .executeTakeFirst();
        const isAsked = numUpdatedRows > 0n;
        if (isAsked) await storedRemovals(transaction).add(shown);
        return isAsked;
      });
    },
    async reopenConfirmation(job, eventId, closed = []) {
      return inTransaction(database, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('jobs')
          .set({
            state: 'asked',
            ...callIn(job),
            instead: job.instead ? JSON.stringify(job.instead) : null,
            acknowledgement: job.acknowledgement ? JSON.stringify(job.acknowledgement) : null,
            confirmed_in: null,
          })
          .where('id', '=', job.id)
          .where('confirmed_in', '=', eventId)
          .executeTakeFirst();
        const isReopened = numUpdatedRows > 0n;
        // Another answer may count: its question closes.
        if (isReopened) for (const one of closed) await storedRemovals(transaction).done(one);
        return isReopened;
      });
    },
    async end(id, outcome, how) {
      await end(outcome, how ? JSON.stringify(how) : null, id, ...endedBy);
    },
    async named(ids, events) {
      if (ids.length + events.length === 0) return [];
      const rows = await all()
        .where(({ eb, or }) =>
          or([
            ...(ids.length > 0 ? [eb('id', 'in', ids)] : []),
            ...(events.length > 0 ? [eb('event_id', 'in', events), eb('question', 'in', events)] : []),
          ]),
        )
        .execute();
      return rows.map((row) => ({
        job: jobOf(row),
        named: events.includes(row.question ?? row.event_id) ? ('question' as const) : ('answer' as const),
        state: row.state,
        ...(row.ended !== null && { end: JSON.parse(row.ended) as CommandEnd }),
      }));
    },
    async at(platform, place) {
      const rows = await database
        // By itself: SQLite would read all commands of the place rather than the few that aren't over.
        .with(
          (common) => common('open').materialized(),
          (query) =>
            query
              .selectFrom('jobs')
              .selectAll()
              .where('id', 'in', ({ selectFrom }) =>
                // `union` would sort, and SQLite reads all renders that there ever were for that.
                selectFrom('jobs')
                  .select('jobs.id')
                  .where('jobs.state', 'in', ['running', ...unanswered])
                  .unionAll(
                    selectFrom('renders').select('renders.job as id').where('renders.delivered', 'is', null),
                  )
                  .unionAll(selectFrom('deliveries').select('deliveries.job_id as id')),
              ),
        )
        .selectFrom('open')
        .selectAll()
        .where(hasTexts('open.address', { platform, ...place }))
        .execute();
      return rows.map((row) => ({ job: jobOf(row), state: row.state }));
    },
    async markDeleted(id, what) {
      const { numUpdatedRows } = await database
        .updateTable('jobs')
        .set({ deleted: what })
        .where('id', '=', id)
        // What stood without its question may be deleted, too.
        .where((one) =>
          one.or([
            one('deleted', 'is', null),
            one('deleted', '=', 'data'),
            ...(what === 'answer' ? [one('deleted', '=', 'question')] : []),
          ]),
        )
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async unanswered(before) {
      const rows = await all()
        .where('state', '=', 'asked')
        .where(({ eb, or }) => or([eb('created_at', '<', before), eb('deleted', 'is not', null)]))
        .execute();
      return rows.map(jobOf);
    },
    async withdrawAsked(which) {
      const rows = await database
        .updateTable('jobs')
        .set({ deleted: sql<Deleted>`coalesce(deleted, 'answer')`, press: null })
        .where((one) =>
          'id' in which
            ? one('id', '=', which.id)
            : one.and([one('press', '=', which.press), one('event_id', '!=', which.exceptOf)]),
        )
        .where('state', 'in', unanswered)
        .returningAll()
        .execute();
      return rows.map(jobOf);
    },
    async endAsked(id, closed = []) {
      const row = await inTransaction(database, async (transaction) => {
        const ended = await transaction
          .updateTable('jobs')
          // Nothing came of it, and nothing was spent, however much it was given.
          .set({ state: 'done', press: null, ...nothingGiven })
          .where('id', '=', id)
          .where('state', 'in', unanswered)
          .returningAll()
          .executeTakeFirst();
        if (ended) await storedRemovals(transaction).add(closed);
        return ended;
      });
      return row && jobOf(row);
    },
  };
}

function callIn({ command, options }: CommandCall) {
  return { command, options: JSON.stringify(options) };
}

function jobOf(row: Selectable<JobsTable>): Job {
  return {
    id: row.id,
    command: row.command,
    options: JSON.parse(row.options) as AnyValues,
    address: JSON.parse(row.address) as Address,
    requester: JSON.parse(row.requester) as Person,
    createdAt: row.created_at,
    eventId: row.confirmed_in ?? row.event_id,
    ...(row.acknowledgement !== null && { acknowledgement: JSON.parse(row.acknowledgement) }),
    ...(row.instead !== null && { instead: JSON.parse(row.instead) as CommandCall }),
    ...(row.deleted !== null && { deleted: row.deleted }),
    ...(row.state === 'asking' && { isAsking: true as const }),
    ...(row.press !== null && { press: row.press }),
    question: row.question ?? row.event_id,
  };
}
