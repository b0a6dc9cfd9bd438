import { sql, type Transaction } from 'kysely';
import type { PgBoss } from 'pg-boss';
import type { Clock } from '../../lib/clock.ts';
import { KeyedQueue } from '../../lib/keyed-queue.ts';
import { type Address, type PlatformName, platformNames } from '../../port/index.ts';
import { LastingState } from '../../service/index.ts';
import { type Database, databaseNow, type RendersTable, type Tables } from '../../store/index.ts';
import { Agenda } from './agenda.ts';
import { executorIn, openBoss } from './boss.ts';
import { type PendingRender, pendingRender, type Sleeper, type WakeUps } from './wake-ups.ts';

/** Between two looks for what other processes have put to sleep, in milliseconds. Its own it takes on time. */
const lookSpacing = 2_000;
/** Between two counts of what's open, in milliseconds. */
const countSpacing = 5_000;
/** Between two searches for renders without a wake-up, in milliseconds. */
const sweepSpacing = 30_000;
/** How late a wake-up must be to count as lost, in milliseconds. */
const lostAfter = 60_000;
/** Renders that a search finds at a time. */
const mostFound = 500;

export interface BossWakeUpsDependencies {
  readonly database: Database;
  /** This process's id, which the rows of renders carry that it has in hand. */
  readonly process: string;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/**
 * Wake-ups in the database, by pg-boss, for a bot of several processes. A row of `renders` names the process that has it
 * in hand, or says when it goes on (`wakes_at`), and there is a job of pg-boss then; both change in one transaction. So
 * nothing is lost wherever a process dies, and a render is in one hand at a time, however often a job is delivered.
 */
export class BossWakeUps implements WakeUps {
  readonly areShared = true;
  readonly #dependencies: BossWakeUpsDependencies;
  readonly #boss: PgBoss;
  /** When this process's own wake-ups are due, so that it needn't look all the time. */
  readonly #hints: Agenda<true>;
  readonly #queue = new KeyedQueue();
  #onDue = () => {};
  #isInHand: (id: string) => boolean = () => true;
  #mayBeDue = true;
  #open = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #sweptAt = Number.NEGATIVE_INFINITY;
  #cancelLook = () => {};
  #isClosed = false;
  #isFailing = false;

  private constructor(dependencies: BossWakeUpsDependencies, boss: PgBoss) {
    this.#dependencies = dependencies;
    this.#boss = boss;
    this.#hints = new Agenda(dependencies.clock, () => this.#look());
  }

  static async open(dependencies: BossWakeUpsDependencies): Promise<BossWakeUps> {
    const { database, log } = dependencies;
    const failed = (error: Error) => log.warn({ error }, 'pg-boss failed');
    return new BossWakeUps(dependencies, await openBoss(database, platformNames.map(queueOf), failed));
  }

  start(onDue: () => void, isInHand: (id: string) => boolean): void {
    this.#onDue = onDue;
    this.#isInHand = isInHand;
    this.#look();
  }

  async put(sleepers: readonly Sleeper[]): Promise<void> {
    let left = sleepers;
    while (left.length > 0) {
      const elsewhere = await this.#tryToPut(left);
      if (elsewhere.size === 0) break;
      left = left.filter(({ render }) => !elsewhere.has(render.id));
    }
    for (const { milliseconds } of left) this.#hints.put(true, milliseconds);
    if (left.some(({ milliseconds }) => milliseconds <= 0)) this.#look();
  }

  /** Changes nothing if other processes have some of these renders in hand; answers which. */
  async #tryToPut(sleepers: readonly Sleeper[]): Promise<ReadonlySet<string>> {
    const elsewhere = new Set(sleepers.map(({ render }) => render.id));
    const { database } = this.#dependencies;
    try {
      await database.transaction().execute(async (transaction) => {
        // In the order in which `take` locks them: jobs, then rows. Otherwise they could wait for each other.
        await this.#insertJobs(transaction, sleepers);
        for (const id of await this.#release(transaction, sleepers)) elsewhere.delete(id);
        if (elsewhere.size > 0) throw new Elsewhere();
      });
    } catch (error) {
      if (!(error instanceof Elsewhere)) throw error;
    }
    return elsewhere;
  }

