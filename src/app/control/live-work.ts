import { sql } from 'kysely';
import { type LiveWork, paidCommandNames, type QueueState, type WorkStage } from '../../port/index.ts';
import { type Database, jsonText, type RenderState } from '../../store/index.ts';

/** Pieces of work that are listed of each kind. */
const mostListed = 30;

const stages: Partial<Record<RenderState, WorkStage>> = {
  reserved: 'queued',
  submitting: 'sending',
  waiting: 'making',
};

/** Paid commands that are being carried out in any process, and renders whose end isn't posted; the oldest first. */
export async function liveWork(
  database: Database,
): Promise<{ readonly live: readonly LiveWork[]; readonly hasMoreLive: boolean }> {
  const [commands, renders] = await Promise.all([commandsUnderWay(database), rendersUnderWay(database)]);
  const rendered = new Set(renders.map(({ id }) => id));
  return {
    live: [...commands.filter(({ id }) => !rendered.has(id)), ...renders],
    hasMoreLive: commands.length >= mostListed || renders.length >= mostListed,
  };
}

async function commandsUnderWay(database: Database): Promise<readonly LiveWork[]> {
  const rows = await database
    .selectFrom('jobs')
    .leftJoin('live_answers', 'live_answers.job_id', 'jobs.id')
    .select(['jobs.id', 'jobs.command', 'jobs.created_at'])
    .select([
      jsonText('jobs.address', 'platform').as('platform'),
      jsonText('jobs.address', 'workspace').as('workspace'),
      sql<string | null>`jobs.requester`.as('requester'),
      sql<number | null>`length(live_answers.last_text)`.as('last'),
      sql<number | null>`(select sum(length(text)) from live_answer_pieces where job_id = jobs.id)`.as(
        'pieces',
      ),
    ])
    .where('jobs.state', '=', sql.lit('running'))
    // Who reports something may not want to be named.
    .where('jobs.command', 'in', paidCommandNames)
    .orderBy('jobs.created_at')
    .limit(mostListed)
    .execute();
  return rows.map((row) => {
    const characters = Number(row.pieces ?? 0) || Number(row.last ?? 0);
    return {
      id: row.id,
      command: row.command,
      stage: 'writing',
      platform: row.platform ?? '',
      workspace: row.workspace ?? '',
      person: nameIn(row.requester),
      since: Number(row.created_at),
      ...(characters > 0 && { characters }),
    };
  });
}

/** One for each job: several images of one command end together. */
async function rendersUnderWay(database: Database): Promise<readonly LiveWork[]> {
  const rows = await database
    .selectFrom('renders')
    .leftJoin('jobs', 'jobs.id', 'renders.job')
    .select(['renders.job', 'renders.kind', 'renders.state', 'renders.created_at', 'renders.process'])
    .select([
      jsonText('renders.message', 'platform').as('platform'),
      jsonText('renders.message', 'workspace').as('workspace'),
      'jobs.requester',
    ])
    .where('renders.delivered', 'is', null)
    .orderBy('renders.created_at')
    .orderBy('renders.id')
    .limit(mostListed)
    .execute();
  return [...Map.groupBy(rows, ({ job }) => job).values()].flatMap((parts): LiveWork[] => {
    const [first] = parts;
    if (!first) return [];
    const canCancel = parts.some(({ state }) => state === 'reserved');
    // The part that is least far.
    const stage = parts.map(({ state }) => stages[state] ?? 'posting').sort(byStage)[0] ?? 'posting';
    // It's tried again later.
    const sleeps = parts.every(({ process }) => process === null);
    return [
      {
        id: first.job,
        command: first.kind === 'image' ? 'imagine' : 'video',
        stage: stage === 'posting' && sleeps ? 'held' : stage,
        platform: first.platform ?? '',
        workspace: first.workspace ?? '',
        person: nameIn(first.requester),
        since: Number(first.created_at),
        ...(canCancel && { canCancel }),
        ...(sleeps && stage === 'posting' && { canRetry: true }),
      },
    ];
  });
}

const order: readonly WorkStage[] = ['queued', 'sending', 'making', 'posting'];

function byStage(one: WorkStage, other: WorkStage): number {
  return order.indexOf(one) - order.indexOf(other);
}

function nameIn(requester: string | null): string {
  return requester === null ? '' : String((JSON.parse(requester) as { name?: string }).name ?? '');
}

/** What waits; `calls`: this process's that wait for the key's limits. */
export async function queueState(
  database: Database,
  calls: Readonly<Record<string, number>>,
): Promise<QueueState> {
  const [renders, deliveries] = await Promise.all([
    database
      .selectFrom('renders')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('state', '=', 'reserved')
      .executeTakeFirstOrThrow(),
    database
      .selectFrom('deliveries')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
  ]);
  return { calls, renders: Number(renders.count), deliveries: Number(deliveries.count) };
}
