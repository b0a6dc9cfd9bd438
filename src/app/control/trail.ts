import { paidUnder } from '../../credits/index.ts';
import {
  adapterOf,
  type Jobs,
  type MessageAddress,
  type PlatformAdapters,
  type TrailStep,
} from '../../port/index.ts';
import type { Database } from '../../store/index.ts';

/** Steps that are read of each kind. */
const mostRead = 40;

interface TrailDependencies {
  readonly database: Database;
  readonly jobs: Pick<Jobs, 'find'>;
  readonly adapters: PlatformAdapters;
}

/** A command's way from its arrival over calls of the service to its posts; nothing if it isn't on record (any more). */
export async function trailOf(id: string, dependencies: TrailDependencies): Promise<readonly TrailStep[]> {
  const { database, jobs } = dependencies;
  const job = await jobs.find(id);
  if (!job) return [];
  const state = await database.selectFrom('jobs').select('state').where('id', '=', id).executeTakeFirst();
  const [calls, renders, delivery, posts] = await Promise.all([
    callsOf(id, database),
    rendersOf(id, database),
    database
      .selectFrom('deliveries')
      .select(['created_at', 'held'])
      .where('job_id', '=', id)
      .executeTakeFirst(),
    postsOf(id, dependencies),
  ]);
  return [
    {
      step: 'command',
      at: job.createdAt,
      what: job.command,
      ...(state && { state: state.state }),
    },
    ...calls,
    ...renders,
    ...(delivery
      ? [
          {
            step: 'delivery' as const,
            at: Number(delivery.created_at),
            what: 'delivery',
            state: delivery.held ? 'held' : 'waiting',
          },
        ]
      : []),
    ...posts,
  ];
}

async function callsOf(job: string, database: Database): Promise<readonly TrailStep[]> {
  const rows = await database
    .selectFrom('ledger')
    .select(['kind', 'model', 'state', 'high', 'request_id', 'created_at'])
    .where('job', 'in', paidUnder(job))
    .orderBy('created_at')
    .limit(mostRead)
    .execute();
  return rows.map((row) => ({
    step: 'call',
    at: Number(row.created_at),
    what: [row.kind, row.model].filter(Boolean).join(' · '),
    state: row.state,
    credits: row.state === 'failed' ? 0 : Number(row.high) / 1e6,
    ...(row.request_id !== null && { request: row.request_id }),
  }));
}

async function rendersOf(job: string, database: Database): Promise<readonly TrailStep[]> {
  const rows = await database
    .selectFrom('renders')
    .select(['kind', 'state', 'task_id', 'fault', 'updated_at'])
    .where('job', '=', job)
    .orderBy('part')
    .limit(mostRead)
    .execute();
  return rows.map((row) => ({
    step: 'render',
    at: Number(row.updated_at),
    // Only the code: what the service says may quote what somebody wrote.
    what: row.fault === null ? row.kind : `${row.kind} · ${(JSON.parse(row.fault) as { code: string }).code}`,
    state: row.state,
    ...(row.task_id !== null && { request: row.task_id }),
  }));
}

async function postsOf(job: string, dependencies: TrailDependencies): Promise<readonly TrailStep[]> {
  const rows = await dependencies.database
    .selectFrom('answer_messages')
    .select(['address', 'noted_at'])
    .where('job', '=', job)
    .orderBy('noted_at')
    .limit(mostRead)
    .execute();
  return Promise.all(
    rows.map(async (row): Promise<TrailStep> => {
      const at = JSON.parse(row.address) as MessageAddress;
      const link = await linkTo(at, dependencies).catch(() => undefined);
      return { step: 'post', at: Number(row.noted_at), what: at.platform, ...(link && { link }) };
    }),
  );
}

async function linkTo(at: MessageAddress, dependencies: TrailDependencies): Promise<string | undefined> {
  const link = await adapterOf(dependencies, at).linkTo(at);
  return link?.startsWith('https://') ? link : undefined;
}
