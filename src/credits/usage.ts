import { sql } from 'kysely';
import type { Database, LedgerTable } from '../store/index.ts';

/** What the use of credits is put together by. */
export const groupings = ['user', 'channel', 'kind'] as const;
export type Grouping = (typeof groupings)[number];

/** Whose and what use: a whole workspace's, or one person's on a platform. */
export type UsageScope = {
  readonly platform: string;
  /** Milliseconds since the epoch; calls from then on. */
  readonly since: number;
} & ({ readonly workspace: string } | { readonly person: string });

/** What one person, channel or kind of work has used. */
export interface UsageLine {
  /** The person's id, the channel's id, or the kind. */
  readonly key: string;
  /** The person's name; else the key. */
  readonly name: string;
  readonly calls: number;
  /** In credits. */
  readonly low: number;
  readonly high: number;
  /** How many of the calls nobody knows of whether they were charged. */
  readonly uncertain: number;
}

const columns = { user: 'person', channel: 'channel', kind: 'kind' } as const;

/** Adds up what was used, the most first. What failed cost nothing and is no call here. */
export async function usageOf(
  database: Database,
  scope: UsageScope,
  grouping: Grouping,
): Promise<readonly UsageLine[]> {
  const column = columns[grouping];
  const rows = await within(database, scope)
    .select([
      sql<string>`${sql.ref(column)}`.as('key'),
      sql<string>`max(person_name)`.as('name'),
      sql<number>`count(*)`.as('calls'),
      sql<number>`sum(low)`.as('low'),
      sql<number>`sum(high)`.as('high'),
      sql<number>`sum(case when state = 'uncertain' then 1 else 0 end)`.as('uncertain'),
    ])
    .where('state', 'in', ['spent', 'uncertain'])
    .groupBy(column)
    .orderBy('high', 'desc')
    .orderBy('key')
    .execute();
  return rows.map((row) => ({
    key: row.key,
    name: grouping === 'user' ? row.name : row.key,
    calls: Number(row.calls),
    low: Number(row.low) / 1e6,
    high: Number(row.high) / 1e6,
    uncertain: Number(row.uncertain),
  }));
}

const pageSize = 2_000;

/** Every call of a scope, what failed and what is under way included, oldest first, page by page. */
export async function* callsOf(
  database: Database,
  scope: UsageScope,
): AsyncGenerator<readonly LedgerTable[]> {
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
