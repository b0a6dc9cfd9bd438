import { sql } from 'kysely';
import { type Clock, KeyedQueue } from '../lib/clock.ts';
import { nowOrLater } from '../lib/local-faults.ts';
import { randomId } from '../lib/text.ts';
import { type Database, expectLiving, isStillLiving, writeOrUndo } from '../store/index.ts';
import type { Coordination, Locks, Signals } from './coordination.ts';
import { Lease, showPresence } from './lease.ts';
import { notifySignals, OwnConnection, type OwnConnectionOptions } from './own-connection.ts';
import { sharedSlots, sharedTally } from './rates.ts';

export { countLiving } from './lease.ts';

/**
 * Coordinates processes over their PostgreSQL: by rows of its tables, and by one connection that this process has for
 * itself, for signals. A process that doesn't renew its lease for `deadAfter` milliseconds (8,000 by default) is taken for
 * dead.
 * @throws what PostgreSQL or the network says if the connection can't be opened.
 */
export async function coordinateOverPostgres(
  options: OwnConnectionOptions & { readonly database: Database; readonly deadAfter?: number | undefined },
): Promise<Coordination> {
  const { clock, database, deadAfter } = options;
  const process = randomId();
  const connection = new OwnConnection(options);
  showPresence(connection, process);
  const signals = notifySignals(connection);
  const locks = new LockRows({ process, database, signals, clock });
  const others = new Lease({ process, database, connection, signals, clock, deadAfter });
  await connection.open();
  return {
    process,
    locks,
    signals,
    others,
    untilAlive: others.untilAlive,
    expectLiving: () => expectLiving(database, process),
    slots: sharedSlots(database, clock),
    tally: sharedTally(database),
    close: () => connection.close(),
  };
}

/** Who waits for a lock looks again after a random time in between, in milliseconds: the word that it's free may be lost. */
const lookAgain = { least: 250, most: 1_000 };
/** The topic of that word; its text is the lock's name. */
const unlocked = 'unlocked';

export interface LockRowsOptions {
  readonly process: string;
  readonly database: Database;
  readonly signals: Signals;
  readonly clock: Clock;
}

/**
 * Locks as rows of `locks`: a row is its process's as long as that one's lease isn't ended, so a process that dies or
 * hangs holds up the others for no longer than that. A process queues its own work for a name and takes the lock for one
 * piece at a time, so that others get their turn in between.
 *
 * Work under way isn't stopped where its process is found dead: two may work under one name then. What must never happen
 * twice is guarded by its own row, too; a lock alone only keeps what is read, changed and written in order.
 */
export class LockRows implements Locks {
  readonly #options: LockRowsOptions;
  readonly #queue = new KeyedQueue();
  /** Who waits for a lock. At most one for each, because a process queues its own work. */
  readonly #waiting = new Map<string, () => void>();

  constructor(options: LockRowsOptions) {
    this.#options = options;
    options.signals.on(unlocked, (name) => this.#waiting.get(name)?.());
  }

  /** @throws why the database is away, if it's away before `work` has begun. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const piece = this.#queue.run(name, async () => {
      const token = await this.#take(name);
      await work().then(resolve, reject);
      // Only the next piece waits for this.
      await nowOrLater(() => this.#release(name, token), this.#options);
    });
    piece.catch(reject);
    return promise;
  }

  /** @returns the row's token, which no other taking has. What's taken without an answer is released. */
  async #take(name: string): Promise<string> {
    const token = randomId();
    const taking = () => this.#isTaken(name, token);
    for (;;) {
      // Before asking, so that no word is missed.
      const free = this.#becomesFree(name);
      try {
        if (await writeOrUndo(taking, () => this.#release(name, token))) return token;
        await free.soon;
      } finally {
        free.forget();
      }
    }
  }

  /** A row of this process's own is one that it hasn't released yet, or whose taking it wasn't told of. */
  async #isTaken(name: string, token: string): Promise<boolean> {
    const { database, process } = this.#options;
    const { rows } = await sql`
      insert into locks (name, process, token)
      select ${name}, ${process}, ${token} where ${isStillLiving(database, process)}
      on conflict (name) do update set process = excluded.process, token = excluded.token
        where locks.process = excluded.process
          or not exists (select from processes where id = locks.process and ended_at is null)
      returning name`.execute(database);
    return rows.length > 0;
  }

  async #release(name: string, token: string): Promise<void> {
    const { database, signals } = this.#options;
    const { numDeletedRows } = await database
      .deleteFrom('locks')
      .where('name', '=', name)
      .where('token', '=', token)
      .executeTakeFirst();
    if (numDeletedRows > 0n) await signals.send(unlocked, name).catch(() => {});
  }

  #becomesFree(name: string) {
    const { promise: soon, resolve } = Promise.withResolvers<void>();
    const wait = lookAgain.least + Math.random() * (lookAgain.most - lookAgain.least);
    const cancel = this.#options.clock.after(wait, resolve);
    this.#waiting.set(name, resolve);
    const forget = () => {
      cancel();
      this.#waiting.delete(name);
    };
    return { soon, forget };
  }
}
