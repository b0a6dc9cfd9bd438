import { type ExpressionBuilder, sql } from 'kysely';
import type { Coordination } from '../../coordination/index.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { KeyedQueue } from '../../lib/keyed-queue.ts';
import { isLocal, nowOrLater } from '../../lib/local-faults.ts';
import { type Database, isDuplicate, type Tables } from '../../store/index.ts';
import { Stops } from './stops.ts';
import {
  nextTurns,
  type QueuedJob,
  type StopOutcome,
  type TurnOrder,
  type Turns,
  unlessAborted,
} from './turns.ts';

/** How often a turn that waits looks at the queue if no signal comes, in milliseconds. */
const lookEvery = 1_000;
/** How often a command that's no turn looks whether earlier ones have begun, in milliseconds. */
const lookForBegun = 100;
/** For how long a turn waits for an earlier one that was recorded and hasn't come to its queue, in milliseconds. */
const patience = 5_000;
/** Told when a turn has ended; the text is its conversation or its place. */
const topic = 'turn-ended';

export interface SharedTurnsDependencies {
  readonly database: Database;
  readonly coordination: Pick<Coordination, 'process' | 'signals'>;
  readonly clock: Clock;
}

type OrderOfJob = TurnOrder & { readonly job: string };
type Outcome = 'begun' | 'waits';

/** What this process knows of a turn of its own; its number once that's given. */
type Entered = QueuedJob & { number?: number };

/**
 * The turns of several processes, in the `turns` table. A turn has its number from the moment its command is recorded,
 * which is before that is acknowledged. It begins by taking a slot of its conversation: a conditional write, so that
 * nobody else takes the same. Turns of processes that have ended count no longer, and what such a process still changes of
 * its own rows keeps nobody waiting.
 */
