import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type { Address, MessageAddress, Place } from '../port/index.ts';
import {
  type Database,
  expectLiving,
  hasTexts,
  isStillLiving,
  jsonType,
  type RendersTable,
  type RenderState,
  type Tables,
  writeOrUndo,
} from '../store/index.ts';
import { LastCommits } from './last-commits.ts';
import {
  type NewRender,
  type OpenRender,
  readColumns,
  type ReadRender,
  type Render,
  type RenderChange,
  type RenderFault,
  renderId,
  renderOf,
} from './render.ts';

/** Another process has the render by now: this one was cut off, and was thought to be dead. */
export class TakenOverError extends Error {
  override name = 'TakenOverError';
}

/** Renders in a page. */
const pageLength = 500;

/** The `renders` table, for the process `process`: what changes a render needs it in hand. */
export class RenderStore {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #process: string;
  /** Those that may be on record although their caller was told otherwise, until they certainly aren't. */
  readonly #undoing = new Set<string>();
  readonly #lastCommits: LastCommits;

  constructor(database: Database, now: () => number, process: string) {
    this.#lastCommits = new LastCommits(database, now, process);
    this.#database = database;
    this.#now = now;
    this.#process = process;
  }

  /**
   * Puts a job's renders on record, in this process's hand: all of them, or none.
   * @throws {LeaseEndedError} if this process was taken for dead.
   */
  async add(renders: readonly NewRender[]): Promise<void> {
    const rows = renders.map((render) => this.#rowIfLiving(render)).reduce((all, row) => all.unionAll(row));
    const write = async () => {
      const { numInsertedOrUpdatedRows } = await this.#database
        .insertInto('renders')
        .columns([
          ...(['id', 'job', 'part', 'parts', 'kind', 'state', 'request', 'conversation_id'] as const),
          ...(['message', 'created_at', 'updated_at', 'process'] as const),
        ])
        .expression(rows)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow();
      // Otherwise they're on record already.
      if (numInsertedOrUpdatedRows === 0n) await expectLiving(this.#database, this.#process);
    };
    const ids = renders.map(({ job, part }) => renderId(job, part));
    await writeOrUndo(write, async () => {
      for (const id of ids) this.#undoing.add(id);
      await this.#database
        .deleteFrom('renders')
        .where('id', 'in', ids)
        .where('state', '=', 'reserved')
        .execute();
      for (const id of ids) this.#undoing.delete(id);
    });
  }

  /** The row of a new render; none where this process was taken for dead. */
  #rowIfLiving({ job, part, parts, kind, request, conversationId, message, createdAt }: NewRender) {
    return this.#database
      .selectNoFrom(({ val, cast }) => [
        val(renderId(job, part)).as('id'),
        val(job).as('job'),
        cast<number>(val(part), 'integer').as('part'),
        cast<number>(val(parts), 'integer').as('parts'),
        val(kind).as('kind'),
        val('reserved').as('state'),
        val(request).as('request'),
        val(conversationId).as('conversation_id'),
        cast<string>(val(JSON.stringify(message)), jsonType(this.#database)).as('message'),
        cast<number>(val(createdAt), 'bigint').as('created_at'),
        cast<number>(val(createdAt), 'bigint').as('updated_at'),
        val(this.#process).as('process'),
      ])
      .where(isStillLiving(this.#database, this.#process));
  }

  /** Whether a render must not go on, should it be on record: the person was told that nothing comes of it. */
  isUndoing(id: string): boolean {
    return this.#undoing.has(id);
  }

  /**
   * Records that a request is about to be sent; false if it must not be: it was canceled, or another process has it in
   * hand by now.
   * @throws {LeaseEndedError} if this process was taken for dead: what's reserved for it may have been given back.
   */
  async beginSubmitting(id: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#update({ state: 'submitting' })
      .where('id', '=', id)
      .where('state', '=', 'reserved')
      .where('process', '=', this.#process)
      .where(isStillLiving(this.#database, this.#process))
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) await expectLiving(this.#database, this.#process);
    return numUpdatedRows > 0n;
  }

  /** Records that a request which was about to be sent certainly wasn't processed: it waits again. */
  async takeBack(id: string): Promise<void> {
    await this.#update({ state: 'reserved' })
      .where('id', '=', id)
      .where('state', '=', 'submitting')
      .where('process', '=', this.#process)
      .execute();
  }

  /** Cancels what hasn't been sent yet of a job, whichever process has it: the press may come to another. Returns the ids. */
  async cancel(job: string, code: 'canceled' | 'source-gone'): Promise<readonly string[]> {
    const fault: RenderFault = { code };
    const canceled = await this.#update({ state: 'failed', fault: JSON.stringify(fault) })
      .where('job', '=', job)
      .where('state', '=', 'reserved')
      .returning('id')
      .execute();
    return canceled.map(({ id }) => id);
  }

  /**
   * Records where the end of these was posted: the result, or the notice that there is none. Nothing is left to do then.
   * `inHand`: the one that this process has in hand while it posts; none where a person fetches a held result.
   * @throws {TakenOverError} if it hasn't, any more.
   */
  async deliver(ids: readonly string[], at: MessageAddress, inHand?: string): Promise<void> {
    const { numUpdatedRows } = await this.#database
      .updateTable('renders')
      .set({
        delivered: JSON.stringify(at),
        state: sql<RenderState>`case when state = 'ready' then 'delivered' else state end`,
        updated_at: this.#now(),
      })
      .where('id', 'in', ids)
      .$if(inHand === undefined, (rows) => rows.where('delivered', 'is', null))
      .$if(inHand !== undefined, (rows) => rows.where(this.#has(inHand)))
      .executeTakeFirstOrThrow();
    if (inHand !== undefined && numUpdatedRows === 0n) {
      if (!(await this.#lastCommits.writeAgain(inHand))) throw takenOver(inHand);
      return this.deliver(ids, at, inHand);
    }
    for (const id of ids) this.#lastCommits.forget(id);
  }

  /** Records that a job's renders go on in another message. @throws {TakenOverError} unless this process has `inHand`. */
  async move(job: string, message: MessageAddress, inHand: string): Promise<void> {
    const { numUpdatedRows } = await this.#update({ message: JSON.stringify(message) })
      .where('job', '=', job)
      .where(this.#has(inHand))
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw takenOver(inHand);
  }

  /** Changes a render that this process has in hand. @throws {TakenOverError} if it hasn't, any more. */
  async change(id: string, change: RenderChange): Promise<void> {
    const row = this.#changed(change);
    const { numUpdatedRows } = await this.#update(row)
      .where('id', '=', id)
      .where('process', '=', this.#process)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) return this.#lastCommits.changed(id, row);
    if (!(await this.#lastCommits.writeAgain(id))) throw takenOver(id);
    await this.change(id, change);
  }

  /**
   * Changes renders of a job, in any process's hand, for the process that posts the job's end.
   * @throws {TakenOverError} unless it has `inHand`.
   */
  async changeOfJob(ids: readonly string[], change: RenderChange, inHand: string): Promise<void> {
    const { numUpdatedRows } = await this.#update(this.#changed(change))
      .where('id', 'in', ids)
      .where(this.#has(inHand))
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw takenOver(inHand);
  }

  /** Whether this process has a render in hand. */
  #has(id: string | undefined) {
    return ({ exists, selectFrom }: ExpressionBuilder<Tables, 'renders'>) =>
      exists(
        selectFrom('renders as held')
          .select('held.id')
          .where('held.id', '=', id ?? '')
          .where('held.process', '=', this.#process),
      );
  }

  #changed(change: RenderChange): Partial<Selectable<RendersTable>> {
    const { state, message, taskId, result, fault, attempts, waited, unanswered } = change;
    return {
      updated_at: this.#now(),
      ...(state && { state }),
      ...(message && { message: JSON.stringify(message) }),
      ...(taskId !== undefined && { task_id: taskId }),
      ...(result && { result: JSON.stringify(result) }),
      ...(fault && { fault: JSON.stringify(fault) }),
      ...(attempts !== undefined && { attempts }),
      // Whole milliseconds: PostgreSQL refuses a part of one.
      ...(waited !== undefined && { waited_ms: Math.round(waited) }),
      ...(unanswered !== undefined && { unanswered_ms: Math.round(unanswered) }),
    };
  }

  /** Takes open renders into this process's hand that nobody has and that wait for no time. */
  async claimForgotten(): Promise<void> {
    await this.#database
      .updateTable('renders')
      .set({ process: this.#process })
      .where('delivered', 'is', null)
      .where('process', 'is', null)
      .where('wakes_at', 'is', null)
      .where(isStillLiving(this.#database, this.#process))
      .execute();
  }

  async find(id: string): Promise<Render | undefined> {
    const row = await this.#row(id);
    return row && renderOf(row);
  }

  get #rows() {
    return this.#database.selectFrom('renders').select(readColumns);
  }

  /** An update of renders, from now. */
  #update(changed: Partial<Selectable<RendersTable>>) {
    return this.#database.updateTable('renders').set({ updated_at: this.#now(), ...changed });
  }

  #row(id: string): Promise<ReadRender | undefined> {
    return this.#rows.where('id', '=', id).executeTakeFirst();
  }

  /** The request of a render, as it was put on record. */
  async requestOf(id: string): Promise<string> {
    const row = this.#database.selectFrom('renders').select('request').where('id', '=', id);
    return (await row.executeTakeFirstOrThrow()).request;
  }

  /**
   * A render to go on with, as this process knows it: where the database has come back without its last commits, it's put on
   * record again, and one that was sent before isn't sent again.
   */
  async findInHand(id: string): Promise<Render | undefined> {
    const row = await this.#row(id);
    if (!row) return (await this.#lastCommits.writeAgain(id)) ? this.findInHand(id) : undefined;
    if (row.process !== this.#process) throw takenOver(id);
    const taskId = this.#lastCommits.taskOf(id);
    if (taskId !== undefined && row.task_id === null) {
      await this.change(id, { state: 'waiting', taskId });
      return this.findInHand(id);
    }
    await this.#lastCommits.note(row);
    return renderOf(row);
  }

  /** Puts on record again what this process had in hand lately and the database has lost. @returns how many. */
  async writeLostAgain(): Promise<number> {
    let written = 0;
    for (const id of await this.#lastCommits.gone()) if (await this.#lastCommits.writeAgain(id)) written += 1;
    return written;
  }

  /** All renders of a job, in order. */
  async ofJob(job: string): Promise<readonly Render[]> {
    const rows = await this.#rows.where('job', '=', job).orderBy('part').execute();
    return rows.map(renderOf);
  }

  /** Open renders in a channel and its threads, oldest first. */
  async openAt({ platform, workspace, channel }: Address): Promise<readonly Render[]> {
    const rows = await this.#rows
      .where('delivered', 'is', null)
      .where(hasTexts('message', { platform, workspace, channel }))
      .orderBy('created_at')
      .execute();
    return rows.map(renderOf);
  }

  /** A person's open renders, oldest first, and where each shows its progress. */
  async openOf({ platform, workspace }: Place, person: string, most: number): Promise<readonly Render[]> {
    const rows = await this.#rows
      .innerJoin('jobs', 'jobs.id', 'renders.job')
      .where('renders.delivered', 'is', null)
      .where(hasTexts('renders.message', { platform, workspace }))
      .where('jobs.person', '=', person)
      .orderBy('renders.created_at')
      .limit(most)
      .execute();
    return rows.map(renderOf);
  }

  /** How many jobs of a person in a channel and its threads have something that isn't made yet. */
  async countUnfinished({ platform, workspace, channel }: Address, person: string): Promise<number> {
    const { count } = await this.#database
      .selectFrom('renders')
      .innerJoin('jobs', 'jobs.id', 'renders.job')
      .select(({ fn }) => fn.count<number>('renders.job').distinct().as('count'))
      .where('renders.delivered', 'is', null)
      .where('renders.state', 'in', ['reserved', 'submitting', 'waiting'])
      .where('jobs.person', '=', person)
      .where(hasTexts('jobs.address', { platform, workspace, channel }))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** How many the service is asked about. */
  async countWaiting(): Promise<number> {
    const { count } = await this.#database
      .selectFrom('renders')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('delivered', 'is', null)
      .where('state', '=', 'waiting')
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Whether a job has renders whose end has not been posted yet. */
  async isOpen(job: string): Promise<boolean> {
    const open = await this.#database
      .selectFrom('renders')
      .select('id')
      .where('job', '=', job)
      .where('delivered', 'is', null)
      .executeTakeFirst();
    return open !== undefined;
  }

  /**
   * All whose end has not been posted yet, oldest first, in pages with a turn of the event loop between; `mine`: of those
   * that this process has in hand.
   */
  async *open({ mine = false } = {}): AsyncGenerator<readonly OpenRender[]> {
    let last: Pick<OpenRender, 'createdAt' | 'id'> | undefined = { createdAt: -1, id: '' };
    while (last) {
      const page: readonly OpenRender[] = await this.#openAfter(last, mine);
      yield page;
      last = page.length < pageLength ? undefined : page.at(-1);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** In the order of the index of those that are open: nothing is sorted. */
  async #openAfter(
    { createdAt, id }: Pick<OpenRender, 'createdAt' | 'id'>,
    mine: boolean,
  ): Promise<readonly OpenRender[]> {
    const rows = await this.#database
      .selectFrom('renders')
      .select([
        'id',
        'job',
        'kind',
        'state',
        'message',
        'waited_ms as waited',
        'unanswered_ms as unanswered',
        'attempts',
        'created_at as createdAt',
      ])
      .where('delivered', 'is', null)
      .$if(mine, (rows) => rows.where('process', '=', this.#process))
      .where(sql<boolean>`(created_at, id) > (${createdAt}, ${id})`)
      .orderBy('created_at')
      .orderBy('id')
      .limit(pageLength)
      .execute();
    return rows.map((row) => ({ ...row, message: JSON.parse(row.message) as MessageAddress }));
  }
}

const takenOver = (id: string) => new TakenOverError(`render ${id} is in the hand of another process`);
