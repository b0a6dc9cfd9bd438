import { sql } from 'kysely';
import type { Address, Message, MessageAddress, OutgoingFile } from '../port/index.ts';
import type { Database } from '../store/index.ts';
import type { PendingDelivery } from './variants.ts';

/** Files of pending deliveries, by job id. */
export interface KeptFiles {
  write(id: string, content: AsyncIterable<Uint8Array>): Promise<number>;
  read(id: string): AsyncIterable<Uint8Array>;
  has(id: string): Promise<boolean>;
  remove(id: string): Promise<void>;
}

/** A message as stored, with its file's metadata but not its content. */
interface StoredMessage {
  readonly message: Omit<Message, 'files'>;
  readonly file?: Omit<OutgoingFile, 'open'>;
  readonly shown?: readonly MessageAddress[];
  readonly shownText?: string;
  readonly isHeld?: true;
}

/** The `deliveries` table and its files. */
export class DeliveryStore {
  readonly #database: Database;
  readonly #files: KeptFiles;
  readonly #now: () => number;

  constructor(database: Database, files: KeptFiles, now: () => number) {
    this.#database = database;
    this.#files = files;
    this.#now = now;
  }

  /** Stores a message with at most one file; the returned message reads the file from disk. */
  async keep(
    jobId: string,
    { message, shown, shownText, isHeld }: PendingDelivery,
  ): Promise<PendingDelivery> {
    const { files = [], ...rest } = message;
    const [file, ...more] = files;
    if (more.length > 0) throw new Error('a delivery has at most one file');
    if (file && !(await this.#files.has(jobId))) await this.#files.write(jobId, file.open());
    const stored: StoredMessage = {
      message: rest,
      ...(file && { file: aboutOf(file) }),
      ...(shown && { shown }),
      ...(shownText !== undefined && { shownText }),
      ...(isHeld && { isHeld }),
    };
    const row = { message: JSON.stringify(stored) };
    await this.#database
      .insertInto('deliveries')
      .values({ job_id: jobId, created_at: this.#now(), ...row })
      .onConflict((conflict) => conflict.column('job_id').doUpdateSet(row))
      .execute();
    return this.#pendingOf(jobId, stored);
  }

  async find(jobId: string): Promise<PendingDelivery | undefined> {
    const row = await this.#row(jobId);
    if (!row) return undefined;
    const stored = JSON.parse(row.message) as StoredMessage;
    // If the file was deleted, only the text is left.
    const { file, ...words } = stored;
    return this.#pendingOf(jobId, file && !(await this.#files.has(jobId)) ? words : stored);
  }

  async has(jobId: string): Promise<boolean> {
    return (await this.#row(jobId)) !== undefined;
  }

  /** Ids of the jobs with pending deliveries, oldest first. */
  async all(): Promise<readonly string[]> {
    const rows = await this.#database
      .selectFrom('deliveries')
      .select('job_id')
      .orderBy('created_at')
      .execute();
    return rows.map((row) => row.job_id);
  }

  /** Ids of the jobs whose results are held, oldest first. */
  async held(): Promise<readonly string[]> {
    const rows = await this.#held().execute();
    return rows.map((row) => row.job_id);
  }

  /** Ids of a person's jobs in a workspace whose results are held, oldest first. */
  async heldOf({ platform, workspace }: Address, person: string): Promise<readonly string[]> {
    const rows = await this.#held()
      .innerJoin('jobs', 'jobs.id', 'deliveries.job_id')
      .where(sql`json_extract(jobs.address, '$.platform')`, '=', platform)
      .where(sql`json_extract(jobs.address, '$.workspace')`, '=', workspace)
      .where(sql`json_extract(jobs.requester, '$.id')`, '=', person)
      .execute();
    return rows.map((row) => row.job_id);
  }

  async remove(jobId: string): Promise<void> {
    await this.#database.deleteFrom('deliveries').where('job_id', '=', jobId).execute();
    await this.#files.remove(jobId);
  }

  #held() {
    return this.#database
      .selectFrom('deliveries')
      .select('job_id')
      .where(sql`json_extract(message, '$.isHeld')`, 'is not', null)
      .orderBy('deliveries.created_at');
  }

  #row(jobId: string) {
    return this.#database
      .selectFrom('deliveries')
      .select('message')
      .where('job_id', '=', jobId)
      .executeTakeFirst();
  }

  #pendingOf(jobId: string, { message, file, ...shown }: StoredMessage): PendingDelivery {
    const files = file && [{ ...file, open: () => this.#files.read(jobId) }];
    return { message: { ...message, ...(files && { files }) }, ...shown };
  }
}

function aboutOf({ open: _, ...about }: OutgoingFile): Omit<OutgoingFile, 'open'> {
  return about;
}
