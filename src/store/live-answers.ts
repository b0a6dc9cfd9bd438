import type { LiveAnswers, MessageAddress } from '../port/index.ts';
import type { Database } from './database.ts';

/** The `live_answers` table: how far the answers to jobs under way have come. */
export function createLiveAnswers(database: Database): LiveAnswers {
  return {
    async save(jobId, { messages, lastText }, kind) {
      const row = { kind, messages: JSON.stringify(messages), last_text: lastText };
      await database
        .insertInto('live_answers')
        .values({ job_id: jobId, ...row })
        .onConflict((conflict) => conflict.column('job_id').doUpdateSet(row))
        .execute();
    },
    async find(jobId) {
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
      await database.deleteFrom('live_answers').where('job_id', '=', jobId).execute();
    },
  };
}
