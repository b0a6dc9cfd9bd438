import { type Selectable, sql } from 'kysely';
import type { Address, MessageAddress } from '../port/index.ts';
import type { Database, RenderState, RendersTable } from '../store/index.ts';
import {
  type NewRender,
  type Render,
  type RenderFault,
  type RenderRequest,
  type RenderResult,
  renderId,
} from './render.ts';

/** What changes from one state to the next. */
export interface RenderChange {
  readonly state?: RenderState;
  readonly message?: MessageAddress;
  readonly taskId?: string;
  readonly result?: RenderResult;
  readonly fault?: RenderFault;
  readonly attempts?: number;
  readonly waited?: number;
  readonly unanswered?: number;
}

/** What decides when a render from an earlier process continues. */
export type OpenRender = Pick<
  Render,
  'id' | 'job' | 'kind' | 'state' | 'waited' | 'unanswered' | 'attempts' | 'createdAt'
>;

/** Renders in a page. */
const pageLength = 500;

/** The `renders` table. */
export class RenderStore {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Puts a job's renders on record: all of them, or none. */
  async add(renders: readonly NewRender[]): Promise<void> {
    const rows = renders.map(({ job, part, parts, kind, request, conversationId, message, createdAt }) => ({
      id: renderId(job, part),
      job,
      part,
      parts,
      kind,
      state: 'reserved' as const,
      request: JSON.stringify(request),
      conversation_id: conversationId,
      message: JSON.stringify(message),
      task_id: null,
      result: null,
      delivered: null,
      fault: null,
      created_at: createdAt,
      updated_at: createdAt,
    }));
    await this.#database.insertInto('renders').values(rows).execute();
  }

