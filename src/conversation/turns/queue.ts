import type { ExpressionBuilder } from 'kysely';
import type { Database, Tables } from '../../store/index.ts';
import { nextTurns } from './turns.ts';

/** A turn in a queue, or of its place and not in a queue yet. */
interface Entry {
  /** Its place in the order. */
  readonly at: number;
  readonly person: string;
  /** In which it runs; null while it waits. */
  readonly slot: number | null;
}

/** The queue of a conversation, as one look found it. */
export interface Queue {
  readonly turns: ReadonlyMap<string, Entry>;
  /** Turns of its place that were recorded and aren't in a queue yet. */
  readonly coming: readonly Entry[];
  /** The slots that turns may take now, by their jobs: no two the same. */
  readonly slots: ReadonlyMap<string, number>;
}

/** Looks at the turns of a conversation, and at those given in a place that aren't in a queue yet. Removes dead ones. */
export async function readQueue(database: Database, conversation: string, place: string): Promise<Queue> {
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

interface Row {
  readonly job: string;
  readonly person: string;
  readonly conversation: string | null;
  readonly at_once: number | null;
  readonly slot: number | null;
}

function queueOf(rows: readonly Row[]): Queue {
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
    turns: new Map(turns.map((turn) => [turn.job, turn])),
    coming: turns.filter(({ conversation }) => conversation === null),
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
export function isOfLiving({ exists, selectFrom }: ExpressionBuilder<Tables, 'turns'>) {
  return exists(
    selectFrom('processes')
      .select('processes.id')
      .whereRef('processes.id', '=', 'turns.process')
      .where('processes.ended_at', 'is', null),
  );
}
