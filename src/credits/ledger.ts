import { type RawBuilder, type Selectable, sql, type UpdateObject } from 'kysely';
import { shortened } from '../lib/text.ts';
import { type Address, type DeletedPlace, isPrivate, type Job, type PlatformName } from '../port/index.ts';
import type { CreditRange, PaidOperation } from '../service-rules/prices.ts';
import {
  abandoned,
  type Database,
  isPostgres,
  isStillLiving,
  LeaseEndedError,
  type LedgerState,
  type LedgerTable,
  type Tables,
} from '../store/index.ts';
import { type Budget, type Counted, countUse, type Look } from './budget.ts';
import type { Cooldown } from './cooldown.ts';

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
  /** Those that don't stop it, though its credits are used of them, too. */
  readonly unheeded?: readonly Budget[];
  /** How long what was asked for is kept beside what it cost, in milliseconds; not at all if absent. */
  readonly promptLife?: number | undefined;
  /** How long its person waits between two of its kind; not at all if absent. */
  readonly cooldown?: Cooldown | undefined;
  readonly conversationId: string;
  readonly kind: PaidOperation;
  /** The service's model; if it has no name, what decides the price. */
  readonly model: string;
  /** What is counted, as far as it's known before. */
  readonly quantity: Quantity;
  /** Credits it may cost. */
  readonly estimate: CreditRange;
}

/** The cost of a paid call. */
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

/** A call on its way into the ledger. */
export interface NewCall {
  readonly id: string;
  readonly call: PaidCall;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The process that makes it; null where there's only one. */
  readonly process: string | null;
}

/** So many characters of a prompt are kept: the table of all calls is built in memory. */
const mostOfPrompt = 1_000;

type Row = Readonly<Record<string, unknown>>;

/**
 * Records calls of one caller before they're made, in a transaction; with PostgreSQL by one statement, because others
 * wait for it. @returns what `look` saw before.
 * @throws {LeaseEndedError} if this process was taken for dead: nothing may be recorded then.
 */
export async function insert(
  transaction: Database,
  calls: readonly [NewCall, ...NewCall[]],
  look?: Look,
): Promise<Row | undefined> {
  const [{ at, process }] = calls;
  const credits = calls.reduce((sum, { call }) => sum + microcredits(call.estimate.high), 0);
  const isLiving = sql`${isStillLiving(transaction, process)} as "isLiving"`;
  const read = sql<Row>`select ${sql.join([isLiving, ...(look?.columns ?? [])])}`;
  const rows = transaction.insertInto('ledger').values(calls.map(rowOf));
  const count = countUse(countedOf(calls[0].call, at), credits);
  const [seen] = isPostgres(transaction)
    ? (await sql<Row>`with counted as (${count}), reserved as (${rows}) ${read}`.execute(transaction)).rows
    : (await read.execute(transaction)).rows;
  if (!seen?.isLiving) throw new LeaseEndedError();
  if (!isPostgres(transaction)) {
    await count.execute(transaction);
    await rows.execute();
  }
  return seen;
}

/** Where a call counts. */
export function countedOf({ job }: PaidCall, created_at: number): Counted {
  const { platform, workspace, channel } = job.address;
  return { platform, workspace, channel, person: job.requester.id, created_at };
}

function rowOf({ id, call, at, process }: NewCall) {
  const { job, conversationId, kind, model, quantity, estimate } = call;
  return {
    ...countedOf(call, at),
    id,
    job: job.id,
    thread: job.address.thread ?? null,
    person_name: job.requester.name,
    conversation_id: conversationId,
    kind,
    model,
    quantity: JSON.stringify(quantity),
    state: 'reserved' as const,
    estimated: 1,
    low: microcredits(estimate.low),
    high: microcredits(estimate.high),
    request_id: null,
    settled_at: null,
    process,
    sent_at: 0,
    ...keptPrompt(call, at),
  };
}

/** Never what only its requester sees, nor an answer that's read aloud: that isn't what a person wrote. */
function keptPrompt({ job, promptLife }: PaidCall, at: number) {
  const { prompt, text, answer } = job.options;
  const asked = prompt ?? text;
  const isTheirs = typeof asked === 'string' && answer === undefined;
  if (promptLife === undefined || !isTheirs || isPrivate(job)) return { prompt: null, prompt_until: null };
  return { prompt: shortened(asked, mostOfPrompt), prompt_until: at + promptLife };
}