  /** Records that a request is about to be sent; false if it must not be: it was canceled. */
  async beginSubmitting(id: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#database
      .updateTable('renders')
      .set({ state: 'submitting', updated_at: this.#now() })
      .where('id', '=', id)
      .where('state', '=', 'reserved')
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }

  /** Records that a request which was about to be sent certainly wasn't processed: it waits again. */
  async takeBack(id: string): Promise<void> {
    await this.#database
      .updateTable('renders')
      .set({ state: 'reserved', updated_at: this.#now() })
      .where('id', '=', id)
      .where('state', '=', 'submitting')
      .execute();
  }

  /** Cancels what hasn't been sent yet of a job; returns the ids. */
  async cancel(job: string): Promise<readonly string[]> {
    const fault: RenderFault = { code: 'canceled' };
    const canceled = await this.#database
      .updateTable('renders')
      .set({ state: 'failed', fault: JSON.stringify(fault), updated_at: this.#now() })
      .where('job', '=', job)
      .where('state', '=', 'reserved')
      .returning('id')
      .execute();
    return canceled.map(({ id }) => id);
  }

  /** Records where the end of these was posted: the result, or the notice that there is none. Nothing is left to do then. */
  async deliver(ids: readonly string[], at: MessageAddress): Promise<void> {
    await this.#database
      .updateTable('renders')
      .set({
        delivered: JSON.stringify(at),
        state: sql<RenderState>`case when state = 'ready' then 'delivered' else state end`,
        updated_at: this.#now(),
      })
      .where('id', 'in', ids)
      .execute();
  }

  /** Records that a job's renders go on in another message. */
  async move(job: string, message: MessageAddress): Promise<void> {
    await this.#database
      .updateTable('renders')
      .set({ message: JSON.stringify(message), updated_at: this.#now() })
      .where('job', '=', job)
      .execute();
  }

  async change(id: string, change: RenderChange): Promise<void> {
    const { state, message, taskId, result, fault, attempts, waited, unanswered } = change;
    await this.#database
      .updateTable('renders')
      .set({
        updated_at: this.#now(),
        ...(state && { state }),
        ...(message && { message: JSON.stringify(message) }),
        ...(taskId !== undefined && { task_id: taskId }),
        ...(result && { result: JSON.stringify(result) }),
        ...(fault && { fault: JSON.stringify(fault) }),
        ...(attempts !== undefined && { attempts }),
        ...(waited !== undefined && { waited_ms: waited }),
        ...(unanswered !== undefined && { unanswered_ms: unanswered }),
      })
      .where('id', '=', id)
      .execute();
  }

  async find(id: string): Promise<Render | undefined> {
    const row = await this.#database
      .selectFrom('renders')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && renderOf(row);
  }

  /** All renders of a job, in order. */
  async ofJob(job: string): Promise<readonly Render[]> {
    const rows = await this.#database
      .selectFrom('renders')
      .selectAll()
      .where('job', '=', job)
      .orderBy('part')
      .execute();
    return rows.map(renderOf);
  }

  /** Open renders in a channel and its threads, oldest first. */
  async openAt({ platform, workspace, channel }: Address): Promise<readonly Render[]> {
    const rows = await this.#database
      .selectFrom('renders')
      .selectAll()
      .where('delivered', 'is', null)
      .where(sql`json_extract(message, '$.platform')`, '=', platform)
      .where(sql`json_extract(message, '$.workspace')`, '=', workspace)
      .where(sql`json_extract(message, '$.channel')`, '=', channel)
      .orderBy('created_at')
      .execute();
    return rows.map(renderOf);
  }

  /** A person's open renders, oldest first, and where each shows its progress. */
  async openOf(
    { platform, workspace }: Pick<Address, 'platform' | 'workspace'>,
    person: string,
    most: number,
  ): Promise<readonly Render[]> {
    const rows = await this.#database
      .selectFrom('renders')
      .innerJoin('jobs', 'jobs.id', 'renders.job')
      .selectAll('renders')
      .where('renders.delivered', 'is', null)
      .where(sql`json_extract(renders.message, '$.platform')`, '=', platform)
      .where(sql`json_extract(renders.message, '$.workspace')`, '=', workspace)
      .where(sql`json_extract(jobs.requester, '$.id')`, '=', person)
      .orderBy('renders.created_at')
      .limit(most)
      .execute();
    return rows.map(renderOf);
  }

  /** How many ends have not been posted yet. */
  async countOpen(): Promise<number> {
    const { count } = await this.#database
      .selectFrom('renders')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('delivered', 'is', null)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** All whose end has not been posted yet, oldest first, in pages with a turn of the event loop between. */
  async *open(): AsyncGenerator<readonly OpenRender[]> {
    let last: { readonly createdAt: number; readonly row: number } | undefined = { createdAt: -1, row: 0 };
    while (last) {
      const page: readonly (OpenRender & { readonly row: number })[] = await this.#openAfter(last);
      yield page;
      last = page.length < pageLength ? undefined : page.at(-1);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** In the order of the index of those that are open, which ends with SQLite's number of the row: nothing is sorted. */
  #openAfter({ createdAt, row }: { readonly createdAt: number; readonly row: number }) {
    return this.#database
      .selectFrom('renders')
      .select([
        'id',
        'job',
        'kind',
        'state',
        'waited_ms as waited',
        'unanswered_ms as unanswered',
        'attempts',
        'created_at as createdAt',
      ])
      .select(sql<number>`rowid`.as('row'))
      .where('delivered', 'is', null)
      .where(sql<boolean>`(created_at, rowid) > (${createdAt}, ${row})`)
      .orderBy('created_at')
      .orderBy(sql`rowid`)
      .limit(pageLength)
      .execute();
  }
}

/** A request as it was recorded: the command that gave it checked it. */
function requestOf({ kind, request }: Pick<Selectable<RendersTable>, 'kind' | 'request'>): RenderRequest {
  return { kind, request: JSON.parse(request) } as RenderRequest;
}

function renderOf(row: Selectable<RendersTable>): Render {
  return {
    id: row.id,
    job: row.job,
    part: row.part,
    parts: row.parts,
    ...requestOf(row),
    state: row.state,
    conversationId: row.conversation_id,
    message: JSON.parse(row.message) as MessageAddress,
    taskId: row.task_id ?? undefined,
    result: row.result === null ? undefined : (JSON.parse(row.result) as RenderResult),
    fault: row.fault === null ? undefined : (JSON.parse(row.fault) as RenderFault),
    delivered: row.delivered === null ? undefined : (JSON.parse(row.delivered) as MessageAddress),
    createdAt: row.created_at,
    waited: row.waited_ms,
    unanswered: row.unanswered_ms,
    attempts: row.attempts,
  };
}
