import { type RawBuilder, sql } from 'kysely';
import type { LiveAnswers, LiveProgress, MessageAddress, RecordedAnswer } from '../port/index.ts';
import type { Database } from './database.ts';

/**
 * The `live_answers` table: the progress of answers to running jobs. This process's own posts are known even while
 * the database is unavailable, because later messages have to find a live answer's messages. Once another process has
 * taken a job over from `process`, saving and removing its answer does nothing.
 */
export function createLiveAnswers(database: Database, process: string | null = null): LiveAnswers {
  /** Answers of this process, and how many of their pieces are stored; at most one per running job. */
  const latest = new Map<string, { readonly answer: RecordedAnswer; stored: number }>();
  const isOurs = (id: string) =>
    process === null
      ? sql<boolean>`true`
      : sql<boolean>`exists (select 1 from jobs where jobs.id = ${id} and jobs.process = ${process})`;
  return {
    async save(jobId, progress, kind) {
      const known = { answer: { ...progress, kind }, stored: latest.get(jobId)?.stored ?? 0 };
      latest.set(jobId, known);
      const { pieces = [] } = progress;
      // The last one grows with its message; those before it stay as they are.
      for (; known.stored < pieces.length - 1; known.stored++)
        await addPiece(database, jobId, known.stored, pieces[known.stored] ?? '', isOurs(jobId));
      const row = rowOf(progress, kind);
      await database
        .insertInto('live_answers')
        .columns(['job_id', 'kind', 'messages', 'last_text', 'last_piece', 'ending'])
        .expression(
          database
            .selectNoFrom(({ val, cast }) => [
              val(jobId).as('job_id'),
              val(kind).as('kind'),
              val(row.messages).as('messages'),
              val(row.last_text).as('last_text'),
              cast<string>(val(row.last_piece), 'text').as('last_piece'),
              cast<string>(val(row.ending), 'text').as('ending'),
            ])
            .where(isOurs(jobId)),
        )
        .onConflict((conflict) => conflict.column('job_id').doUpdateSet(row))
        .execute();
    },
    async find(jobId) {
      const known = latest.get(jobId);
      if (known) return known.answer;
      const row = await database
        .selectFrom('live_answers')
        .selectAll()
        .where('job_id', '=', jobId)
        .executeTakeFirst();
      if (!row) return undefined;
      const messages = JSON.parse(row.messages) as MessageAddress[];
      const pieces = await piecesOf(database, jobId, messages.length, row.last_piece ?? row.last_text);
      return {
        ...{ kind: row.kind, messages, lastText: row.last_text },
        ...(pieces && { pieces }),
        ...(row.ending !== null && { ending: JSON.parse(row.ending) }),
      };
    },
    async remove(jobId) {
      latest.delete(jobId);
      for (const table of ['live_answer_pieces', 'live_answers'] as const)
        await database.deleteFrom(table).where('job_id', '=', jobId).where(isOurs(jobId)).execute();
    },
  };
}

function rowOf({ messages, lastText, pieces, ending }: LiveProgress, kind: RecordedAnswer['kind']) {
  const last = pieces?.at(-1) ?? lastText;
  return {
    kind,
    messages: JSON.stringify(messages),
    last_text: lastText,
    last_piece: last === lastText ? null : last,
    ending: ending ? JSON.stringify(ending) : null,
  };
}

async function addPiece(
  database: Database,
  jobId: string,
  piece: number,
  text: string,
  isOurs: RawBuilder<boolean>,
): Promise<void> {
  await database
    .insertInto('live_answer_pieces')
    .columns(['job_id', 'piece', 'text'])
    .expression(
      database
        .selectNoFrom(({ val, cast }) => [
          val(jobId).as('job_id'),
          cast<number>(val(piece), 'integer').as('piece'),
          val(text).as('text'),
        ])
        .where(isOurs),
    )
    .onConflict((conflict) => conflict.columns(['job_id', 'piece']).doNothing())
    .execute();
}

/** The pieces of an answer of so many messages, the last given; undefined if its process stored none. */
async function piecesOf(
  database: Database,
  jobId: string,
  count: number,
  last: string,
): Promise<readonly string[] | undefined> {
  if (count <= 1) return [last];
  // The process may have died between a piece and the message after it.
  const rows = await database
    .selectFrom('live_answer_pieces')
    .select('text')
    .where('job_id', '=', jobId)
    .where('piece', '<', count - 1)
    .orderBy('piece')
    .execute();
  return rows.length === count - 1 ? [...rows.map(({ text }) => text), last] : undefined;
}
