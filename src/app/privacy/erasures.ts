import type { Job, Jobs } from '../../port/index.ts';
import { type Database, endedJobsOf, type OwnerOfJobs } from '../../store/index.ts';

/** Commands that are read at a time. */
const atOnce = 200;

interface JobsDependencies {
  readonly database: Database;
  readonly jobs: Pick<Jobs, 'named'>;
}

/** An owner's commands that have ended, given until then, oldest first. */
export async function* jobsOf(
  { database, jobs }: JobsDependencies,
  owner: OwnerOfJobs,
  before: number,
): AsyncGenerator<Job> {
  let ids: readonly string[];
  let last: Job | undefined;
  do {
    ids = await endedJobsOf(database, owner, { before, after: last, most: atOnce });
    const found = new Map((await jobs.named(ids, [])).map(({ job }) => [job.id, job]));
    yield* ids.flatMap((id) => found.get(id) ?? []);
    last = found.get(ids.at(-1) ?? '');
    // SQLite answers at once: others get their turn.
    await new Promise<void>((resolve) => setImmediate(resolve));
  } while (ids.length === atOnce && last);
}
