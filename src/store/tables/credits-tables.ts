import type { Generated } from 'kysely';
import type { PaidOperation } from '../../service-rules/operations.ts';

/** `reserved`: under way. `failed`: it cost nothing. `uncertain`: it may have been charged. */
export type LedgerState = 'reserved' | 'spent' | 'failed' | 'uncertain';

/** Every paid call, recorded before it is made; see `src/credits`. Rows are never deleted. */
export interface LedgerTable {
  id: string;
  /** The job it was made for. */
  job: string;
  platform: string;
  workspace: string;
  channel: string;
  thread: string | null;
  person: string;
  /** The person's name at that time. */
  person_name: string;
  conversation_id: string;
  kind: PaidOperation;
  /** The service's model; without one, whatever decided the price. */
  model: string;
  /** JSON: tokens, seconds, images. */
  quantity: string;
  state: LedgerState;
  /** 1: our estimate, not reported by the service or measured from the result. */
  estimated: number;
  /** Millionths of a credit, so that sums are exact. */
  low: number;
  /** Millionths of a credit. Budgets count this upper bound. */
  high: number;
  /** The service's request id. */
  request_id: string | null;
  /** Milliseconds since the epoch. */
  created_at: number;
  settled_at: number | null;
  /** The process that made the reservation, or has taken it over. */
  process: Generated<string | null>;
  /** When a chat answer or a clip was last sent; 0 before. Null: unknown, or in the row of its render. */
  sent_at: Generated<number | null>;
}

/**
 * Sums for budgets: the most that calls begun in a quarter of an hour may cost, for each subject a budget can have.
 * An empty column means all: with only `platform` and `person` filled it's one person across a platform, with nothing
 * filled the whole bot.
 */
export interface BudgetUseTable {
  platform: string;
  workspace: string;
  channel: string;
  person: string;
  /** Quarters of an hour since the epoch: midnight starts one in every time zone. */
  quarter: number;
  /** Millionths of a credit. */
  high: number;
}

export interface CreditsTables {
  ledger: LedgerTable;
  budget_use: BudgetUseTable;
}
