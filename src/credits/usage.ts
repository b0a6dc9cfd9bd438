import { setImmediate } from 'node:timers/promises';
import { type Selectable, sql } from 'kysely';
import type { Database, LedgerTable } from '../store/index.ts';
import { type Quantity, quantityNames } from './ledger.ts';

/** Groupings of usage. */
export const groupings = ['user', 'channel', 'kind'] as const;
export type Grouping = (typeof groupings)[number];

/** Whose usage: a whole workspace's, or one person's on a platform. */
export type UsageScope = {
  readonly platform: string;
  /** Milliseconds since the epoch; calls from then on. */
  readonly since: number;
} & ({ readonly workspace: string } | { readonly person: string });

/** The use by one person, channel or kind of work. */
export interface UsageLine {
  /** The person's id, the channel's id, or the kind. */
  readonly key: string;
  /** The person's name; else the key. */
  readonly name: string;
  readonly calls: number;
  /** In credits. */
  readonly low: number;
  readonly high: number;
  /** How many of the calls may or may not have been charged. */
  readonly uncertain: number;
  /** How many aren't over: they count with what's reserved for them. */
  readonly underWay: number;
}

const columns = { user: 'person', channel: 'channel', kind: 'kind' } as const;

/** Adds up usage as budgets count it, the most first. Failed calls cost nothing and aren't counted. */
export async function usageOf(
  database: Database,
  scope: UsageScope,
  grouping: Grouping,
): Promise<readonly UsageLine[]> {
  const lines = new Map<string, UsageLine>();
  for (let from: number | undefined = scope.since; from !== undefined;) {
    const until = await endOfSlice(database, scope, from);
    for (const line of await addUp(database, scope, grouping, { from, until })) {
      lines.set(line.key, plus(line, lines.get(line.key)));
    }
    from = until;
    await setImmediate();
  }
  return [...lines.values()].sort((one, other) => other.high - one.high || (one.key < other.key ? -1 : 1));
}

/** How many calls are added up at once: SQLite answers on the main thread. */
const sliceSize = 10_000;

/** Where the slice from `from` ends; undefined for the last one. */
async function endOfSlice(database: Database, scope: UsageScope, from: number): Promise<number | undefined> {
  const next = await within(database, scope)
    .select('created_at')
    .where('created_at', '>=', from)
    .orderBy('created_at')
    .offset(sliceSize)
    .limit(1)
    .executeTakeFirst();
  return next && Math.max(from + 1, Number(next.created_at));
}

/** People rename themselves. Times have as many digits from 2001 to 2286, and begin the greatest text. */
const latestName = sql<string>`substr(max(cast(created_at as text) || person_name), 14)`;

async function addUp(
  database: Database,
  scope: UsageScope,
  grouping: Grouping,
  { from, until }: { readonly from: number; readonly until: number | undefined },
): Promise<readonly UsageLine[]> {
  const column = columns[grouping];
  let calls = within(database, scope).where('created_at', '>=', from);
  if (until !== undefined) calls = calls.where('created_at', '<', until);
  const rows = await calls
    .select([
      sql<string>`${sql.ref(column)}`.as('key'),
      latestName.as('name'),
      sql<number>`count(*)`.as('calls'),
      sql<number>`sum(low)`.as('low'),
      sql<number>`sum(high)`.as('high'),
      sql<number>`sum(case when state = 'uncertain' then 1 else 0 end)`.as('uncertain'),
      sql<number>`sum(case when state = 'reserved' then 1 else 0 end)`.as('underWay'),
    ])
    .where('state', '<>', 'failed')
    .groupBy(column)
    .execute();
  return rows.map((row) => ({
    key: row.key,
    name: grouping === 'user' ? row.name : row.key,
    calls: Number(row.calls),
    low: Number(row.low) / 1e6,
    high: Number(row.high) / 1e6,
    uncertain: Number(row.uncertain),
    underWay: Number(row.underWay),
  }));
}

