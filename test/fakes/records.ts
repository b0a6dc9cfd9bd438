import type { Insertable } from 'kysely';
import type { Address, Job, Person } from '../../src/port/index.ts';
import type { Database } from '../../src/store/index.ts';
import type { LedgerTable, RendersTable } from '../../src/store/tables.ts';

/** Somebody who may do what everybody may. */
export function personCalled(id: string, more: Partial<Person> = {}): Person {
  return { id, name: id, locale: 'en', administrator: false, moderator: false, ...more };
}

export const here: Address = { platform: 'console', workspace: 'w', channel: 'c' };

/** A command that Ann has given there. */
export function jobCalled(id: string, more: Partial<Job> = {}): Job {
  const job = {
    id,
    command: 'ask',
    options: {},
    address: here,
    requester: personCalled('ann'),
    createdAt: 0,
  };
  return { ...job, ...more };
}

/** What's on record of a video that a job of the same id waits for. */
export function renderRow(
  id: string,
  more: Partial<Insertable<RendersTable>> = {},
): Insertable<RendersTable> {
  return {
    ...{ id, job: id, kind: 'video', state: 'waiting', request: '{}', conversation_id: 'c', task_id: id },
    ...{ message: JSON.stringify({ ...here, message: `progress of ${id}` }), created_at: 0, updated_at: 0 },
    ...{ result: null, delivered: null, fault: null, ...more },
  };
}

/**
 * How many renders are being made or delivered, or wait for that, in all processes; of those whose end is on record, which
 * a process that died had in hand for good, only what the one `living` has.
 */
export async function rendersUnderWay(database: Database, living?: string): Promise<number> {
  const renders = await database
    .selectFrom('renders')
    .select('id')
    .where(({ eb, or, and }) =>
      or([
        eb('process', living === undefined ? 'is not' : '=', living ?? null),
        and([
          eb('delivered', 'is', null),
          or([eb('process', 'is not', null), eb('wakes_at', 'is not', null)]),
        ]),
      ]),
    )
    .execute();
  return renders.length;
}

/** What's on record of an answer that was paid for. */
export function ledgerRow(id: string, more: Partial<Insertable<LedgerTable>> = {}): Insertable<LedgerTable> {
  return {
    ...{
      id,
      job: 'job',
      platform: 'console',
      workspace: 'w',
      channel: 'c',
      thread: null,
      person: 'ann',
      person_name: 'Ann',
      conversation_id: 'c',
    },
    ...{ kind: 'chat', model: '', quantity: '{}', state: 'spent', estimated: 0, low: 0, high: 0 },
    ...{ request_id: null, created_at: 0, settled_at: null, ...more },
  };
}
