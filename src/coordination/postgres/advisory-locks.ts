import type { Clock } from '../../lib/clock.ts';
import { KeyedQueue } from '../../lib/keyed-queue.ts';
import type { Locks, Signals } from '../coordination.ts';
import { channel } from './channel.ts';
import { lockNumber } from './lock-number.ts';
import type { OwnConnection, Session } from './own-connection.ts';

/** Who waits for a lock looks again after a random time in between, in milliseconds: the word that it's free may be lost. */
const lookAgain = { least: 250, most: 1_000 };
/** The topic of that word; its text is the lock's number. */
const unlocked = 'unlocked';

/**
 * Locks on session advisory locks of the process's own connection. A process queues its own work for a key and takes
 * the lock for one piece at a time, so that it never waits for itself and other processes get their turn in between.
 *
 * Where the connection is lost, PostgreSQL frees its locks, but work under way isn't stopped: it goes on, and its lock
 * is taken again in the next session if nobody else has it by then. So two processes may work on one key around an
 * outage. What must never happen twice is therefore guarded by its row, too (a unique key, a condition on the state
 * that it changes); a lock alone only keeps what is read, changed and written in order.
 */
export class AdvisoryLocks implements Locks {
  readonly #connection: OwnConnection;
  readonly #clock: Clock;
  readonly #queue = new KeyedQueue();
  /** The session in which a lock is held; undefined where another process took it after an outage. */
  readonly #held = new Map<string, Session | undefined>();
  /** Who waits for a lock. At most one for each, because a process queues its own work. */
  readonly #waiting = new Map<string, () => void>();

  constructor(connection: OwnConnection, signals: Signals, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    connection.onSession((session) => this.#takeAgain(session));
    signals.on(unlocked, (lock) => this.#waiting.get(lock)?.());
  }

  /** @throws why the database is away, if it's away for some seconds before `work` has begun. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    // Queued by number, so that two keys with the same number wait for each other, too.
    const lock = lockNumber(key);
    return this.#queue.run(lock, async () => {
      await this.#take(lock);
      try {
        return await work();
      } finally {
        this.#release(lock);
      }
    });
  }

  async #take(lock: string): Promise<void> {
    for (;;) {
      const session = await this.#connection.sessionSoon();
      // Before asking, so that no word is missed.
      const free = this.#becomesFree(lock);
      try {
        if (await isTaken(session, lock)) return void this.#held.set(lock, session);
        await free.soon;
      } finally {
        free.forget();
      }
    }
  }

  #becomesFree(lock: string) {
    const { promise: soon, resolve } = Promise.withResolvers<void>();
    const wait = lookAgain.least + Math.random() * (lookAgain.most - lookAgain.least);
    const cancel = this.#clock.after(wait, resolve);
    this.#waiting.set(lock, resolve);
    const forget = () => {
      cancel();
      this.#waiting.delete(lock);
    };
    return { soon, forget };
  }

  /** Nobody waits for this: whatever asks for the lock next in the same session comes after it. */
  #release(lock: string): void {
    const session = this.#held.get(lock);
    this.#held.delete(lock);
    // The lock of a session that's lost is free already.
    session
      ?.query('select pg_advisory_unlock($1), pg_notify($2, $3)', [lock, channel, `${unlocked}\n${lock}`])
      .catch(() => {});
  }

  async #takeAgain(session: Session): Promise<void> {
    for (const lock of [...this.#held.keys()]) {
      const again = await isTaken(session, lock);
      // It may have been released meanwhile.
      if (this.#held.has(lock)) this.#held.set(lock, again ? session : undefined);
      else if (again) await session.query('select pg_advisory_unlock($1)', [lock]);
    }
  }
}

async function isTaken(session: Session, lock: string): Promise<boolean> {
  const { rows } = await session.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
    lock,
  ]);
  return rows[0]?.taken === true;
}
