import { type RawBuilder, sql } from 'kysely';
import type { Job, PlatformName } from '../port/index.ts';
import type { Database } from './database.ts';
import { databaseNow, isPostgres, jsonText } from './driver.ts';
import { createJobs } from './jobs.ts';

/** What a process has taken over from those that don't live any more; it's this process's from now on. */
export interface TakenOver {
  /** Commands that were interrupted, oldest first. */
  readonly jobs: readonly Job[];
  /** Ids of the jobs whose results have to be delivered, oldest first. */
  readonly deliveries: readonly string[];
  /** Ids of the renders that were in hand. */
  readonly renders: readonly string[];
}

/** The `processes` table. A process lives until its row says that it has ended. */
export class Processes {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Puts a process on record, before it has anything in hand, with what it receives of each platform. With a database
   * that's for one process alone, all others have ended by then.
   */
  async begin(id: string, platforms: ReadonlyMap<PlatformName, string>): Promise<void> {
    const at = databaseNow(this.#database);
    const row = { id, platforms: JSON.stringify([...platforms]), started_at: at, seen_at: at };
    await this.#database.transaction().execute(async (transaction) => {
      if (!isPostgres(transaction))
        await transaction
          .updateTable('processes')
          .set({ ended_at: at })
          .where('ended_at', 'is', null)
          .execute();
      await transaction.insertInto('processes').values(row).execute();
    });
  }

  /** What it had in hand is anybody's then. */
  async end(id: string): Promise<void> {
    await this.#database
      .updateTable('processes')
      .set({ ended_at: databaseNow(this.#database) })
      .where('id', '=', id)
      .where('ended_at', 'is', null)
      .execute();
  }

  /** Ids of the processes that live. */
  async living(): Promise<ReadonlySet<string>> {
    const rows = await this.#database
      .selectFrom('processes')
      .select('id')
      .where('ended_at', 'is', null)
      .execute();
    return new Set(rows.map(({ id }) => id));
  }

  /** Whether another process that lives receives the same of all these platforms. */
  async othersReceive(id: string, platforms: ReadonlyMap<PlatformName, string>): Promise<boolean> {
    const rows = await this.#database
      .selectFrom('processes')
      .select('platforms')
      .where('ended_at', 'is', null)
      .where('id', '<>', id)
      .execute();
    return rows.some((row) => {
      const theirs = new Map(JSON.parse(row.platforms) as readonly [PlatformName, string][]);
      return [...platforms].every(([platform, received]) => theirs.get(platform) === received);
    });
  }

  /**
   * Gives a living process what no living process has in hand, on the platforms it runs: all of it or nothing. Of
   * several that try, one gets each row. What others don't run stays for a process that does. After a failure call it
   * again with the same `found`: what became this process's all the same is returned then.
   */
  async takeOver(
    id: string,
    platforms: readonly PlatformName[],
    found: FoundAbandoned = nothingFound(),
  ): Promise<TakenOver> {
    // PostgreSQL has no empty list.
    if (platforms.length === 0) return { jobs: [], deliveries: [], renders: [] };
    const isHere = jsonText('jobs.address', 'platform');
    const running = this.#database
      .selectFrom('jobs')
      .select('id')
      .where('state', 'in', ['running', 'asking']);
    const jobs = running.where(abandoned('jobs')).where(isHere, 'in', platforms);
    for (const job of await jobs.execute()) found.jobs.add(job.id);
    const deliveries = this.#database
      .selectFrom('deliveries')
      .innerJoin('jobs', 'jobs.id', 'deliveries.job_id')
      .select('job_id')
      .where(abandoned('deliveries'))
      .where(isHere, 'in', platforms);
    for (const delivery of await deliveries.execute()) found.deliveries.add(delivery.job_id);
    return this.#database.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('processes')
        .set({ seen_at: databaseNow(transaction) })
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .executeTakeFirst();
      // One that was found dead itself owns nothing.
      if (numUpdatedRows === 0n) return { jobs: [], deliveries: [], renders: [] };
      return {
        jobs: await takeJobs(transaction, id, [...found.jobs]),
        deliveries: await takeDeliveries(transaction, id, [...found.deliveries]),
        renders: await takeRenders(transaction, id, platforms),
      };
    });
  }
}

/** Ids of what was found abandoned: a commit may succeed whose answer is lost. */
export type FoundAbandoned = ReturnType<typeof nothingFound>;

/** Before the first look for abandoned work. */
export function nothingFound() {
  return { jobs: new Set<string>(), deliveries: new Set<string>() };
}

async function takeJobs(
  transaction: Database,
  process: string,
  ids: readonly string[],
): Promise<readonly Job[]> {
  if (ids.length === 0) return [];
  await transaction
    .updateTable('jobs')
    .set({ process })
    .where('id', 'in', ids)
    .where('state', 'in', ['running', 'asking'])
    .where(abandoned('jobs'))
    .execute();
  const rows = await transaction
    .selectFrom('jobs')
    .select('id')
    .where('id', 'in', ids)
    .where('process', '=', process)
    .execute();
  const ours = new Set(rows.map(({ id }) => id));
  return (await createJobs(transaction).unfinished()).filter(({ id }) => ours.has(id));
}

async function takeDeliveries(
  transaction: Database,
  process: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  await transaction
    .updateTable('deliveries')
    .set({ process })
    .where('job_id', 'in', ids)
    .where(abandoned('deliveries'))
    .execute();
  const rows = await transaction
    .selectFrom('deliveries')
    .select('job_id')
    .where('job_id', 'in', ids)
    .where('process', '=', process)
    .orderBy('created_at')
    .execute();
  return rows.map((row) => row.job_id);
}

/** Those that wait for their time are nobody's, and any process wakes them. */
async function takeRenders(
  transaction: Database,
  process: string,
  platforms: readonly PlatformName[],
): Promise<readonly string[]> {
  const rows = await transaction
    .updateTable('renders')
    .set({ process })
    .where('delivered', 'is', null)
    .where('process', 'is not', null)
    .where(abandoned('renders'))
    .where(jsonText('renders.message', 'platform'), 'in', platforms)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Rows that no living process has in hand: theirs has ended, or they're from before processes were on record. */
export function abandoned(table: 'jobs' | 'deliveries' | 'renders' | 'ledger'): RawBuilder<boolean> {
  const process = sql.ref(`${table}.process`);
  return sql<boolean>`(${process} is null or ${process} not in (select id from processes where ended_at is null))`;
}