/** What a job was asked for isn't kept any longer. */
export async function forgetPrompt(database: Database, job: string): Promise<void> {
  await database.updateTable('ledger').set({ prompt: null }).where('job', 'in', paidUnder(job)).execute();
}

/** What a job's calls are paid under: of several images each under its own id. */
export function paidUnder(job: string): RawBuilder<string> {
  return sql`(select cast(${job} as text) union select id from renders where job = ${job})`;
}

/** Nor is what was asked for in a thread or channel, in whichever workspace where none is named. */
export async function forgetPromptsAt(
  database: Database,
  place: DeletedPlace & Pick<Address, 'platform'>,
): Promise<void> {
  await database
    .updateTable('ledger')
    .set({ prompt: null })
    .where('prompt', 'is not', null)
    .where(({ and }) => and(place))
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

/**
 * Ends a call, unless it has ended already. Without spending, it's as reserved. It's read only where it isn't as it's
 * `known`. @returns what ended.
 */
export async function settle(
  database: Database,
  key: LedgerKey,
  state: Exclude<LedgerState, 'reserved'>,
  { credits, quantity, estimated, requestId }: Partial<Spending>,
  now: number,
  known?: OpenCall,
): Promise<readonly EndedCall[]> {
  const end = {
    state,
    settled_at: now,
    ...(quantity && { quantity: JSON.stringify(quantity) }),
    ...(estimated !== undefined && { estimated: estimated ? 1 : 0 }),
    ...(requestId !== undefined && { request_id: requestId }),
  };
  if (!credits) return (await underWay(database, key).set(end).returning(told).execute()).map(endedAs(state));
  const ended: EndedCall[] = [];
  let open = known ? [known] : await openCalls(database, key);
  while (open.length > 0) {
    const changed: Told[] = [];
    for (const call of open) changed.push(...(await change(database, call, credits, end)));
    ended.push(...changed.map(endedAs(state)));
    // What was changed meanwhile is read again.
    open = changed.length < open.length ? await openCalls(database, key) : [];
  }
  return ended;
}

/** What's told of a call that ended. */
const told = ['kind', 'platform', 'high'] as const;
type Told = { readonly kind: PaidOperation; readonly platform: string; readonly high: number | bigint };

const endedAs =
  (state: EndedCall['state']) =>
  ({ kind, platform, high }: Told): EndedCall => ({
    kind,
    // Written from an address.
    platform: platform as PlatformName,
    state,
    credits: Number(high) / 1e6,
  });

/** Records the service's request id of a call that's under way. */
export async function noteRequest(database: Database, key: LedgerKey, requestId: string): Promise<void> {
  await underWay(database, key).set({ request_id: requestId }).execute();
}

/**
 * Records that a call is about to be sent. @returns false if it must not be: it's not reserved (any more), or this process
 * was taken for dead.
 */
export async function noteSending(
  database: Database,
  id: string,
  process: string | null,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await underWay(database, { column: 'id', value: id })
    .set({ sent_at: now })
    .where(isStillLiving(database, process))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Records that a call which was about to be sent at that time certainly wasn't processed. */
export async function takeBack(database: Database, id: string, sentAt: number): Promise<void> {
  await underWay(database, { column: 'id', value: id })
    .set({ sent_at: 0 })
    .where('sent_at', '=', sentAt)
    .execute();
}

/** Puts a call on record again that a database has lost, in a transaction, with what it counts; unless it's there. */
export async function putBack(transaction: Database, row: Selectable<LedgerTable>): Promise<void> {
  const { numInsertedOrUpdatedRows = 0n } = await transaction
    .insertInto('ledger')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows > 0n) await countUse(row, Number(row.high)).execute(transaction);
}

/** Whether a call is on record, in whatever state. */
export async function isOnRecord(database: Database, id: string): Promise<boolean> {
  const row = await database.selectFrom('ledger').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** A call that's reserved, as it was read. */
export interface OpenCall extends Counted {
  readonly id: string;
  /** Millionths of a credit. */
  readonly high: number;
}

async function openCalls(database: Database, { column, value }: LedgerKey): Promise<readonly OpenCall[]> {
  return database
    .selectFrom('ledger')
    .select(['id', 'platform', 'workspace', 'channel', 'person', 'created_at', 'high'])
    .where(column, '=', value)
    .where('state', '=', 'reserved')
    .execute();
}

/**
 * Raises what's reserved for a call, in a transaction. @returns what `look` saw before, and the call as it was; undefined
 * if it has ended.
 */
export async function raise(
  transaction: Database,
  known: OpenCall,
  credits: CreditRange,
  look: Look,
): Promise<{ readonly seen: Row; readonly call: OpenCall } | undefined> {
  // It's read only where it isn't as it's known: an earlier change may have succeeded whose answer was lost.
  for (let call: OpenCall | undefined = known; call;) {
    const [seen] = await change(transaction, call, credits, {}, look.columns);
    if (seen) return { seen, call };
    [call] = await openCalls(transaction, { column: 'id', value: known.id });
  }
  return undefined;
}

/**
 * Changes a call and what it counts against budgets, if it's still reserved as it was read. With PostgreSQL by one
 * statement, which is atomic by itself.
 */
async function change(
  database: Database,
  call: OpenCall,
  { low, high }: CreditRange,
  more: UpdateObject<Tables, 'ledger'>,
  columns: readonly RawBuilder<unknown>[] = [],
): Promise<readonly (Told & Row)[]> {
  const write = (on: Database) =>
    underWay(on, { column: 'id', value: call.id })
      .set({ ...more, low: microcredits(low), high: microcredits(high) })
      .where('high', '=', call.high)
      .returning(told);
  const difference = microcredits(high) - Number(call.high);
  const read = sql.join([sql`*`, ...columns]);
  if (isPostgres(database)) {
    const { rows } = await sql<Told & Row>`
      with changed as (${write(database)}),
        counted as (${countUse(call, difference, sql`exists (select from changed)`)})
      select ${read} from changed`.execute(database);
    return rows;
  }
  return atomically(database, async (transaction) => {
    const [seen] =
      columns.length > 0 ? (await sql<Row>`select ${sql.join(columns)}`.execute(transaction)).rows : [];
    const [changed] = await write(transaction).execute();
    if (!changed) return [];
    await countUse(call, difference).execute(transaction);
    return [{ ...changed, ...seen }];
  });
}

/** In the transaction that there is, or in one of its own. */
function atomically<T>(database: Database, work: (transaction: Database) => Promise<T>): Promise<T> {
  return database.isTransaction ? work(database) : database.transaction().execute(work);
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
 * Settles the calls of processes that don't live any more. What was never sent cost nothing; a render that goes on is left
 * alone; a chat answer or a clip that was sent may have been charged. @returns the calls that were settled.
 */
export async function settleAbandoned(database: Database, now: number): Promise<readonly EndedCall[]> {
  const neverSent = await database
    .selectFrom('ledger')
    .select('id')
    .where('state', '=', 'reserved')
    .where(abandoned('ledger'))
    .where(({ and, or, eb, not, exists, selectFrom }) => {
      const render = selectFrom('renders')
        .select(sql`1`.as('one'))
        .whereRef('renders.id', '=', 'ledger.job');
      return or([
        and([eb('kind', 'in', rendered), not(exists(render))]),
        and([eb('kind', 'not in', rendered), eb('sent_at', '=', 0)]),
      ]);
    })
    .execute();
  const ended: EndedCall[] = [];
  for (const { id } of neverSent) {
    const free = { credits: { low: 0, high: 0 } };
    ended.push(...(await settle(database, { column: 'id', value: id }, 'failed', free, now)));
  }
  const sent = await database
    .updateTable('ledger')
    .set({ state: 'uncertain', settled_at: now })
    .where('state', '=', 'reserved')
    .where('kind', 'not in', rendered)
    .where(abandoned('ledger'))
    .returning(told)
    .execute();
  return [...ended, ...sent.map(endedAs('uncertain'))];
}
