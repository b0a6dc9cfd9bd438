import type { Selectable } from 'kysely';
import { putBack } from '../credits/index.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import {
  type Database,
  inTransaction,
  isPostgres,
  type JobsTable,
  type LedgerTable,
  type RendersTable,
} from '../store/index.ts';
import type { ReadRender } from './render.ts';

/**
 * How long what was put on record is remembered, in milliseconds. Standbys are seconds behind; an operator may take some
 * minutes to put one in the primary's place.
 */
const lifetime = 15 * 60_000;
/** Renders that are remembered. */
const most = 2_000;

/** All but those that say when it arrived here, which the database gives. */
const columnsOfJobs = [
  ...(['id', 'event_id', 'command', 'options', 'address', 'requester'] as const),
  ...(['created_at', 'acknowledgement', 'confirmed_in', 'person', 'instead', 'deleted'] as const),
  ...(['press', 'question'] as const),
] as const;

type KnownJob = Pick<Selectable<JobsTable>, (typeof columnsOfJobs)[number]>;

interface Remembered {
  readonly render: Selectable<RendersTable>;
  readonly job: KnownJob;
  readonly paid: readonly Selectable<LedgerTable>[];
}

/**
 * The renders that a process has lately had in hand, as they were on record. PostgreSQL may come back without its last
 * commits, as a standby that was behind: what the service makes, and charges for, must not be forgotten then. SQLite
 * loses nothing that it confirmed.
 */
export class LastCommits {
  readonly #database: Database;
  readonly #process: string;
  readonly #remembered: BoundedMap<string, Remembered>;

  constructor(database: Database, now: () => number, process: string) {
    this.#database = database;
    this.#process = process;
    this.#remembered = new BoundedMap({ most, lifetime: { milliseconds: lifetime, clock: { steady: now } } });
  }

  /** Notes a render that this process has in hand, as it was read, and whether its answer or question was deleted. */
  async note({ video: _, ...read }: ReadRender): Promise<void> {
    if (!isPostgres(this.#database)) return;
    if (this.#remembered.has(read.id)) return this.#noteAgain(read);
    const [render, job, paid] = await Promise.all([
      this.#database.selectFrom('renders').selectAll().where('id', '=', read.id).executeTakeFirst(),
      this.#job(read.job),
      this.#database.selectFrom('ledger').selectAll().where('job', '=', read.id).execute(),
    ]);
    if (job && render) this.#remembered.set(render.id, { render, job, paid });
  }

  async #noteAgain(render: Omit<Selectable<RendersTable>, 'request'>): Promise<void> {
    this.changed(render.id, render);
    const job = await this.#job(render.job);
    const known = this.#remembered.get(render.id);
    if (!job || !known) return;
    if (job.deleted === null) await deleteAgain(this.#database, known.job);
    else this.#remembered.set(render.id, { ...known, job });
  }

  #job(id: string): Promise<KnownJob | undefined> {
    return this.#database.selectFrom('jobs').select(columnsOfJobs).where('id', '=', id).executeTakeFirst();
  }

  /** It was changed so. */
  changed(id: string, change: Partial<Selectable<RendersTable>>): void {
    const known = this.#remembered.get(id);
    if (known) this.#remembered.set(id, { ...known, render: { ...known.render, ...change } });
  }

  /** The service's task of a render that was sent. */
  taskOf(id: string): string | undefined {
    return this.#remembered.get(id)?.render.task_id ?? undefined;
  }

  forget(id: string): void {
    this.#remembered.delete(id);
  }

  /** Those that are not on record any more, whoever has them in hand. */
  async gone(): Promise<readonly string[]> {
    const known = [...this.#remembered.keys()];
    if (known.length === 0) return [];
    const rows = await this.#database.selectFrom('renders').select('id').where('id', 'in', known).execute();
    const there = new Set(rows.map(({ id }) => id));
    return known.filter((id) => !there.has(id));
  }

  /**
   * Puts a render on record again, in this process's hand, with its job and what's reserved for it, if it isn't there any
   * more. @returns whether it has; nothing is changed where it's there, in whosever hand.
   */
  async writeAgain(id: string): Promise<boolean> {
    const known = this.#remembered.get(id);
    if (!known) return false;
    const process = this.#process;
    return inTransaction(this.#database, async (transaction) => {
      // Its command has ended here. Another command may have come of the same event meanwhile.
      const job = { ...known.job, state: 'done' as const, process };
      // So may one of the same press.
      const again = { ...job, event_id: `${job.id} again`, press: null };
      for (const row of [job, again])
        await transaction
          .insertInto('jobs')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      // It may be there as it was before.
      await deleteAgain(transaction, known.job);
      const { numInsertedOrUpdatedRows = 0n } = await transaction
        .insertInto('renders')
        .values({ ...known.render, process, wakes_at: null })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows === 0n) return false;
      for (const row of known.paid) await putBack(transaction, { ...row, process });
      return true;
    });
  }
}

/** What was deleted of a job is so on record, where the database has lost that. */
async function deleteAgain(database: Database, { id, deleted }: KnownJob): Promise<void> {
  if (deleted === null) return;
  await database
    .updateTable('jobs')
    .set({ deleted })
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .execute();
}
