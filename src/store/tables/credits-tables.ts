import type { PaidOperation } from '../../service-rules/operations.ts';

/** `reserved`: under way. `failed`: it cost nothing. `uncertain`: nobody knows whether it was charged. */
export type LedgerState = 'reserved' | 'spent' | 'failed' | 'uncertain';

/** Every paid call, written before it is made; see `src/credits`. Rows are never deleted. */
export interface LedgerTable {
  id: string;
  /** The job it was made for. */
  job: string;
  platform: string;
  workspace: string;
  channel: string;
  thread: string | null;
  person: string;
  /** What the person was called then. */
  person_name: string;
  conversation_id: string;
  kind: PaidOperation;
  /** The service's model; where it names none, what decided the price. */
  model: string;
  /** JSON: tokens, seconds, images. */
  quantity: string;
  state: LedgerState;
  /** 1: the quantity is an estimate of ours, not the service's word or the result's own length. */
  estimated: number;
  /** Millionths of a credit, so that sums are exact. */
  low: number;
  /** Millionths of a credit. Budgets count this one. */
  high: number;
  /** The service's id of the request. */
  request_id: string | null;
  /** Milliseconds since the epoch. */
  created_at: number;
  settled_at: number | null;
}

/**
 * What budgets add up: the credits that calls begun in a quarter of an hour may cost, summed for everything a budget
 * can be about. An empty column stands for all: only `platform` and `person` filled is a person everywhere on a
 * platform, nothing filled is the whole bot.
 */
export interface BudgetUseTable {
  platform: string;
  workspace: string;
  channel: string;
  person: string;
  /** Quarters of an hour since the epoch: every midnight of every time zone is the beginning of one. */
  quarter: number;
  /** Millionths of a credit. */
  high: number;
}

export interface CreditsTables {
  ledger: LedgerTable;
  budget_use: BudgetUseTable;
}
