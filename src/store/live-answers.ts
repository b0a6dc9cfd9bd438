import { sql } from 'kysely';
import type { LiveAnswers, MessageAddress, RecordedAnswer } from '../port/index.ts';
import type { Database } from './database.ts';

/**
 * The `live_answers` table: the progress of answers to running jobs. This process's own posts are known even while
 * the database is unavailable, because later messages have to find a live answer's messages. Once another process has
 * taken a job over from `process`, saving and removing its answer does nothing.
 */
export function createLiveAnswers(database: Database, process: string | null = null): LiveAnswers {
  /** Answers of this process; at most one per running job. */
  const latest = new Map<string, RecordedAnswer>();
  const isOurs = (id: string) =>
    process === null
      ? sql<boolean>`true`
      : sql<boolean>`exists (select 1 from jobs where jobs.id = ${id} and jobs.process = ${process})`;
  return {
    async save(jobId, { messages, lastText }, kind) {
      latest.set(jobId, { kind, messages, lastText });
      const row = { kind, messages: JSON.stringify(messages), last_text: lastText };
      await database
        .insertInto('live_answers')
        .columns(['job_id', 'kind', 'messages', 'last_text'])
        .expression(
          database
            .selectNoFrom(({ val }) => [
              val(jobId).as('job_id'),
              val(kind).as('kind'),
              val(row.messages).as('messages'),
              val(lastText).as('last_text'),
            ])
            .where(isOurs(jobId)),
        )
        .onConflict((conflict) => conflict.column('job_id').doUpdateSet(row))
        .execute();
    },
    async find(jobId) {
      const known = latest.get(jobId);
      if (known) return known;
      const row = await database
        .selectFrom('live_answers')
        .selectAll()
        .where('job_id', '=', jobId)
        .executeTakeFirst();
      if (!row) return undefined;
      const messages = JSON.parse(row.messages) as MessageAddress[];
      return { kind: row.kind, messages, lastText: row.last_text };
    },
    async remove(jobId) {
      latest.delete(jobId);
      await database.deleteFrom('live_answers').where('job_id', '=', jobId).where(isOurs(jobId)).execute();
    },
  };
}
