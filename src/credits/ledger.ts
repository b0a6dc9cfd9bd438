import { sql } from 'kysely';
import type { Job } from '../port/index.ts';
import type { CreditRange } from '../spec/prices.ts';
import type { Database, LedgerKind, LedgerState } from '../store/index.ts';

/** What is counted of a paid call, and in which order it is written down. */
export const quantityNames = [
  'inputTokens',
  'cacheReadTokens',
  'cacheCreationTokens',
  'outputTokens',
  'seconds',
  'images',
] as const;
export type Quantity = Readonly<Partial<Record<(typeof quantityNames)[number], number>>>;

/** A call the service will charge for. */
export interface PaidCall {
  /** Who asked for it, where. */
  readonly job: Job;
  readonly conversationId: string;
  readonly kind: LedgerKind;
  /** The service's model; where it names none, what decides the price. */
  readonly model: string;
  /** What is counted, as far as it is known beforehand. */
  readonly quantity: Quantity;
  /** Credits it may cost. */
  readonly estimate: CreditRange;
}

/** What a paid call came to. */
export interface Spending {
  readonly credits: CreditRange;
  readonly quantity: Quantity;
  /** The quantity is an estimate of ours. */
  readonly estimated?: boolean;
  readonly requestId?: string | undefined;
}

/** Millionths of a credit: every price of the description is a whole number of them. */
export function microcredits(credits: number): number {
  return Math.round(credits * 1e6);
}

/** Writes a call down before it is made. */
export async function insert(database: Database, id: string, call: PaidCall, now: number): Promise<void> {
  const { job, conversationId, kind, model, quantity, estimate } = call;
  const { address, requester } = job;
  await database
    .insertInto('ledger')
    .values({
      id,
      job: job.id,
      platform: address.platform,
      workspace: address.workspace,
      channel: address.channel,
      thread: address.thread ?? null,
      person: requester.id,
      person_name: requester.name,
      conversation_id: conversationId,
      kind,
      model,
      quantity: JSON.stringify(quantity),
      state: 'reserved',
      estimated: 1,
      low: microcredits(estimate.low),
      high: microcredits(estimate.high),
      request_id: null,
      created_at: now,
      settled_at: null,
    })
    .execute();
}

/** Which row: by its id, or by its job where that has one paid call. */
export interface LedgerKey {
  readonly column: 'id' | 'job';
  readonly value: string;
}

/** Ends a call that is under way; without effect on one that has ended. Absent spending: as it was reserved. */
export async function settle(
  database: Database,
  { column, value }: LedgerKey,
  state: Exclude<LedgerState, 'reserved'>,
  spending: Partial<Spending>,
  now: number,
): Promise<void> {
  const { credits, quantity, estimated, requestId } = spending;
  await database
    .updateTable('ledger')
    .set({
      state,
      settled_at: now,
      ...(credits && { low: microcredits(credits.low), high: microcredits(credits.high) }),
      ...(quantity && { quantity: JSON.stringify(quantity) }),
      ...(estimated !== undefined && { estimated: estimated ? 1 : 0 }),
      ...(requestId !== undefined && { request_id: requestId }),
    })
    .where(column, '=', value)
    .where('state', '=', 'reserved')
    .execute();
}

/** Notes the service's id of the request, and what is set aside, of a call that is under way. */
export async function amend(
  database: Database,
  { column, value }: LedgerKey,
  { requestId, estimate }: { readonly requestId?: string; readonly estimate?: CreditRange },
): Promise<void> {
  await database
    .updateTable('ledger')
    .set({
      ...(requestId !== undefined && { request_id: requestId }),
      ...(estimate && { low: microcredits(estimate.low), high: microcredits(estimate.high) }),
    })
    .where(column, '=', value)
    .where('state', '=', 'reserved')
    .execute();
}

/**
 * Ends what a former process left under way. A render that was never begun cost nothing; what goes on is left
 * alone; of a chat answer or a speech nobody knows how far it came. Answers how many that were.
 */
export async function settleAbandoned(database: Database, now: number): Promise<number> {
  const settled_at = now;
  const rendersAnew = await database
    .updateTable('ledger')
    .set({ state: 'failed', low: 0, high: 0, settled_at })
    .where('state', '=', 'reserved')
    .where('kind', 'in', ['image', 'video'])
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('renders').select(sql`1`.as('one')).whereRef('renders.id', '=', 'ledger.job'))),
    )
    .executeTakeFirst();
  const others = await database
    .updateTable('ledger')
    .set({ state: 'uncertain', settled_at })
    .where('state', '=', 'reserved')
    .where('kind', 'in', ['chat', 'speech'])
    .executeTakeFirst();
  return Number(rendersAnew.numUpdatedRows + others.numUpdatedRows);
}
