import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { KeyedQueue, SharedRuns, sleep, unlessAborted } from '../../lib/clock.ts';
import { nowOrLater, unlessLocal } from '../../lib/local-faults.ts';
import { type Database, isDuplicate, type Tables } from '../../store/index.ts';
import { Changes, type SharedTurnsDependencies, Stops } from './signals.ts';
import { nextTurns, type QueuedJob, type StopOutcome, type TurnOrder, type Turns } from './turns.ts';

/** How often a command that's no turn looks whether earlier ones have begun, in milliseconds. */
const lookForBegun = 100;
/** For how long a turn waits for an earlier one that was recorded and hasn't come to its queue, in milliseconds. */
const patience = 5_000;

type OrderOfJob = TurnOrder & { readonly job: string };

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
  readonly #changes: Changes;
  /** Turns that wait in one queue look at it together: a query when something changes, not one for each of them. */
  readonly #looks = new SharedRuns<Queue>();

  constructor(dependencies: SharedTurnsDependencies) {
    this.#dependencies = dependencies;
    this.#stops = new Stops(dependencies);
    this.#changes = new Changes(dependencies.coordination.signals, dependencies.clock);
  }

  enter(queued: QueuedJob): Promise<boolean> {
    return this.#entering.run(`${queued.person} ${queued.place}`, async () => {
      if (this.#entered.has(queued.job)) return false;
      await this.#insert(queued);
      return true;
    });
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
      if (waits) await this.#changes.tell(conversation, place);
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
      const { changed, stop } = this.#changes.listen(conversation, place);
      try {
        const look = this.#tryToBegin(conversation, place, order, clock.steady() < until);
        // A database that's away is waited for, like the turns before.
        if (await look.catch(unlessLocal)) return;
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

  /** Takes a slot if it's this turn's time. @returns whether it has begun. */
  async #tryToBegin(
    conversation: string,
    place: string,
    order: OrderOfJob,
    isPatient: boolean,
  ): Promise<boolean> {
    const { database } = this.#dependencies;
    for (;;) {
      const queue = await this.#looks.run(JSON.stringify([conversation, place]), () =>
        readQueue(database, conversation, place),
      );
      const mine = queue.turns.get(order.job);
      if (!mine) {
        await this.#queueUp(conversation, order);
        continue;
      }
      // Taken before, by a write whose response was lost.
      if (mine.slot !== null) return true;
      const { at, person } = mine;
      if (isPatient && queue.coming.some((one) => one.at < at && one.person === person)) return false;
      const slot = queue.slots.get(order.job);
      if (slot === undefined) return false;
      if (await this.#takeSlot(order.job, slot)) return true;
    }
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
}

/** Somebody else has taken the slot at this very moment. */
function unlessTaken(error: unknown): { readonly numUpdatedRows: bigint } {
  if (!isDuplicate(error)) throw error;
  return { numUpdatedRows: 0n };
}

/** The queue of a conversation, as one look found it. */
type Queue = ReturnType<typeof queueOf>;

/** Looks at the turns of a conversation, and at those given in a place that aren't in a queue yet. Removes dead ones. */
async function readQueue(database: Database, conversation: string, place: string): Promise<Queue> {
  for (;;) {
    const rows = await database
      .selectFrom('turns')
      .select(['job', 'person', 'conversation', 'at_once', 'slot'])
      .select((turn) => isOfLiving(turn).as('living'))
      .where((turn) =>
        turn.or([
          turn('conversation', '=', conversation),
          turn.and([turn('conversation', 'is', null), turn('place', '=', place), isOfLiving(turn)]),
        ]),
      )
      .orderBy('number')
      .orderBy('job')
      .execute();
    if (rows.every(({ living }) => living)) return queueOf(rows);
    await removeDead(database, conversation);
  }
}

type Row = Pick<Selectable<Tables['turns']>, 'job' | 'person' | 'conversation' | 'at_once' | 'slot'>;

function queueOf(rows: readonly Row[]) {
  const turns = rows.map((row, at) => ({
    ...row,
    at,
    atOnce: row.at_once ?? 1,
    isRunning: row.slot !== null,
  }));
  const queued = turns.filter(({ conversation }) => conversation !== null);
  const taken = new Set(queued.map(({ slot }) => slot));
  const slots = new Map<string, number>();
  let slot = 1;
  for (const { job } of nextTurns(queued)) {
    while (taken.has(slot)) slot++;
    slots.set(job, slot++);
  }
  return {
    /** Turns in it, or of its place and not in a queue yet; `at`: their places in the order. */
    turns: new Map(turns.map((turn) => [turn.job, turn])),
    /** Turns of its place that were recorded and aren't in a queue yet. */
    coming: turns.filter(({ conversation }) => conversation === null),
    /** The slots that turns may take now, by their jobs: no two the same. */
    slots,
  };
}

async function removeDead(database: Database, conversation: string): Promise<void> {
  await database
    .deleteFrom('turns')
    .where('conversation', '=', conversation)
    .where((turn) => turn.not(isOfLiving(turn)))
    .execute();
}

/** Whether a turn's process lives. */
function isOfLiving({ exists, selectFrom }: ExpressionBuilder<Tables, 'turns'>) {
  return exists(
    selectFrom('processes')
      .select('processes.id')
      .whereRef('processes.id', '=', 'turns.process')
      .where('processes.ended_at', 'is', null),
  );
}
