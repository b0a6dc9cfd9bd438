import { EventEmitter } from 'node:events';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { UntilAlive } from '../../lib/until-alive.ts';
import type { Others, Signals } from '../coordination.ts';
import { notify } from './channel.ts';
import type { OwnConnection, Session } from './own-connection.ts';
import { isLock, lockOfProcess } from './own-lock.ts';
import { StandStill } from './stand-still.ts';

/**
 * A process whose own lock has been free for so long is dead, in milliseconds: after a restart of the database, or
 * where the network was cut for a moment, all are back within a second or two. The lock of a machine that lost its power
 * is free after 4 s, so that its work is taken over within 15 s.
 */
const usuallyDeadAfter = 8_000;
/** Looks at the other processes in that time; between two of them passes up to a quarter more, at random. */
const looksUntilDead = 8;
/** It must have been found free in so many looks: one process that looks late must not take others for dead. */
const leastLooks = 3;
/** After so many looks `gone` is called in any case: a word may be lost, and work given up by an end nobody saw. */
const looksBetween = 30;
/** Sent when a process has ended or was found dead. */
const ended = 'process ended';

/** The database's own time in milliseconds since the epoch. */
const now = `(extract(epoch from clock_timestamp()) * 1000)::bigint`;

const living = 'select id from processes where ended_at is null';

/** Nothing of this process may use a session any more. */
class TakenForDeadError extends Error {
  override name = 'TakenForDeadError';
}

interface Absence {
  readonly since: number;
  readonly looks: number;
}

export interface WatchOptions {
  /** This process's id. */
  readonly process: string;
  readonly connection: OwnConnection;
  readonly signals: Signals;
  readonly clock: Clock;
  /** 8,000 milliseconds by default. */
  readonly deadAfter?: number | undefined;
}

/** Watches the other processes by the locks that they hold, over this process's own connection. */
export class Watch implements Others {
  readonly #process: string;
  readonly #connection: OwnConnection;
  readonly #signals: Signals;
  readonly #clock: Clock;
  readonly #absence = new EventEmitter<{ absence: [process: string] }>();
  readonly #deadAfter: number;
  /** Undefined until this process is watched itself. */
  #standStill: StandStill | undefined;
  /** Ends the wait for the next look. */
  #lookNow = () => {};

  constructor({ process, connection, signals, clock, deadAfter = usuallyDeadAfter }: WatchOptions) {
    this.#process = process;
    this.#connection = connection;
    this.#signals = signals;
    this.#clock = clock;
    this.#deadAfter = deadAfter;
  }

  /** Whether this process may go on with what it has in hand: see {@link UntilAlive}. */
  readonly untilAlive: UntilAlive = () => this.#standStill?.untilAlive();

  async living(): Promise<ReadonlySet<string>> {
    const { rows } = await this.#connection.query<{ id: string }>(living);
    return new Set(rows.map(({ id }) => id));
  }