/** The later name is used: people rename themselves. */
function plus(line: UsageLine, before: UsageLine | undefined): UsageLine {
  if (!before) return line;
  const sum = (one: number, other: number) => Math.round((one + other) * 1e6) / 1e6;
  return {
    ...line,
    calls: line.calls + before.calls,
    low: sum(line.low, before.low),
    high: sum(line.high, before.high),
    uncertain: line.uncertain + before.uncertain,
    underWay: line.underWay + before.underWay,
  };
}

/** How many calls a page has: SQLite answers on the main thread. */
const pageSize = 500;

/** Every call of a scope, including failed ones and those under way, oldest first, page by page. */
async function* callsOf(
  database: Database,
  scope: UsageScope,
): AsyncGenerator<readonly Selectable<LedgerTable>[]> {
  let after = { at: scope.since, id: '' };
  for (;;) {
    const page = await within(database, scope)
      .selectAll()
      .where(({ eb, or, and }) =>
        or([
          eb('created_at', '>', after.at),
          and([eb('created_at', '=', after.at), eb('id', '>', after.id)]),
        ]),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(pageSize)
      .execute();
    const last = page.at(-1);
    if (!last) return;
    yield page;
    await setImmediate();
    after = { at: Number(last.created_at), id: last.id };
  }
}

function within(database: Database, scope: UsageScope) {
  const calls = database
    .selectFrom('ledger')
    .where('platform', '=', scope.platform)
    .where('created_at', '>=', scope.since);
  return 'workspace' in scope
    ? calls.where('workspace', '=', scope.workspace)
    : calls.where('person', '=', scope.person);
}

/** The columns of the table, in order. */
const csvColumns: readonly (readonly [name: string, value: (call: Call) => string | number | null])[] = [
  ['time', ({ row }) => new Date(Number(row.created_at)).toISOString()],
  ['platform', ({ row }) => row.platform],
  ['workspace', ({ row }) => row.workspace],
  ['channel', ({ row }) => row.channel],
  ['thread', ({ row }) => row.thread],
  ['person_id', ({ row }) => row.person],
  ['person', ({ row }) => row.person_name],
  ['conversation_id', ({ row }) => row.conversation_id],
  ['kind', ({ row }) => row.kind],
  ['model', ({ row }) => row.model],
  ...quantityNames.map((name) => [snake(name), ({ quantity }: Call) => quantity[name] ?? null] as const),
  ['state', ({ row }) => row.state],
  ['estimated', ({ row }) => row.estimated],
  ['credits_low', ({ row }) => Number(row.low) / 1e6],
  ['credits_high', ({ row }) => Number(row.high) / 1e6],
  ['request_id', ({ row }) => row.request_id],
  ['prompt', ({ row }) => row.prompt],
];

interface Call {
  readonly row: Selectable<LedgerTable>;
  readonly quantity: Quantity;
}

/** Every call of a scope as comma-separated values (RFC 4180), in UTF-8 with a mark that spreadsheets look for. */
export async function usageCsv(
  database: Database,
  scope: UsageScope,
): Promise<{ readonly bytes: Uint8Array; readonly rows: number }> {
  const pages = [Buffer.from(`\uFEFF${csvColumns.map(([name]) => name).join(',')}\r\n`)];
  let rows = 0;
  for await (const page of callsOf(database, scope)) {
    rows += page.length;
    pages.push(Buffer.from(page.map(line).join('')));
  }
  return { bytes: Buffer.concat(pages), rows };
}

function line(row: Selectable<LedgerTable>): string {
  const call = { row, quantity: JSON.parse(row.quantity) as Quantity };
  return `${csvColumns.map(([, value]) => cell(value(call))).join(',')}\r\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = value.replace(formula, "$&'");
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Stands before what a spreadsheet would calculate, also where one splits values at semicolons or lines, whether they're quoted or
 * not: people choose their names and prompts themselves.
 */
const formula = /(?:^|[;\t\r\n])["' ]*(?=[=+\-@＝＋－＠])/gu;

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
