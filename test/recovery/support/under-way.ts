import type { World } from './world.ts';

/** What's on record as not over yet. */
export async function underWay({ database }: World) {
  const running = await database
    .selectFrom('jobs')
    .select(['id', 'process'])
    .where('state', '=', 'running')
    .execute();
  const delivering = await database.selectFrom('deliveries').select(['job_id', 'process']).execute();
  const asking = await database.selectFrom('jobs').select('id').where('state', '=', 'asking').execute();
  const rendering = await database
    .selectFrom('renders')
    .select(['id', 'state'])
    .where('delivered', 'is', null)
    .where('state', '<>', 'uncertain')
    .execute();
  const sharing = await database
    .selectFrom('keyv')
    .select('key')
    .where('key', 'like', 'notes::sharing %')
    .execute();
  return { running, delivering, asking, rendering, sharing };
}

/** Nothing is on record as not over yet. */
export async function isIdle(world: World): Promise<boolean> {
  return Object.values(await underWay(world)).every((rows) => rows.length === 0);
}

/** What isn't to be on record once everything is over. */
export async function leftovers({ database }: World): Promise<readonly string[]> {
  // Those of jobs that have ended are swept.
  const answers = await database
    .selectFrom('live_answers')
    .innerJoin('jobs', 'jobs.id', 'live_answers.job_id')
    .select('job_id')
    .where('jobs.state', '=', 'running')
    .execute();
  const open = await database
    .selectFrom('keyv')
    .select('key')
    .where('key', 'like', 'conversation::exchanges %')
    .where('value', 'like', '%open%:true%')
    .execute();
  return [
    ...answers.map(() => 'an answer is still on record as under way'),
    ...open.map(() => 'a turn was left open'),
  ];
}
