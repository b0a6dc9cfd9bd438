import type { Clock } from '../lib/clock.ts';
import { randomId } from '../lib/random-id.ts';
import type { Caller } from '../port/index.ts';
import type { Database } from '../store/index.ts';
import { type Budget, requireRoom, type Standing, standingOf } from './budget.ts';
import { insert, type PaidCall, type Spending, settleAbandoned } from './ledger.ts';
import { Reservation, Settlement } from './settlement.ts';
import { type Grouping, type UsageLine, type UsageScope, usageOf } from './usage.ts';
import { usageCsv } from './usage-csv.ts';

export interface CreditsDependencies {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * What is spent, known before it is spent: every paid call is a row of the ledger from before it is made, and
 * counts against the budgets from then on with the most it may cost.
 */
export class Credits {
  readonly #dependencies: CreditsDependencies;

  constructor(dependencies: CreditsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Writes a call down and checks the budgets in one transaction, so that no number of calls at once can pass one.
   * @throws {BudgetExceededError} Nothing is reserved then.
   */
  async reserve(call: PaidCall): Promise<Reservation> {
    const { database, clock } = this.#dependencies;
    const id = randomId();
    const { job, budgets } = call;
    const caller = { address: job.address, requester: job.requester };
    const at = clock.now();
    await database.transaction().execute(async (transaction) => {
      await insert(transaction, id, call, at);
      const needed = { credits: call.estimate.high, counted: true };
      await requireRoom(transaction, budgets, caller, needed, { at, now: at });
    });
    return new Reservation(database, clock, { id, caller, budgets, at });
  }

  /** What a job that has one paid call has reserved, in whichever process. */
  ofJob(job: string): Settlement {
    return new Settlement(this.#dependencies.database, this.#dependencies.clock, {
      column: 'job',
      value: job,
    });
  }

  /**
   * Reserves, makes the call, and settles by how it ended.
   * @throws {BudgetExceededError}, or whatever `make` throws.
   */
  async charge<T>(
    call: PaidCall,
    make: () => Promise<{ readonly result: T; readonly spending: Spending }>,
  ): Promise<T> {
    const reservation = await this.reserve(call);
    try {
      const { result, spending } = await make();
      await reservation.settle(spending);
      return result;
    } catch (error) {
      await reservation.fail(error);
      throw error;
    }
  }

  /** @throws {BudgetExceededError} where a budget would not allow so much now. Reserves nothing. */
  async requireRoom(caller: Caller, budgets: readonly Budget[], credits: number): Promise<void> {
    const { database, clock } = this.#dependencies;
    const needed = { credits, counted: false };
    const now = clock.now();
    await requireRoom(database, budgets, caller, needed, { at: now, now });
  }

  /**
   * Reserves for a call that is made and settled elsewhere ({@link ofJob}); given back where `begin` fails.
   * @throws {BudgetExceededError}, or whatever `begin` throws.
   */
  async hold(call: PaidCall, begin: () => Promise<void>): Promise<void> {
    const reservation = await this.reserve(call);
    try {
      await begin();
    } catch (error) {
      await reservation.release();
      throw error;
    }
  }

  /** What was used, the most first. */
  usage(scope: UsageScope, grouping: Grouping): Promise<readonly UsageLine[]> {
    return usageOf(this.#dependencies.database, scope, grouping);
  }

  /** Every call of a scope as a table for spreadsheets. */
  csv(scope: UsageScope): Promise<{ readonly bytes: Uint8Array; readonly rows: number }> {
    return usageCsv(this.#dependencies.database, scope);
  }

  /** What the caller has left of each budget. */
  async standings(caller: Caller, budgets: readonly Budget[]): Promise<readonly Standing[]> {
    const { database, clock } = this.#dependencies;
    const now = clock.now();
    return Promise.all(budgets.map((budget) => standingOf(database, budget, caller, { at: now, now })));
  }

  /** Ends what a former process left under way. Call once, at start, before anything is reserved. */
  settleAbandoned(): Promise<number> {
    return settleAbandoned(this.#dependencies.database, this.#dependencies.clock.now());
  }
}
