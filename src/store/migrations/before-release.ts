import { type QueryExecutorProvider, sql } from 'kysely';
import { createIndexesOfOpenRenders } from './0001-first.ts';

/** The migrations before the first release, all of SQLite; `0001-first` makes what all of them made. */
const former = [
  '0002-console',
  '0003-credits',
  '0004-place-settings',
  '0005-live-answers',
  '0006-budget-use',
  '0007-paid-results',
  '0010-renders-at',
  '0011-answered-event',
  '0012-unanswered-renders',
  '0013-platform-data',
  '0014-feedback',
  '0015-personal-defaults',
  '0016-render-groups',
];

/** How a database stands to the first release: of today, adoptable as its last state before, or older than that. */
export function standingOf(made: readonly string[]): 'of today' | 'last' | 'too old' {
  if (!made.some((name) => former.includes(name))) return 'of today';
  return former.every((name) => made.includes(name)) ? 'last' : 'too old';
}

/** Makes a database in the last state before the first release one of the first release, with all it holds. */
export async function adopt(transaction: QueryExecutorProvider): Promise<void> {
  await sql`alter table jobs add column person text not null default ''`.execute(transaction);
  await sql`update jobs set person = ifnull(requester ->> 'id', '')`.execute(transaction);
  await sql`alter table deliveries add column held integer not null default 0`.execute(transaction);
  await sql`update deliveries set held = 1 where message ->> 'isHeld' is not null`.execute(transaction);
  for (const index of ['renders_open', 'renders_at'])
    await sql`drop index ${sql.ref(index)}`.execute(transaction);
  await createIndexesOfOpenRenders(transaction);
  await sql`delete from kysely_migration where name in (${sql.join(former)})`.execute(transaction);
}