  async #insertJobs(transaction: Transaction<Tables>, sleepers: readonly Sleeper[]): Promise<void> {
    const db = executorIn(transaction);
    for (const [platform, ofPlatform] of Map.groupBy(sleepers, ({ render }) => render.platform)) {
      const jobs = ofPlatform.map(({ render, milliseconds }) => ({
        data: render,
        singletonKey: render.id,
        // Seconds, which PostgreSQL adds to its own time.
        startAfter: (Math.max(0, milliseconds) / 1_000).toFixed(3),
      }));
      await this.#boss.insert(queueOf(platform), jobs, { db });
    }
  }

  /** The wake-up and the end of the claim are one change: the process that takes it then can claim the row. */
  async #release(transaction: Transaction<Tables>, sleepers: readonly Sleeper[]): Promise<readonly string[]> {
    const ids = sleepers.map(({ render }) => render.id);
    const waits = sleepers.map(({ milliseconds }) => Math.max(0, Math.round(milliseconds)));
    const { rows } = await sql<{ id: string }>`
      update renders set process = null, wakes_at = ${databaseNow(transaction)} + sleepers.wait
      from unnest(${ids}::text[], ${waits}::bigint[]) as sleepers (id, wait)
      where renders.id = sleepers.id and delivered is null
        and (process is null or process = ${this.#dependencies.process})
      returning renders.id`.execute(transaction);
    return rows.map(({ id }) => id);
  }

  take(most: number, platforms: readonly PlatformName[]): Promise<readonly PendingRender[]> {
    return this.#queue.run('', async () => {
      const taken: PendingRender[] = [];
      if (!this.#mayBeDue) return taken;
      this.#mayBeDue = false;
      try {
        for (const platform of platforms) taken.push(...(await this.#takeOf(platform, most - taken.length)));
        this.#isFailing = false;
      } catch (error) {
        this.#noteFailure(error);
      }
      return taken;
    });
  }

  async #takeOf(platform: PlatformName, most: number): Promise<readonly PendingRender[]> {
    if (most <= 0) {
      this.#mayBeDue = true;
      return [];
    }
    const { database } = this.#dependencies;
    return database.transaction().execute(async (transaction) => {
      const db = executorIn(transaction);
      const queue = queueOf(platform);
      const jobs = await this.#boss.fetch<StoredRender>(queue, { batchSize: most, db });
      if (jobs.length === 0) return [];
      if (jobs.length === most) this.#mayBeDue = true;
      await this.#boss.deleteJob(
        queue,
        jobs.map((job) => job.id),
        { db },
      );
      const claimed = await this.#claim(
        transaction,
        jobs.map((job) => job.data.id),
      );
      return jobs.filter((job) => claimed.has(job.data.id)).map((job) => revived(job.data));
    });
  }

  async #claim(transaction: Transaction<Tables>, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const claimed = await transaction
      .updateTable('renders')
      .set({ process: this.#dependencies.process, wakes_at: null })
      .where('id', 'in', ids)
      .where('process', 'is', null)
      .where('delivered', 'is', null)
      .returning('id')
      .execute();
    return new Set(claimed.map(({ id }) => id));
  }

  async drop({ id }: PendingRender): Promise<void> {
    const { database, process } = this.#dependencies;
    await database
      .updateTable('renders')
      .set({ process: null, wakes_at: null })
      .where('id', '=', id)
      .where('process', '=', process)
      .execute();
  }

  outstanding(inHand: number): number {
    return Math.max(inHand, this.#open);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelLook();
    this.#hints.clear();
    await this.#queue.run('', async () => {});
    await this.#boss.stop({ graceful: false });
  }

  /** Has what is due taken, and looks after the rest. */
  #look(): void {
    if (this.#isClosed) return;
    while (this.#hints.take());
    this.#cancelLook();
    this.#cancelLook = this.#dependencies.clock.after(lookSpacing, () => this.#look());
    this.#mayBeDue = true;
    this.#onDue();
    void this.#queue.run('', () => this.#lookAfter()).catch((error: unknown) => this.#noteFailure(error));
  }

  async #lookAfter(): Promise<void> {
    const { clock } = this.#dependencies;
    if (this.#isClosed) return;
    const now = clock.steady();
    if (now - this.#countedAt >= countSpacing) {
      this.#open = await this.#count();
      this.#countedAt = now;
    }
    if (now - this.#sweptAt < sweepSpacing) return;
    const isFirst = this.#sweptAt === Number.NEGATIVE_INFINITY;
    await this.#wakeLost(isFirst);
    await this.#releaseStrays();
    this.#sweptAt = now;
  }

  async #count(): Promise<number> {
    const { count } = await this.#dependencies.database
      .selectFrom('renders')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('delivered', 'is', null)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /**
   * Renders that nobody has in hand and whose time has long come get a new wake-up: theirs may be in the schema of
   * another version, or was deleted. At the start also those that never had one: they're from SQLite.
   */
  async #wakeLost(andNeverPut: boolean): Promise<void> {
    for (let found = mostFound; found === mostFound && !this.#isClosed; ) {
      const lost = await this.#lost(andNeverPut);
      found = lost.length;
      if (found === 0) return;
      this.#dependencies.log.warn({ renders: found }, 'renders are late, and are woken again');
      await this.put(lost.map(asleepNow));
    }
  }

  #lost(andNeverPut: boolean): Promise<readonly Pick<RendersTable, 'id' | 'job' | 'message'>[]> {
    const { database } = this.#dependencies;
    return database
      .selectFrom('renders')
      .select(['id', 'job', 'message'])
      .where('delivered', 'is', null)
      .where('process', 'is', null)
      .where(({ eb, or }) =>
        or([
          eb('wakes_at', '<', databaseNow(database, -lostAfter)),
          ...(andNeverPut ? [eb('wakes_at', 'is', null)] : []),
        ]),
      )
      .limit(mostFound)
      .execute();
  }

  /** Rows that say they're in this process's hand, and aren't: the answer to a change of theirs was lost. */
  async #releaseStrays(): Promise<void> {
    const { database, process } = this.#dependencies;
    const rows = await database
      .selectFrom('renders')
      .select(['id', 'job', 'message'])
      .where('delivered', 'is', null)
      .where('process', '=', process)
      .limit(mostFound)
      .execute();
    const strays = rows.filter(({ id }) => !this.#isInHand(id));
    if (strays.length > 0) await this.put(strays.map(asleepNow));
  }

  /** Once until it works again; `/readyz` shows that the database is away. */
  #noteFailure(error: unknown): void {
    if (!this.#isClosed && !this.#isFailing)
      this.#dependencies.log.warn({ error }, 'renders can’t be woken until the database is back');
    this.#isFailing = true;
  }
}

/** Another process has a render in hand that this one wanted to leave alone. */
class Elsewhere extends Error {}

/** A waiting render as JSON. */
type StoredRender = Omit<PendingRender, 'lastingState' | 'leaveQueue'> & {
  readonly lastingState?: ReturnType<LastingState['toJSON']>;
};

function queueOf(platform: PlatformName): string {
  return `renders-${platform}`;
}

function asleepNow({ id, job, message }: { id: string; job: string; message: string }): Sleeper {
  const { platform } = JSON.parse(message) as Address;
  return { render: pendingRender({ id, job, platform }), milliseconds: 0 };
}

/** As it was before it was stored, whichever version of the bot stored it. */
function revived(stored: StoredRender): PendingRender {
  const { lastingState, ...render } = stored;
  return {
    ...pendingRender(render),
    ...render,
    ...(lastingState && { lastingState: LastingState.from(lastingState) }),
  };
}
