import { sql } from 'kysely';
import type {
  DeletedPlace,
  LiveAnswers,
  LiveProgress,
  MessageAddress,
  RecordedAnswer,
} from '../port/index.ts';
import type { Database } from './database.ts';
import { jsonText } from './driver.ts';
import { insertIf } from './transactions.ts';

/** So many ids are looked for at a time, which every database takes. */
const mostIds = 100;

/**
 * The `live_answers` table: the progress of answers to running jobs; and `answer_messages`, the messages of all. This
 * process's own posts are known even while the database is unavailable, because later messages have to find a live answer's
 * messages. Once another process has taken a job over from `process`, saving and removing its answer does nothing.
 */
export function createLiveAnswers(
  database: Database,
  process: string | null = null,
  now: () => number = Date.now,
): LiveAnswers {
  /** Answers of this process, and what's stored of them; at most one per running job. */
  const latest = new Map<string, { answer: RecordedAnswer; stored: number; messages?: string }>();
  /** Their messages that are noted. */
  const known = new Map<string, Set<string>>();
  const isOurs = (id: string) =>
    process === null
      ? sql<boolean>`true`
      : sql<boolean>`exists (select 1 from jobs where jobs.id = ${id} and jobs.process = ${process})`;
  const note = async (jobId: string, messages: readonly MessageAddress[]) => {
    const ofJob = known.get(jobId);
    const added = messages.flatMap(eachMessage).filter(({ message }) => !ofJob?.has(message));
    const rows = added.map((address) => ({
      job: jobId,
      platform: address.platform,
      channel: address.channel,
      message: address.message,
      address: JSON.stringify(address),
      noted_at: now(),
    }));
    if (rows.length === 0) return;
    await database
      .insertInto('answer_messages')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['job', 'channel', 'message']).doNothing())
      .execute();
    for (const { message } of added) ofJob?.add(message);
  };
  /** Changes what's stored but its addresses; false where that isn't there, or isn't ours, any more. */
  const change = async (jobId: string, { messages: _, ...changed }: ReturnType<typeof rowOf>) => {
    const { numUpdatedRows } = await database
      .updateTable('live_answers')
      .set(changed)
      .where('job_id', '=', jobId)
      .where(isOurs(jobId))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  };
  const write = async (jobId: string, progress: LiveProgress, kind: RecordedAnswer['kind']) => {
    const ours = latest.get(jobId);
    const { pieces = [] } = progress;
    // The last one grows with its message; those before it stay as they are.
    for (; ours && ours.stored < pieces.length - 1; ours.stored++) {
      const piece = { job_id: jobId, piece: ours.stored, text: pieces[ours.stored] ?? '' };
      await insertIf(database, 'live_answer_pieces', piece, isOurs(jobId))
        .onConflict((conflict) => conflict.columns(['job_id', 'piece']).doNothing())
        .execute();
    }
    const row = rowOf(progress, kind);
    // The addresses of a long answer are longer than what grows.
    if (ours && ours.messages === row.messages && (await change(jobId, row))) return;
    await insertIf(database, 'live_answers', { job_id: jobId, ...row }, isOurs(jobId))
      .onConflict((conflict) => conflict.column('job_id').doUpdateSet(row))
      .execute();
    if (ours) ours.messages = row.messages;
  };
  const save = async (jobId: string, progress: LiveProgress, kind: RecordedAnswer['kind']) => {
    const answer = { ...progress, kind };
    const ours = latest.get(jobId);
    if (ours) ours.answer = answer;
    else latest.set(jobId, { answer, stored: 0 });
    if (!known.has(jobId)) known.set(jobId, new Set());
    await Promise.all([write(jobId, progress, kind), note(jobId, progress.messages)]);
  };
  return {
    save,
    willEnd(jobId, ending) {
      const { kind, ...progress } = latest.get(jobId)?.answer ?? nothingYet;
      return save(jobId, { ...progress, ending }, kind);
    },
    async find(jobId) {
      const ours = latest.get(jobId);
      if (ours) return ours.answer;
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
      known.delete(jobId);
      for (const table of ['live_answer_pieces', 'live_answers'] as const)
        await database.deleteFrom(table).where('job_id', '=', jobId).where(isOurs(jobId)).execute();
    },
    note,
    async forget({ platform, channel, message }) {
      // Others have none that's known, either.
      if (message === '') return;
      const rows = await database
        .deleteFrom('answer_messages')
        .where(({ and }) => and({ platform, channel, message }))
        .returning('job')
        .execute();
      for (const { job } of rows) known.get(job)?.delete(message);
    },
    async messagesOf(jobId) {
      const rows = await database
        .selectFrom('answer_messages')
        .select('address')
        .where('job', '=', jobId)
        .orderBy('noted_at')
        .orderBy('message')
        .execute();
      return rows.map(({ address }) => JSON.parse(address) as MessageAddress);
    },
    async workspacesAt(platform, channel) {
      const rows = await database
        .selectFrom('answer_messages')
        .innerJoin('jobs', 'jobs.id', 'answer_messages.job')
        .select(jsonText('jobs.address', 'workspace').as('workspace'))
        .distinct()
        .where('answer_messages.platform', '=', platform)
        .where('answer_messages.channel', '=', channel)
        .execute();
      return rows.flatMap(({ workspace }) => workspace ?? []);
    },
    async jobsWith({ platform, channel, messages }) {
      const there = { platform, ...(channel !== undefined && { channel }) };
      const jobs = new Set<string>();
      for (let from = 0; from < messages.length; from += mostIds) {
        const rows = await database
          .selectFrom('answer_messages')
          .select('job')
          .where(({ and }) => and(there))
          .where('message', 'in', messages.slice(from, from + mostIds))
          .execute();
        for (const { job } of rows) jobs.add(job);
      }
      return [...jobs];
    },
    growingIn({ platform, channel, messages, place }) {
      const ids = new Set(messages);
      const parts = Object.entries(place ?? {}) as [keyof DeletedPlace, string][];
      const growing = [...latest].filter(([jobId, { answer }]) =>
        answer.messages.flatMap(eachMessage).some((one) => {
          if (one.platform !== platform || (channel !== undefined && one.channel !== channel)) return false;
          if (place && parts.every(([name, value]) => one[name] === value)) return true;
          // What the bot itself takes away was forgotten before.
          return ids.has(one.message) && known.get(jobId)?.has(one.message);
        }),
      );
      return growing.map(([jobId]) => jobId);
    },
  };
}

const nothingYet: RecordedAnswer = { kind: 'growing', messages: [], lastText: '' };

/** An ending that's on record stays there: a write that was under way before doesn't know of it. */
function rowOf({ messages, lastText, pieces, ending }: LiveProgress, kind: RecordedAnswer['kind']) {
  const last = pieces?.at(-1) ?? lastText;
  return {
    kind,
    messages: JSON.stringify(messages),
    last_text: lastText,
    last_piece: last === lastText ? null : last,
    ...(ending && { ending: JSON.stringify(ending) }),
  };
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

/** Each message by itself; what may not be there, or has no id, isn't one. */
function eachMessage({ parts = [], ...address }: MessageAddress): readonly MessageAddress[] {
  return [...parts, address.message]
    .filter((message) => message !== '' && message !== '0')
    .map((message) => ({ ...address, message }));
}
