import type { Selectable } from 'kysely';
import type { Address, MessageAddress } from '../port/index.ts';
import type { Database, RenderState, RendersTable } from '../store/index.ts';
import type { Render, RenderFault, RenderKind, RenderResult } from './render.ts';

/** What changes from one state to the next. */
export interface RenderChange {
  readonly state?: RenderState;
  readonly message?: MessageAddress;
  readonly taskId?: string;
  readonly result?: RenderResult;
  readonly fault?: RenderFault;
  readonly attempts?: number;
  readonly waited?: number;
  /** Where the result, or the word that there is none, was posted. Nothing is left to do then. */
  readonly delivered?: MessageAddress;
}

/** The `renders` table. */
export class RenderStore {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async add(
    render: Omit<Render, 'state' | 'taskId' | 'result' | 'fault' | 'attempts' | 'waited'>,
  ): Promise<void> {
    await this.#database
      .insertInto('renders')
      .values({
        id: render.id,
        kind: render.kind,
        state: 'reserved',
        request: JSON.stringify(render.request),
        conversation_id: render.conversationId,
        message: JSON.stringify(render.message),
        task_id: null,
        result: null,
        delivered: null,
        fault: null,
        created_at: render.createdAt,
        updated_at: render.createdAt,
      })
      .execute();
  }

  async change(id: string, change: RenderChange): Promise<void> {
    const { state, message, taskId, result, fault, attempts, waited, delivered } = change;
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
        ...(delivered && { delivered: JSON.stringify(delivered) }),
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

  /** Renders at a place and in its threads that are not ended yet, oldest first. */
  async openAt(place: Address): Promise<readonly Render[]> {
    return (await this.open()).filter(
      ({ message }) =>
        message.platform === place.platform &&
        message.workspace === place.workspace &&
        message.channel === place.channel,
    );
  }

  /** Renders about which somebody still has to be told, oldest first. */
  async open(): Promise<readonly Render[]> {
    const rows = await this.#database
      .selectFrom('renders')
      .selectAll()
      .where('delivered', 'is', null)
      .orderBy('created_at')
      .execute();
    return rows.map(renderOf);
  }
}

function renderOf(row: Selectable<RendersTable>): Render {
  return {
    id: row.id,
    kind: row.kind satisfies RenderKind,
    state: row.state,
    request: JSON.parse(row.request),
    conversationId: row.conversation_id,
    message: JSON.parse(row.message) as MessageAddress,
    taskId: row.task_id ?? undefined,
    result: row.result === null ? undefined : (JSON.parse(row.result) as RenderResult),
    fault: row.fault === null ? undefined : (JSON.parse(row.fault) as RenderFault),
    createdAt: row.created_at,
    waited: row.waited_ms,
    attempts: row.attempts,
  };
}
