import { DatabaseSync } from 'node:sqlite';
import type { MeterItem } from '../crash/service.ts';

/** What's read of a row of the ledger; credits in millionths. */
export interface LedgerRow {
  readonly kind: string;
  readonly state: string;
  readonly low: number;
  readonly high: number;
  readonly request_id: string | null;
}

export function ledgerFaultsIn(databaseFile: string, metered: readonly MeterItem[]): string[] {
  return ledgerFaults(readLedger(databaseFile), metered);
}

/**
 * Where a ledger and the service's own meter differ: every call that the service was paid for is
 * on the ledger with its price, or among those nobody can know about; nothing is on it that was not paid for.
 */
export function ledgerFaults(rows: readonly LedgerRow[], metered: readonly MeterItem[]): string[] {
  const faults: string[] = [];
  const byRequest = new Map(rows.flatMap((row) => (row.request_id === null ? [] : [[row.request_id, row]])));
  const unexplained = new Map<string, number>();
  for (const { operation, request_id: id, credits } of metered) {
    const row = byRequest.get(id);
    const paid = Math.round(credits * 1e6);
    if (!row) unexplained.set(operation, (unexplained.get(operation) ?? 0) + 1);
    else if (row.state === 'failed')
      faults.push(`${operation} ${id} was paid for and is on record as failed`);
    else if (paid < row.low || paid > row.high)
      faults.push(`${operation} ${id} cost ${paid}, on record are ${row.low} to ${row.high}`);
  }
  const paidFor = new Set(metered.map(({ request_id: id }) => id));
  for (const row of rows) {
    if (row.state === 'reserved') faults.push(`a ${row.kind} is still reserved`);
    if (row.state === 'spent' && !paidFor.has(row.request_id ?? '') && row.high > 0)
      faults.push(`a ${row.kind} is on record as spent, and nothing was paid for it`);
  }
  for (const [operation, count] of unexplained) {
    const doubtful = rows.filter((row) => row.kind === operation && isInDoubt(row, paidFor)).length;
    if (count > doubtful)
      faults.push(
        `${count} ${operation} calls were paid for that the ledger does not know (${doubtful} in doubt)`,
      );
  }
  return faults;
}

function isInDoubt({ state, request_id: id }: LedgerRow, paidFor: ReadonlySet<string>): boolean {
  return state === 'uncertain' && !paidFor.has(id ?? '');
}

function readLedger(databaseFile: string): readonly LedgerRow[] {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  try {
    const rows = database.prepare('select kind, state, low, high, request_id from ledger').all();
    return rows as unknown as LedgerRow[];
  } finally {
    database.close();
  }
}
