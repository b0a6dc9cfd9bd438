import type { Clock } from '../lib/clock.ts';
import { isLocal } from '../lib/local-faults.ts';
import { randomId } from '../lib/random-id.ts';
import type { Meter } from '../lib/telemetry/index.ts';
import type { Caller } from '../port/index.ts';
import { type Database, inTransaction, takeTurn } from '../store/index.ts';
import { type Budget, lookAt, requireRoom, type Standing, standingsOf } from './budget.ts';
import {
  type EndedCall,
  insert,
  type NewCall,
  type PaidCall,
  type Spending,
  settleAbandoned,
} from './ledger.ts';
import { Reservation, type Sending, Settlement } from './settlement.ts';
import { type Grouping, type UsageLine, type UsageScope, usageCsv, usageOf } from './usage.ts';

/** Calls of one caller. */
export type PaidCalls = readonly [PaidCall, ...PaidCall[]];

export interface CreditsDependencies {
  readonly database: Database;
  /** The process that makes the calls. */
  readonly process?: string;
  readonly meter?: Meter;
  readonly clock: Clock;
}

/**
 * Credits, known before they're spent: a paid call is in the ledger before it's made, and counts against the budgets from
 * then on with the most it may cost.
 */
export class Credits {
  readonly #dependencies: CreditsDependencies;

  constructor(dependencies: CreditsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Records a call and checks its budgets in one transaction, so that calls at the same time can't exceed one together.
   * @throws {BudgetExceededError} Nothing is reserved then.
   */
  async reserve(call: PaidCall): Promise<Reservation> {
    const [reservation] = await this.#reserveAll([call]);
    return reservation;
  }

  /** All calls of one caller, or none of them. */
  async #reserveAll(calls: PaidCalls): Promise<readonly [Reservation, ...Reservation[]]> {
    const { database, process = null, clock } = this.#dependencies;
    const [{ job, budgets }] = calls;
    const caller = { address: job.address, requester: job.requester };
    const at = clock.now();
    const newCall = (call: PaidCall): NewCall => ({ id: randomId(), call, at, process });
    const [first, ...more] = calls;
    const all = [newCall(first), ...more.map(newCall)] as const;
    const reservation = (one: NewCall) => new Reservation(database, clock, one, this.#count);
    try {
      await inTransaction(database, async (transaction) => {
        await takeTurn(transaction, 'budgets');
        const look = lookAt(transaction, budgets, caller, { at, now: at });
        const seen = await insert(transaction, all, look);
        requireRoom(
          look.standings(seen),
          all.reduce((sum, { call }) => sum + call.estimate.high, 0),
        );
      });
    } catch (error) {
      // It's on record where only the answer to its commit was lost; nobody else ends it.
      if (isLocal(error))
        for (const one of all)
          reservation(one)
            .release()
            .catch(() => {});
      throw error;
    }
    const [one, ...others] = all;
    return [reservation(one), ...others.map(reservation)];
  }

  /** The reservation of a job with one paid call, from any process. */
  ofJob(job: string): Settlement {
    const { database, clock } = this.#dependencies;
    return new Settlement(database, clock, { column: 'job', value: job }, this.#count);
  }

  /**
   * Reserves, makes the call, and settles by how it ended. `make` gets what tells the ledger that it's sent.
   * @throws {BudgetExceededError}, or whatever `make` throws.
   */
  async charge<T>(
    call: PaidCall,
    make: (sending: Sending) => Promise<{ readonly result: T; readonly spending: Spending }>,
  ): Promise<T> {
    const reservation = await this.reserve(call);
    try {
      const { result, spending } = await make(reservation.sending);
      await reservation.settle(spending);
      return result;
    } catch (error) {
      await reservation.fail(error);
      throw error;
    }
  }

  /** Reserves nothing. @throws {BudgetExceededError} if a budget wouldn't allow so much now. */
  async requireRoom(caller: Caller, budgets: readonly Budget[], credits: number): Promise<void> {
    const { database, clock } = this.#dependencies;
    const now = clock.now();
    requireRoom(await standingsOf(database, budgets, caller, { at: now, now }), credits);
  }

  /**
   * Reserves for calls of one caller that are made and settled elsewhere ({@link ofJob}): for all of them, or none.
   * Released if `begin` fails.
   * @throws {BudgetExceededError}, or whatever `begin` throws.
   */
  async hold(calls: PaidCalls, begin: () => Promise<void>): Promise<void> {
    const reservations = await this.#reserveAll(calls);
    try {
      await begin();
    } catch (error) {
      for (const reservation of reservations) await reservation.release();
      throw error;
    }
  }

  /** What was used, the most first. */
  usage(scope: UsageScope, grouping: Grouping): Promise<readonly UsageLine[]> {
    return usageOf(this.#dependencies.database, scope, grouping);
  }

  /** Every call of a scope, for spreadsheets. */
  csv(scope: UsageScope): Promise<{ readonly bytes: Uint8Array; readonly rows: number }> {
    return usageCsv(this.#dependencies.database, scope);
  }

  /** What the caller has left of each budget. */
  async standings(caller: Caller, budgets: readonly Budget[]): Promise<readonly Standing[]> {
    const { database, clock } = this.#dependencies;
    const now = clock.now();
    return standingsOf(database, budgets, caller, { at: now, now });
  }

  /** Settles the calls of processes that don't live any more. */
  async settleAbandoned(): Promise<number> {
    const { database, clock } = this.#dependencies;
    const ended = await settleAbandoned(database, clock.now());
    this.#count(ended);
    return ended.length;
  }

  readonly #count = (ended: readonly EndedCall[]) => {
    for (const { kind, platform, state, credits } of ended) {
      if (state === 'failed') continue;
      const name = state === 'spent' ? 'troupe_credits_spent_total' : 'troupe_credits_uncertain_total';
      this.#dependencies.meter?.count(name, { kind, platform }, credits);
    }
  };
}
