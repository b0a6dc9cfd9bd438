import type { Clock } from '../lib/clock.ts';
import { isLocal, nowOrLater } from '../lib/local-faults.ts';
import type { Caller } from '../port/index.ts';
import { ServiceError } from '../service/index.ts';
import type { CreditRange } from '../service-rules/prices.ts';
import { type Database, inTransaction, takeTurn } from '../store/index.ts';
import { type Budget, requireRoom } from './budget.ts';
import { type EndedCall, type LedgerKey, noteRequest, recount, type Spending, settle } from './ledger.ts';

/** Told of calls that ended, once each. */
export type OnEnded = (ended: readonly EndedCall[]) => void;

/** Ends a paid call. Only the first ending counts. */
export class Settlement {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #key: LedgerKey;
  readonly #onEnded: OnEnded;

  constructor(database: Database, clock: Clock, key: LedgerKey, onEnded: OnEnded) {
    this.#database = database;
    this.#clock = clock;
    this.#key = key;
    this.#onEnded = onEnded;
  }

  /** It was made. Whatever `spending` leaves out stays as reserved. */
  settle(spending: Partial<Spending> = {}): Promise<void> {
    return this.end('spent', { estimated: false, ...spending });
  }

  /** It cost nothing. */
  release(requestId?: string): Promise<void> {
    return this.end('failed', { credits: { low: 0, high: 0 }, requestId });
  }

  /** It may have been charged. Whatever `spending` leaves out stays as reserved. */
  uncertain(spending: Partial<Spending> = {}): Promise<void> {
    return this.end('uncertain', spending);
  }

  /** Ends it by an error: a request that certainly wasn't processed cost nothing, any other may have been charged. */
  fail(error: unknown, spending: Partial<Spending> = {}): Promise<void> {
    if (!(error instanceof ServiceError)) return this.uncertain(spending);
    const { outcome, requestId } = error;
    return outcome === 'unknown' ? this.uncertain({ requestId, ...spending }) : this.release(requestId);
  }

  /** Notes the service's id of the request while it is under way. */
  async noteRequest(requestId: string | undefined): Promise<void> {
    if (requestId !== undefined) await noteRequest(this.#database, this.#key, requestId);
  }

  protected async end(state: 'spent' | 'failed' | 'uncertain', spending: Partial<Spending>): Promise<void> {
    this.#onEnded(await settle(this.#database, this.#key, state, spending, this.#clock.now()));
  }
}

/** A reserved call: by whom, when (milliseconds since the epoch), and against which budgets. */
export interface Reserved {
  readonly id: string;
  readonly caller: Caller;
  readonly budgets: readonly Budget[];
  readonly at: number;
}

/** Credits set aside for one call. */
export class Reservation extends Settlement {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #reserved: Reserved;
  #ended: Promise<void> | undefined;

  constructor(database: Database, clock: Clock, reserved: Reserved, onEnded: OnEnded) {
    super(database, clock, { column: 'id', value: reserved.id }, onEnded);
    this.#database = database;
    this.#clock = clock;
    this.#reserved = reserved;
  }

  /**
   * Reserves more for a call that turns out more expensive while it runs. It counts on the day it began, so that day's
   * budgets have to allow it, even after midnight. If that can't be recorded now, the call goes on; its end will be.
   * @throws {BudgetExceededError} The earlier reservation stays.
   */
  async raise(estimate: CreditRange): Promise<void> {
    const { id, caller, budgets, at } = this.#reserved;
    await inTransaction(this.#database, async (transaction) => {
      await takeTurn(transaction, 'budgets');
      await recount(transaction, { column: 'id', value: id }, estimate);
      const needed = { credits: estimate.high, counted: true };
      await requireRoom(transaction, budgets, caller, needed, { at, now: this.#clock.now() });
    }).catch(unlessLocal);
  }

  /** A paid result isn't withheld because its end can't be recorded now. The first ending counts. */
  protected override end(...ending: Parameters<Settlement['end']>): Promise<void> {
    this.#ended ??= nowOrLater(() => super.end(...ending), { clock: this.#clock });
    return this.#ended;
  }
}

function unlessLocal(error: unknown): void {
  if (!isLocal(error)) throw error;
}
