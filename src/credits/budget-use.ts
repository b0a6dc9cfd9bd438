import { type RawBuilder, sql } from 'kysely';
import type { BudgetUseTable, Database, LedgerTable } from '../store/index.ts';
import { quarterHourOf } from '../store/index.ts';

type Scope = Omit<BudgetUseTable, 'quarter' | 'high'>;
/** The fields of a call that decide where it counts. */
export type Counted = Scope & Pick<LedgerTable, 'created_at'>;

const everything: Scope = { platform: '', workspace: '', channel: '', person: '' };

/**
 * Adds to the sums that budgets are checked against, with the write of the call or its change, and only if that's made
 * (`condition`). A call counts at the time it began, whenever it changes. The first row is everybody's, so two that count
 * at the same time do so one after the other, in whatever order they write the rest.
 */
export function countUse(
  call: Counted,
  microcredits: number,
  condition: RawBuilder<boolean> = sql`true`,
): RawBuilder<unknown> {
  const { platform, workspace, channel, person } = call;
  const scopes: readonly Scope[] = [
    everything,
    { ...everything, platform, workspace },
    { ...everything, platform, workspace, channel },
    { ...everything, platform, person },
    { ...everything, platform, workspace, person },
    { platform, workspace, channel, person },
  ];
  const quarter = quarterHourOf(call.created_at);
  const rows = scopes.map(
    (scope) =>
      sql`(${scope.platform}, ${scope.workspace}, ${scope.channel}, ${scope.person},
        cast(${quarter} as integer), cast(${microcredits} as bigint))`,
  );
  return sql`
    insert into budget_use (platform, workspace, channel, person, quarter, high)
    select * from (values ${sql.join(rows)}) as scopes where ${condition}
    on conflict (platform, workspace, channel, person, quarter)
      do update set high = budget_use.high + excluded.high`;
}

/** What the calls of a scope that began within a time span may cost, in millionths of a credit; to be selected. */
export function useWithin(
  database: Database,
  scope: Partial<Scope>,
  span: { readonly from: number; readonly until: number },
) {
  const { platform, workspace, channel, person } = { ...everything, ...scope };
  return database
    .selectFrom('budget_use')
    .select(({ fn }) => fn.sum<number | null>('high').as('high'))
    .where('platform', '=', platform)
    .where('workspace', '=', workspace)
    .where('channel', '=', channel)
    .where('person', '=', person)
    .where('quarter', '>=', quarterHourOf(span.from))
    .where('quarter', '<', quarterHourOf(span.until));
}
