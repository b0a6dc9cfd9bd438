/** Where it's on record until when a restored database knows what was posted. */
export const restoredKey = 'restored';

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
