import { type RawBuilder, sql } from 'kysely';
import type { Address, CommandEnd, Message, MessageAddress, OutgoingFile } from '../port/index.ts';
import {
  type Database,
  expectLiving,
  type FileStore,
  hasTexts,
  insertIf,
  isStillLiving,
} from '../store/index.ts';

/** A delivery as stored, with its file's metadata but not its content. */
interface StoredDelivery extends Omit<PendingDelivery, 'message'> {
  readonly message: Omit<Message, 'files'>;
  readonly file?: Omit<OutgoingFile, 'open'>;
}

interface DeliveryStoreDependencies {
  readonly database: Database;
  /** Whose deliveries these are: once another process has taken one over, changing it does nothing. */
  readonly process?: string | undefined;
  readonly files: FileStore;
  readonly now: () => number;
}

/** The `deliveries` table and its files. */
export class DeliveryStore {
  readonly #database: Database;
  readonly #process: string | null;
  /** By job id. */
  readonly #files: FileStore;
  readonly #now: () => number;

  constructor({ database, process, files, now }: DeliveryStoreDependencies) {
    this.#database = database;
    this.#process = process ?? null;
    this.#files = files;
    this.#now = now;
  }

  /**
   * Stores a message with at most one file; the returned message reads the file from where it's stored. Where another
   * process has taken over the job before it had a delivery, it isn't stored: its caller has been told of an interruption.
   */
  async keep(jobId: string, { message, ...about }: PendingDelivery): Promise<PendingDelivery> {
    const { files = [], ...words } = message;
    const [file, ...more] = files;
    if (more.length > 0) throw new Error('a delivery has at most one file');
    if (file && !(await this.#files.has(jobId))) await this.#files.write(jobId, file.open());
    const stored: StoredDelivery = { ...about, message: words, ...(file && { file: aboutOf(file) }) };
    const row = { message: JSON.stringify(stored), held: about.isHeld ? 1 : 0 };
    const kept = { job_id: jobId, created_at: this.#now(), process: this.#process, ...row };
    await insertIf(this.#database, 'deliveries', kept, this.#mayKeep(jobId))
      .onConflict((conflict) => conflict.column('job_id').doUpdateSet(row).where(this.#isOurs))
      .execute();
    return this.#pendingOf(jobId, stored);
  }

  async find(jobId: string): Promise<PendingDelivery | undefined> {
    const row = await this.#row(jobId);
    if (!row) return undefined;
    const stored = JSON.parse(row.message) as StoredDelivery;
    // If the file was deleted, only the text is left.
    const { file, ...words } = stored;
    return this.#pendingOf(jobId, file && !(await this.#files.has(jobId)) ? words : stored);
  }

  async has(jobId: string): Promise<boolean> {
    return (await this.#row(jobId)) !== undefined;
  }

  /** Whether it's held, by any process. */
  async isHeld(jobId: string): Promise<boolean> {
    return Number((await this.#row(jobId))?.held) === 1;
  }

  /** Ids of the jobs with pending deliveries of all processes, oldest first. */
  async all(): Promise<readonly string[]> {
    const rows = await this.#database
      .selectFrom('deliveries')
      .select('job_id')
      .orderBy('created_at')
      .execute();
    return rows.map((row) => row.job_id);
  }

  /** Ids of the jobs, or of this one of them, whose results are held by this process, oldest first. */
  async held(jobId?: string): Promise<readonly string[]> {
    const rows = await this.#held()
      .where(this.#isOurs)
      .$if(jobId !== undefined, (all) => all.where('job_id', '=', jobId ?? ''))
      .execute();
    return rows.map((row) => row.job_id);
  }

  /** Ids of a person's jobs in a workspace whose results are held, oldest first. */
  async heldOf({ platform, workspace }: Address, person: string): Promise<readonly string[]> {
    const rows = await this.#held()
      .innerJoin('jobs', 'jobs.id', 'deliveries.job_id')
      .where(hasTexts('jobs.address', { platform, workspace }))
      .where('jobs.person', '=', person)
      .execute();
    return rows.map((row) => row.job_id);
  }

  /**
   * Takes it from the process that has it, living or not: a person asked this one for it.
   * @throws {LeaseEndedError} if this process was taken for dead.
   */
  async claim(jobId: string): Promise<void> {
    const { numUpdatedRows } = await this.#database
      .updateTable('deliveries')
      .set({ process: this.#process })
      .where('job_id', '=', jobId)
      .where(isStillLiving(this.#database, this.#process))
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n && this.#process !== null) await expectLiving(this.#database, this.#process);
  }

  async remove(jobId: string): Promise<void> {
    await this.#database.deleteFrom('deliveries').where('job_id', '=', jobId).where(this.#isOurs).execute();
    if (!(await this.has(jobId))) await this.#files.remove(jobId);
  }

  /** Whether this process runs the job, or has its delivery. */
  #mayKeep(jobId: string): RawBuilder<boolean> {
    if (this.#process === null) return sql<boolean>`true`;
    return sql<boolean>`(
      exists (select 1 from jobs where jobs.id = ${jobId} and jobs.process = ${this.#process})
      or exists (select 1 from deliveries where job_id = ${jobId} and ${this.#isOurs}))`;
  }

  get #isOurs(): RawBuilder<boolean> {
    return this.#process === null
      ? sql<boolean>`true`
      : sql<boolean>`(deliveries.process is null or deliveries.process = ${this.#process})`;
  }

  #held() {
    return this.#database
      .selectFrom('deliveries')
      .select('job_id')
      .where('held', '=', 1)
      .orderBy('deliveries.created_at');
  }

  #row(jobId: string) {
    return this.#database
      .selectFrom('deliveries')
      .select(['message', 'held'])
      .where('job_id', '=', jobId)
      .executeTakeFirst();
  }

  #pendingOf(jobId: string, { message, file, ...shown }: StoredDelivery): PendingDelivery {
    const files = file && [{ ...file, open: () => this.#files.read(jobId) }];
    return { message: { ...message, ...(files && { files }) }, ...shown };
  }
}

function aboutOf({ open: _, ...about }: OutgoingFile): Omit<OutgoingFile, 'open'> {
  return about;
}

/** A message that still has to be delivered. */
export interface PendingDelivery {
  /** At most one file. */
  readonly message: Message;
  /** The messages that show the start of a live answer. */
  readonly shown?: readonly MessageAddress[];
  /** Text of the last of those. */
  readonly shownText?: string;
  /** Somebody deleted what stood there: it goes only to its requester. */
  readonly isDeleted?: true;
  /** It could be posted nowhere: its requester can fetch it. */
  readonly isHeld?: true;
  /** How its command ended, apart from its delivery; done by default. */
  readonly end?: CommandEnd;
}