  async isPresent(process: string): Promise<boolean> {
    const { rows } = await this.#connection.query<{ held: boolean }>(
      `select exists (select from pg_locks where granted and ${isLock} = '${lockOfProcess(process)}') as held`,
    );
    return rows[0]?.held === true;
  }

  onAbsence(listener: (process: string) => void): () => void {
    this.#absence.on('absence', listener);
    return () => void this.#absence.off('absence', listener);
  }

  async ended(): Promise<void> {
    await this.#signals.send(ended, this.#process);
  }

  watch({ gone, takenForDead, isLiving }: Parameters<Others['watch']>[0]): () => void {
    const stop = new AbortController();
    const look = new Looks(this.#process, this.#clock, this.#deadAfter);
    const standStill = new StandStill({
      clock: this.#clock,
      deadAfter: this.#deadAfter,
      ask: () => this.#lookNow(),
    });
    this.#standStill = standStill;
    const unheard = this.#signals.on(ended, (process) => {
      if (process === this.#process) return;
      look.forget(process);
      gone();
    });
    const over = () => {
      stop.abort();
      standStill.takenForDead();
      takenForDead();
    };
    // One that was cut off knows before it does anything else with the database, and does nothing with it any more.
    this.#connection.onSession(async (session) => {
      if (standStill.isTakenForDead) throw new TakenForDeadError();
      if (stop.signal.aborted) return;
      const asked = standStill.now();
      const { rows } = await session.query<{ id: string }>(`${living} and id = $1`, [this.#process]);
      if (rows.length > 0) return standStill.confirmed(asked);
      over();
      // What it took on since then is theirs, too.
      await notify(session, ended, this.#process);
      throw new TakenForDeadError();
    });
    let isAsking = false;
    // PostgreSQL may have no room for another connection, and answer on those there are.
    const askElsewhere = async () => {
      if (isAsking || !isLiving || this.#connection.session || standStill.untilAlive()) return;
      isAsking = true;
      const lives = await isLiving().catch(() => true);
      isAsking = false;
      if (!lives && !stop.signal.aborted) over();
    };
    const rounds = async () => {
      for (let count = 1; ; count++) {
        void askElsewhere();
        const seen = await this.#look(look, standStill).catch(() => undefined);
        if (stop.signal.aborted) return;
        if (seen?.isTakenForDead) return over();
        if (seen?.isAnyGone || count % looksBetween === 0) gone();
        await this.#untilNextLook(stop.signal);
      }
    };
    void rounds().catch(() => {});
    return () => {
      unheard();
      stop.abort();
      standStill.close();
      this.#standStill = undefined;
    };
  }

  async #untilNextLook(signal: AbortSignal): Promise<void> {
    const spacing = this.#deadAfter / looksUntilDead;
    const early = new AbortController();
    this.#lookNow = () => early.abort();
    const either = AbortSignal.any([signal, early.signal]);
    await sleep(this.#clock, spacing * (1 + Math.random() / 4), either).catch(() => signal.throwIfAborted());
  }

  /** While the database is away nothing is seen, and nobody counts as absent. */
  async #look(looks: Looks, standStill: StandStill): Promise<Seen | undefined> {
    const { session } = this.#connection;
    if (!session) return undefined;
    const asked = standStill.now();
    const { rows } = await session.query<{ id: string }>(
      `with seen as (update processes set seen_at = ${now} where id = $1 and ended_at is null)
       ${living}`,
      [this.#process],
    );
    const ids = rows.map(({ id }) => id);
    if (ids.includes(this.#process)) standStill.confirmed(asked);
    const { rows: locks } = await session.query<{ lock: string }>(
      `select ${isLock} as lock from pg_locks where granted and locktype = 'advisory'`,
    );
    const held = new Set(locks.map(({ lock }) => lock));
    const seen = looks.add(session, ids, (id) => held.has(lockOfProcess(id)));
    for (const id of seen.absent) this.#absence.emit('absence', id);
    for (const id of seen.dead) await this.#declareDead(session, id);
    return seen;
  }

  /** Of several processes that see it, one tells all. */
  async #declareDead(session: Session, id: string): Promise<void> {
    const { rowCount } = await session.query(
      `update processes set ended_at = ${now} where id = $1 and ended_at is null`,
      [id],
    );
    if (rowCount) await this.#signals.send(ended, id);
  }
}

interface Seen {
  readonly isTakenForDead: boolean;
  /** One that lived at the last look doesn't any more. */
  readonly isAnyGone: boolean;
  /** Those that were there at the last look. */
  readonly absent: readonly string[];
  readonly dead: readonly string[];
}

/** What was seen so far, in one session: with another begins another time. */
class Looks {
  readonly #process: string;
  readonly #clock: Clock;
  readonly #deadAfter: number;
  #session: Session | undefined;
  #living = new Set<string>();
  #absent = new Map<string, Absence>();

  constructor(process: string, clock: Clock, deadAfter: number) {
    this.#process = process;
    this.#clock = clock;
    this.#deadAfter = deadAfter;
  }

  /** One whose end is known: it's no news at the next look. */
  forget(id: string): void {
    this.#living.delete(id);
  }

  add(session: Session, living: readonly string[], isThere: (id: string) => boolean): Seen {
    if (session !== this.#session) this.#absent.clear();
    this.#session = session;
    const at = this.#clock.steady();
    const absent = new Map<string, Absence>();
    for (const id of living.filter((one) => one !== this.#process && !isThere(one))) {
      const { since = at, looks = 0 } = this.#absent.get(id) ?? {};
      absent.set(id, { since, looks: looks + 1 });
    }
    this.#absent = absent;
    const before = this.#living;
    this.#living = new Set(living);
    return {
      isTakenForDead: !this.#living.has(this.#process),
      absent: [...absent].filter(([, { looks }]) => looks === 1).map(([id]) => id),
      isAnyGone: [...before].some((id) => !this.#living.has(id)),
      dead: [...absent]
        .filter(([, { since, looks }]) => at - since >= this.#deadAfter && looks >= leastLooks)
        .map(([id]) => id),
    };
  }
}
