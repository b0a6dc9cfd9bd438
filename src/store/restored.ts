import type { Database } from './database.ts';

/** Where it's on record until when a restored database knows what was posted. */
const restoredKey = 'restored';

/**
 * What makes a copy that was restored safe to go on with, in the SQL of both databases: the bot went on after the copy was
 * made. Requests that weren't sent then may have been since, and aren't paid for again. Answers under way have ended since,
 * one way or the other, and questions of the bot's may be answered. What waited to be posted may have been: it's looked for first, from the last time that's on record.
 * A session on Discord would bring again what was answered since.
 */
export const afterRestore = [
  "update renders set state = 'uncertain' where state = 'reserved'",
  "update jobs set state = 'failed' where state in ('running', 'asking', 'asked')",
  "delete from keyv where key like '%gateway session %'",
  `insert into keyv (key, value) select '${restoredKey}', cast(max(created_at) as text) from jobs where true having count(*) > 0 on conflict (key) do update set value = excluded.value`,
] as const;

/**
 * When a post under a key may have begun that isn't on record, in milliseconds since the epoch; undefined if it certainly
 * hasn't. The keys of a job's posts begin with its id, or with that of its event.
 */
export type BegunBefore = (key: string) => number | undefined;

/** What keeps a post from being made twice besides its record. */
export interface PostGuards {
  /** Awaited right before each post, so that a process that others took for dead makes none. */
  readonly expectLiving?: (() => Promise<void>) | undefined;
  /** What a database that was restored may have lost. */
  readonly begunBefore?: BegunBefore | undefined;
}

/**
 * Finds out which posts may have been made although the database says nothing of them: those of jobs whose results waited
 * when the copy was made that it was restored from.
 */
export async function begunBefore(database: Database): Promise<BegunBefore> {
  const row = await database
    .selectFrom('keyv')
    .select('value')
    .where('key', '=', restoredKey)
    .executeTakeFirst();
  if (!row) return () => undefined;
  const at = Number(row.value);
  const open = await database
    .selectFrom('jobs')
    .select(['id', 'event_id'])
    .where('created_at', '<=', at)
    .where(({ or, exists, selectFrom }) =>
      or([
        exists(
          selectFrom('renders')
            .select('renders.id')
            .whereRef('renders.job', '=', 'jobs.id')
            .where('renders.delivered', 'is', null),
        ),
        exists(
          selectFrom('deliveries').select('deliveries.job_id').whereRef('deliveries.job_id', '=', 'jobs.id'),
        ),
      ]),
    )
    .execute();
  const prefixes = open.flatMap(({ id, event_id: event }) => [`${id}:`, `${event}:`]);
  return (key) => (prefixes.some((prefix) => key.startsWith(prefix)) ? at : undefined);
}
