import { type Budget, Credits, type PaidCall } from '../../src/credits/index.ts';
import type { Job } from '../../src/port/index.ts';
import { createJobs, type Database } from '../../src/store/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { openMigrated } from '../fakes/database.ts';
import { here, jobCalled, personCalled } from '../fakes/records.ts';

/** A ledger with the budgets of a test; jobs are put on record as the dispatcher does. */
export class LedgerStage {
  readonly clock = new FakeClock(Date.UTC(2026, 10, 20, 12));
  readonly database: Database;
  readonly credits: Credits;
  budgets: readonly Budget[] = [];
  #jobs = 0;

  readonly #prefix: string;

  private constructor(database: Database, prefix: string) {
    this.database = database;
    this.#prefix = prefix;
    this.credits = new Credits({ database, clock: this.clock });
  }

  /** Stages on one database name their jobs by their prefixes. */
  static async open(url = 'sqlite::memory:', prefix = ''): Promise<LedgerStage> {
    return new LedgerStage(await openMigrated(url), prefix);
  }

  async job(person = 'ann', address = here): Promise<Job> {
    const job = jobCalled(`${this.#prefix}job${++this.#jobs}`, {
      ...{ command: 'imagine', address, createdAt: this.clock.now() },
      requester: personCalled(person, { name: person.toUpperCase() }),
    });
    await createJobs(this.database).add(job, job.id);
    return job;
  }

  async call(credits: number, more: Partial<PaidCall> = {}, person?: string): Promise<PaidCall> {
    return {
      job: more.job ?? (await this.job(person)),
      budgets: this.budgets,
      conversationId: 'conversation',
      kind: 'image',
      model: 'image 2k',
      quantity: { images: 1 },
      estimate: { low: credits, high: credits },
      ...more,
    };
  }

  rows() {
    return this.database.selectFrom('ledger').selectAll().orderBy('created_at').orderBy('job').execute();
  }
}
