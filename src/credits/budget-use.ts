import type { BudgetUseTable, Database, LedgerTable } from '../store/index.ts';
import { quarterHourOf } from '../store/index.ts';

type Scope = Omit<BudgetUseTable, 'quarter' | 'high'>;
/** The fields of a call that decide where it counts. */
export type Counted = Scope & Pick<LedgerTable, 'created_at'>;

const everything: Scope = { platform: '', workspace: '', channel: '', person: '' };

/**
 * Adds to the sums that budgets are checked against, in the transaction that writes the call. A call counts at the time it
 * began, whenever it changes.
 */
export async function countUse(transaction: Database, call: Counted, microcredits: number): Promise<void> {
  if (microcredits === 0) return;
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
  await transaction
    .insertInto('budget_use')
    .values(scopes.map((scope) => ({ ...scope, quarter, high: microcredits })))
    .onConflict((conflict) =>
      conflict
        .columns(['platform', 'workspace', 'channel', 'person', 'quarter'])
        .doUpdateSet(({ eb, ref }) => ({ high: eb('budget_use.high', '+', ref('excluded.high')) })),
    )
    .execute();
}

/** What the calls of a scope that began within a time span may cost, in millionths of a credit. */
export async function useWithin(
  database: Database,
  scope: Partial<Scope>,
  span: { readonly from: number; readonly until: number },
): Promise<number> {
  const { platform, workspace, channel, person } = { ...everything, ...scope };
  const { high } = await database
    .selectFrom('budget_use')
    .select(({ fn }) => fn.sum<number | null>('high').as('high'))
    .where('platform', '=', platform)
    .where('workspace', '=', workspace)
    .where('channel', '=', channel)
    .where('person', '=', person)
    .where('quarter', '>=', quarterHourOf(span.from))
    .where('quarter', '<', quarterHourOf(span.until))
    .executeTakeFirstOrThrow();
  return Number(high ?? 0);
}
