import { sql } from 'kysely';
import type { Job, PlatformName } from '../port/index.ts';
import type { PaidOperation } from '../service-rules/operations.ts';
import type { CreditRange } from '../service-rules/prices.ts';
import { abandoned, type Database, inTransaction, type LedgerState, takeTurn } from '../store/index.ts';
import type { Budget } from './budget.ts';
import { countUse } from './budget-use.ts';

/** What is counted of a paid call, in the order of the CSV's columns. */
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
  /** Who ran it, where. */
  readonly job: Job;
  /** The budgets it counts against. */
  readonly budgets: readonly Budget[];
  readonly conversationId: string;
  readonly kind: PaidOperation;
  /** The service's model; if it has no name, what decides the price. */
  readonly model: string;
  /** What is counted, as far as it's known before. */
  readonly quantity: Quantity;
  /** Credits it may cost. */
  readonly estimate: CreditRange;
}

/** What a paid call cost. */
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

/** Records a call before it's made, in a transaction. */
export async function insert(
  transaction: Database,
  id: string,
  call: PaidCall,
  created_at: number,
  process: string | null,
): Promise<void> {
  const { job, conversationId, kind, model, quantity, estimate } = call;
  const { address, requester } = job;
  const { platform, workspace, channel } = address;
  const where = { platform, workspace, channel, person: requester.id, created_at };
  await countUse(transaction, where, microcredits(estimate.high));
  await transaction
    .insertInto('ledger')
    .values({
      ...where,
      id,
      job: job.id,
      thread: address.thread ?? null,
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
      settled_at: null,
      process,
    })
    .execute();
}

/** Identifies a row: by its id, or by its job if that has one paid call. */
export interface LedgerKey {
  readonly column: 'id' | 'job';
  readonly value: string;
}

/** A call that ended, with what counts against budgets. */
export interface EndedCall {
  readonly kind: PaidOperation;
  readonly platform: PlatformName;
  readonly state: Exclude<LedgerState, 'reserved'>;
  /** The most it cost, in credits. */
  readonly credits: number;
}

/** Ends a call, unless it has ended already. Without spending, it's as reserved. @returns what ended. */
export function settle(
  database: Database,
  key: LedgerKey,
  state: Exclude<LedgerState, 'reserved'>,
  spending: Partial<Spending>,
  now: number,
): Promise<readonly EndedCall[]> {
  return inTransaction(database, async (transaction) => {
    await takeTurn(transaction, 'budgets');
    return end(transaction, key, state, spending, now);
  });
}

async function end(
  transaction: Database,
  key: LedgerKey,
  state: Exclude<LedgerState, 'reserved'>,
  { credits, quantity, estimated, requestId }: Partial<Spending>,
  now: number,
): Promise<readonly EndedCall[]> {
  if (credits) await recount(transaction, key, credits);
  const ended = await underWay(transaction, key)
    .set({
      state,
      settled_at: now,
      ...(quantity && { quantity: JSON.stringify(quantity) }),
      ...(estimated !== undefined && { estimated: estimated ? 1 : 0 }),
      ...(requestId !== undefined && { request_id: requestId }),
    })
    .returning(['kind', 'platform', 'high'])
    .execute();
  return ended.map((call) => endedCall(call, state));
}

function endedCall(
  { kind, platform, high }: { kind: PaidOperation; platform: string; high: number | bigint },
  state: EndedCall['state'],
): EndedCall {
  // Written from an address.
  return { kind, platform: platform as PlatformName, state, credits: Number(high) / 1e6 };
}

/** Records the service's request id of a call that's under way. */
export async function noteRequest(database: Database, key: LedgerKey, requestId: string): Promise<void> {
  await underWay(database, key).set({ request_id: requestId }).execute();
}

/** Changes what's reserved for a call that's under way, in a transaction. */
export async function recount(
  transaction: Database,
  { column, value }: LedgerKey,
  { low, high }: CreditRange,
): Promise<void> {
  const calls = await transaction
    .selectFrom('ledger')
    .select(['platform', 'workspace', 'channel', 'person', 'created_at', 'high'])
    .where(column, '=', value)
    .where('state', '=', 'reserved')
    .execute();
  for (const call of calls) await countUse(transaction, call, microcredits(high) - Number(call.high));
  await underWay(transaction, { column, value })
    .set({ low: microcredits(low), high: microcredits(high) })
    .execute();
}

/**
 * Only what's still reserved changes, whichever process says so: a call ends once, and how a takeover settled it stays. Of
 * a render every process reads the same end from its row.
 */
function underWay(database: Database, { column, value }: LedgerKey) {
  return database.updateTable('ledger').where(column, '=', value).where('state', '=', 'reserved');
}

/** What is made by a render, which goes on after a restart. */
const rendered = ['image', 'video'] as const satisfies readonly PaidOperation[];

/**
 * Settles the calls of processes that don't live any more. A render that never began cost nothing; one that goes on
 * is left alone; a chat answer or a clip may have been charged. @returns the calls that were settled.
 */
export function settleAbandoned(database: Database, now: number): Promise<readonly EndedCall[]> {
  return inTransaction(database, async (transaction) => {
    await takeTurn(transaction, 'budgets');
    const neverBegun = await transaction
      .selectFrom('ledger')
      .select('id')
      .where('state', '=', 'reserved')
      .where('kind', 'in', rendered)
      .where(abandoned('ledger'))
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('renders').select(sql`1`.as('one')).whereRef('renders.id', '=', 'ledger.job'))),
      )
      .execute();
    const released: EndedCall[] = [];
    for (const { id } of neverBegun) {
      const free = { credits: { low: 0, high: 0 } };
      released.push(...(await end(transaction, { column: 'id', value: id }, 'failed', free, now)));
    }
    const others = await transaction
      .updateTable('ledger')
      .set({ state: 'uncertain', settled_at: now })
      .where('state', '=', 'reserved')
      .where('kind', 'not in', rendered)
      .where(abandoned('ledger'))
      .returning(['kind', 'platform', 'high'])
      .execute();
    return [...released, ...others.map((call) => endedCall(call, 'uncertain'))];
  });
}
