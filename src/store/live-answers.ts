import type { LiveAnswers, MessageAddress, RecordedAnswer } from '../port/index.ts';
import type { Database } from './database.ts';

/**
 * The `live_answers` table: the progress of answers to running jobs. This process's own posts are known even while
 * the database is unavailable, because later messages have to find a live answer's messages.
 */
export function createLiveAnswers(database: Database): LiveAnswers {
  /** Answers of this process; at most one per running job. */
  const latest = new Map<string, RecordedAnswer>();
  return {
    async save(jobId, { messages, lastText }, kind) {
      latest.set(jobId, { kind, messages, lastText });
      const row = { kind, messages: JSON.stringify(messages), last_text: lastText };
      await database
        .insertInto('live_answers')
        .values({ job_id: jobId, ...row })
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
      await database.deleteFrom('live_answers').where('job_id', '=', jobId).execute();
    },
  };
}
