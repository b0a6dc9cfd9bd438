import { untilDone, type Waits } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import { nowOrLater, unlessLocal } from '../lib/local-faults.ts';
import { ServiceError } from '../service/index.ts';
import type { CreditRange } from '../service-rules/prices.ts';
import { type Database, inTransaction, LeaseEndedError, takeTurn } from '../store/index.ts';
import { lookAt, requireRoom } from './budget.ts';
import {
  countedOf,
  type EndedCall,
  insert,
  isOnRecord,
  type LedgerKey,
  microcredits,
  type NewCall,
  noteRequest,
  noteSending,
  raise,
  type Spending,
  settle,
  takeBack,
} from './ledger.ts';

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

/** Awaited around each attempt to send a call: as the service's client asks. */
export interface Sending {
  /** Right before: it's on record then. Waits for a database that's away, until the signal is aborted. */
  readonly beforeSending: (signal?: AbortSignal) => Promise<void>;
  /** It certainly wasn't processed. */
  readonly onNotProcessed: () => Promise<void>;
}

/** Between tries to record that a call is sent while the database is away, in milliseconds: a person waits. */
const waits: Waits = { first: 250, longest: 2_000 };

/** Credits set aside for one call. */
export class Reservation extends Settlement {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #reserved: NewCall;
  /** Credits. */
  #high: number;
  /** As it's on record; undefined before, and where it certainly wasn't processed. */
  #sentAt: number | undefined;
  #ended: Promise<void> | undefined;

  constructor(database: Database, clock: Clock, reserved: NewCall, onEnded: OnEnded) {
    super(database, clock, { column: 'id', value: reserved.id }, onEnded);
    this.#database = database;
    this.#clock = clock;
    this.#reserved = reserved;
    this.#high = reserved.call.estimate.high;
  }

  /**
   * Puts on record that the call is sent, which only a process can that counts as living: one that was cut off or stood
   * still pays for nothing that others have given up.
   */
  readonly sending: Sending = {
    beforeSending: async (signal) => {
      const how = { clock: this.#clock, waits, signal, failed: unlessLocal };
      this.#sentAt = await untilDone(() => this.#noteSending(), how);
    },
    onNotProcessed: async () => {
      const [sentAt, id] = [this.#sentAt, this.#reserved.id];
      this.#sentAt = undefined;
      // Nobody waits for this: without it, a takeover takes it for paid.
      if (sentAt !== undefined) takeBack(this.#database, id, sentAt).catch(() => {});
    },
  };

  /**
   * Reserves more for a call that turns out more expensive while it runs. It counts on the day it began, so that day's
   * budgets have to allow it, even after midnight. If that can't be recorded now, the call goes on; its end will be.
   * @throws {BudgetExceededError} The earlier reservation stays.
   */
  async raise(estimate: CreditRange): Promise<void> {
    const { id, call, at } = this.#reserved;
    const { address, requester } = call.job;
    await inTransaction(this.#database, async (transaction) => {
      await takeTurn(transaction, 'budgets');
      const moments = { at, now: this.#clock.now() };
      const look = lookAt(transaction, call.budgets, { address, requester }, moments);
      const open = { ...countedOf(call, at), id, high: microcredits(this.#high) };
      const raised = await raise(transaction, open, estimate, look);
      if (raised) requireRoom(look.standings(raised.seen), estimate.high, raised.call.high / 1e6);
    }).then(() => {
      this.#high = estimate.high;
    }, unlessLocal);
  }

  /** One that wasn't sent cost nothing, whatever kept it from being sent. */
  override fail(error: unknown, spending: Partial<Spending> = {}): Promise<void> {
    return this.#sentAt !== undefined || error instanceof ServiceError
      ? super.fail(error, spending)
      : this.release();
  }

  /** A paid result isn't withheld because its end can't be recorded now. The first ending counts. */
  protected override end(...ending: Parameters<Settlement['end']>): Promise<void> {
    this.#ended ??= nowOrLater(() => super.end(...ending), { clock: this.#clock });
    return this.#ended;
  }

  /** Where its row is gone, a database has come back without its last commits: it's made again. */
  async #noteSending(): Promise<number> {
    const { id, process } = this.#reserved;
    for (;;) {
      const now = this.#clock.now();
      if (await noteSending(this.#database, id, process, now)) return now;
      if (await isOnRecord(this.#database, id)) throw new LeaseEndedError();
      await inTransaction(this.#database, (transaction) => insert(transaction, [this.#reserved]));
    }
  }
}