export class SharedTurns implements Turns {
  readonly #dependencies: SharedTurnsDependencies;
  readonly #stops: Stops;
  /** The jobs of this process that have a row or are getting one. */
  readonly #entered = new Map<string, Entered>();
  /** A person's rows in a place are made one after the other, so that each knows the numbers of those before. */
  readonly #entering = new KeyedQueue();
  /** Wakes turns that wait, by what they wait for. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(dependencies: SharedTurnsDependencies) {
    this.#dependencies = dependencies;
    this.#stops = new Stops(dependencies);
    dependencies.coordination.signals.on(topic, (text) => {
      for (const wake of this.#waiting.get(text) ?? []) wake();
    });
  }

  enter(queued: QueuedJob): Promise<void> {
    return this.#entering.run(`${queued.person} ${queued.place}`, () => this.#insert(queued));
  }

  async leave(job: string): Promise<void> {
    const { database, coordination, clock } = this.#dependencies;
    if (!this.#entered.delete(job)) return;
    const leave = async () => {
      const left = await database
        .deleteFrom('turns')
        .where('job', '=', job)
        .where('process', '=', coordination.process)
        .returning(['conversation', 'place'])
        .executeTakeFirst();
      if (!left) return;
      const { conversation, place } = left;
      const waits = await database
        .selectFrom('turns')
        .select('job')
        .where('slot', 'is', null)
        .where((turn) => turn.or([turn('conversation', '=', conversation), turn('place', '=', place)]))
        .executeTakeFirst();
      if (!waits) return;
      for (const text of new Set([conversation ?? place, place]))
        await coordination.signals.send(topic, text);
    };
    // Those who wait look by themselves, too.
    await nowOrLater(leave, { clock });
  }

  async take<T>(conversation: string, order: OrderOfJob, work: () => Promise<T>): Promise<T> {
    const unwatch = this.#stops.watch(order.job, () => order.onStop?.());
    try {
      if (!(await this.#beginAlone(conversation, order))) await this.#wait(conversation, order);
      return await work();
    } finally {
      unwatch();
      await this.leave(order.job);
    }
  }

  async earlierHaveBegun(job: string): Promise<void> {
    const { clock } = this.#dependencies;
    const until = clock.steady() + patience;
    while (clock.steady() < until && (await this.#hasEarlier(job))) await sleep(clock, lookForBegun);
  }

  stop(job: string): Promise<StopOutcome> {
    return this.#stops.stop(job);
  }

  async elsewhere(person: string, place: string): Promise<number> {
    const { database, coordination } = this.#dependencies;
    const { count } = await database
      .selectFrom('turns')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('place', '=', place)
      .where('person', '=', person)
      .where('process', '!=', coordination.process)
      .where(isOfLiving)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Begins at once where nobody else has a turn; one query, because it's in the way to the first words. */
  async #beginAlone(conversation: string, { job, atOnce }: OrderOfJob): Promise<boolean> {
    const { numUpdatedRows } = await this.#dependencies.database
      .updateTable('turns')
      .set({ conversation, at_once: atOnce, slot: 1 })
      .where('job', '=', job)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('turns as other')
              .select('other.job')
              .whereRef('other.job', '!=', 'turns.job')
              .where((other) =>
                other.or([
                  other('other.conversation', '=', conversation),
                  other.and([
                    other('other.conversation', 'is', null),
                    other('other.place', '=', other.ref('turns.place')),
                    other('other.person', '=', other.ref('turns.person')),
                    other('other.number', '<=', other.ref('turns.number')),
                  ]),
                ]),
              ),
          ),
        ),
      )
      .executeTakeFirst()
      .catch(unlessTaken);
    return Number(numUpdatedRows) > 0;
  }

  async #wait(conversation: string, order: OrderOfJob): Promise<void> {
    const { clock } = this.#dependencies;
    const until = clock.steady() + patience;
    const place = await this.#queueUp(conversation, order);
    for (let looks = 0; ; looks++) {
      order.signal?.throwIfAborted();
      const { changed, stop } = this.#listen([conversation, place]);
      try {
        if ((await this.#tryToBegin(conversation, order, clock.steady() < until)) === 'begun') return;
        if (looks === 0) order.onWait?.();
        await unlessAborted(changed, order.signal);
      } finally {
        stop();
      }
    }
  }

  /** Whether an earlier one of the same person and place is on record and hasn't come to its queue. */
  async #hasEarlier(job: string): Promise<boolean> {
    const earlier = await this.#dependencies.database
      .selectFrom('turns as mine')
      .innerJoin('turns', (join) =>
        join
          .onRef('turns.place', '=', 'mine.place')
          .onRef('turns.person', '=', 'mine.person')
          .onRef('turns.number', '<', 'mine.number'),
      )
      .select('turns.job')
      .where('mine.job', '=', job)
      .where('turns.conversation', 'is', null)
      .where(isOfLiving)
      .executeTakeFirst();
    return earlier !== undefined;
  }

  /** Puts a turn into the queue of its conversation. @returns where its command was given. */
  async #queueUp(conversation: string, { job, person, atOnce }: OrderOfJob): Promise<string> {
    const update = () =>
      this.#dependencies.database
        .updateTable('turns')
        .set({ conversation, at_once: atOnce })
        .where('job', '=', job)
        .returning('place')
        .executeTakeFirst();
    const queued = await update();
    if (queued) return queued.place;
    await this.#insert({ job, person, place: conversation });
    return (await update())?.place ?? conversation;
  }

  async #insert(queued: QueuedJob): Promise<void> {
    const { database, coordination } = this.#dependencies;
    const { job, person, place } = queued;
    const entered: Entered = { ...queued };
    const later = this.#laterThan(entered);
    this.#entered.set(job, entered);
    const row = await database
      .insertInto('turns')
      .values(({ selectFrom }) => ({
        job,
        number:
          later === undefined
            ? selectFrom('turns').select(sql<number>`coalesce(max(number), 0) + 1`.as('number'))
            : later - 1,
        process: coordination.process,
        person,
        place,
      }))
      .onConflict((conflict) => conflict.column('job').doNothing())
      .returning('number')
      .executeTakeFirst();
    if (row) entered.number = Number(row.number);
  }

  /** The first number of those here that came after this one, but were recorded before it; undefined if there are none. */
  #laterThan({ person, place, arrival }: Entered): number | undefined {
    if (arrival === undefined) return undefined;
    const later = [...this.#entered.values()].filter(
      (one) => one.person === person && one.place === place && (one.arrival ?? 0) > arrival,
    );
    const numbers = later.flatMap(({ number }) => number ?? []);
    return numbers.length > 0 ? Math.min(...numbers) : undefined;
  }

  /** Takes a slot if it's this turn's time. A database that's away is waited for, like the turns before. */
  async #tryToBegin(conversation: string, order: OrderOfJob, isPatient: boolean): Promise<Outcome> {
    try {
      return await this.#look(conversation, order, isPatient);
    } catch (error) {
      if (!isLocal(error)) throw error;
      return 'waits';
    }
  }

  async #look(conversation: string, order: OrderOfJob, isPatient: boolean): Promise<Outcome> {
    for (;;) {
      const rows = await this.#rows(conversation, order);
      if (rows.some(({ living }) => !living)) {
        await this.#removeDead(conversation);
        continue;
      }
      const mine = rows.findIndex(({ job }) => job === order.job);
      if (mine === -1) {
        await this.#queueUp(conversation, order);
        continue;
      }
      // Taken before, by a write whose response was lost.
      if (rows[mine]?.slot) return 'begun';
      if (isPatient && rows.slice(0, mine).some((row) => row.conversation === null)) return 'waits';
      const queue = rows.filter((row) => row.conversation !== null);
      const turns = queue.map((row) => ({ ...row, atOnce: row.at_once ?? 1, isRunning: row.slot !== null }));
      if (!nextTurns(turns).some(({ job }) => job === order.job)) return 'waits';
      const taken = new Set(queue.map(({ slot }) => slot));
      let slot = 1;
      while (taken.has(slot)) slot++;
      if (await this.#takeSlot(order.job, slot)) return 'begun';
    }
  }

  /** The queue of a conversation in its order, with turns of the same person and place that aren't in a queue yet. */
  #rows(conversation: string, { job }: OrderOfJob) {
    const mine = (turns: ExpressionBuilder<Tables, 'turns'>, column: 'place' | 'person') =>
      turns.selectFrom('turns as mine').select(`mine.${column}`).where('mine.job', '=', job);
    return this.#dependencies.database
      .selectFrom('turns')
      .select(['job', 'person', 'conversation', 'at_once', 'slot'])
      .select((turn) => isOfLiving(turn).as('living'))
      .where((turn) =>
        turn.or([
          turn('conversation', '=', conversation),
          turn.and([
            turn('conversation', 'is', null),
            turn('place', '=', mine(turn, 'place')),
            turn('person', '=', mine(turn, 'person')),
            isOfLiving(turn),
          ]),
        ]),
      )
      .orderBy('number')
      .orderBy('job')
      .execute();
  }

  async #takeSlot(job: string, slot: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#dependencies.database
      .updateTable('turns')
      .set({ slot })
      .where('job', '=', job)
      .executeTakeFirst()
      .catch(unlessTaken);
    return Number(numUpdatedRows) > 0;
  }

  async #removeDead(conversation: string): Promise<void> {
    await this.#dependencies.database
      .deleteFrom('turns')
      .where('conversation', '=', conversation)
      .where((turn) => turn.not(isOfLiving(turn)))
      .execute();
  }

  /** Resolves when a turn of these has ended, or after a while. Listens before the queue is looked at. */
  #listen(keys: readonly string[]) {
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    const cancel = this.#dependencies.clock.after(lookEvery, resolve);
    for (const key of keys) {
      const waiting = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, waiting.add(resolve));
    }
    const stop = () => {
      cancel();
      for (const key of keys) {
        const waiting = this.#waiting.get(key);
        waiting?.delete(resolve);
        if (waiting?.size === 0) this.#waiting.delete(key);
      }
    };
    return { changed, stop };
  }
}

function isOfLiving({ exists, selectFrom }: ExpressionBuilder<Tables, 'turns'>) {
  return exists(
    selectFrom('processes')
      .select('processes.id')
      .whereRef('processes.id', '=', 'turns.process')
      .where('processes.ended_at', 'is', null),
  );
}

/** Somebody else has taken the slot at this very moment. */
function unlessTaken(error: unknown): { readonly numUpdatedRows: bigint } {
  if (!isDuplicate(error)) throw error;
  return { numUpdatedRows: 0n };
}
