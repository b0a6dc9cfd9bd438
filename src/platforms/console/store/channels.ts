import type { Transaction } from 'kysely';
import type { Clock } from '../../../lib/clock.ts';
import { randomId } from '../../../lib/text.ts';
import {
  type ConsoleChannelsTable,
  type ConsoleThreadsTable,
  type Database,
  inTransaction,
  type Tables,
} from '../../../store/index.ts';

/** The longest name of a channel or thread, in characters. */
const maxNameCharacters = 80;

const firstChannel = 'general';

/** A channel, or a thread in it. */
export interface Place {
  readonly channel: string;
  readonly thread?: string;
}

/** Trims a name, joins its lines and limits its length; undefined if nothing is left. */
export function normalizeName(given: string): string | undefined {
  const name = given.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return name === '' ? undefined : [...name].slice(0, maxNameCharacters).join('');
}

/** Channels and threads in the database. */
export class Channels {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  channels(): Promise<ConsoleChannelsTable[]> {
    return this.#database
      .selectFrom('console_channels')
      .selectAll()
      .where('removed', '=', 0)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  threads(): Promise<ConsoleThreadsTable[]> {
    return this.#database.selectFrom('console_threads').selectAll().where('removed', '=', 0).execute();
  }

  /** Finds a place by its channel's or its thread's id. */
  async find(id: string): Promise<Place | undefined> {
    const thread = await this.#database
      .selectFrom('console_threads')
      .select('channel')
      .where('id', '=', id)
      .where('removed', '=', 0)
      .executeTakeFirst();
    if (thread) return { channel: thread.channel, thread: id };
    return (await this.channelName(id)) === undefined ? undefined : { channel: id };
  }

  /** A channel's name; undefined if it no longer exists. */
  async channelName(id: string): Promise<string | undefined> {
    const row = await this.#database
      .selectFrom('console_channels')
      .select('name')
      .where('id', '=', id)
      .where('removed', '=', 0)
      .executeTakeFirst();
    return row?.name;
  }

  createChannel(name: string): Promise<string> {
    return withRevision(this.#database, (change) => this.#create(name, change));
  }

  /** Creates a first channel if there is none. */
  async ensureChannel(): Promise<void> {
    if ((await this.channels()).length > 0) return;
    await withRevision(this.#database, async (change) => {
      // Of processes that start at once, one creates it.
      const there = change.transaction.selectFrom('console_channels').select('id').where('removed', '=', 0);
      if (!(await there.executeTakeFirst())) await this.#create(firstChannel, change);
    });
  }

  /** Renames a channel; false if it doesn't exist. */
  renameChannel(id: string, name: string): Promise<boolean> {
    return withRevision(this.#database, async ({ transaction, revision }) => {
      const { numUpdatedRows } = await transaction
        .updateTable('console_channels')
        .set({ name, revision })
        .where('id', '=', id)
        .where('removed', '=', 0)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    });
  }

  /** Removes a channel with its threads and messages; returns the ids of their files. */
  removeChannel(id: string): Promise<string[]> {
    return withRevision(this.#database, async ({ transaction, revision }) => {
      const messages = transaction.selectFrom('console_messages').select('id').where('channel', '=', id);
      const files = await transaction
        .deleteFrom('console_files')
        .where('message', 'in', messages)
        .returning('id')
        .execute();
      await transaction.deleteFrom('console_messages').where('channel', '=', id).execute();
      const gone = { removed: 1, revision };
      await transaction.updateTable('console_threads').set(gone).where('channel', '=', id).execute();
      await transaction.updateTable('console_channels').set(gone).where('id', '=', id).execute();
      return files.map((file) => file.id);
    });
  }

  /** Opens the thread under a message, or returns the existing one. */
  openThread(channel: string, message: number, name: string): Promise<string> {
    return withRevision(this.#database, async ({ transaction, revision }) => {
      const there = await transaction
        .selectFrom('console_threads')
        .select('id')
        .where('message', '=', message)
        .executeTakeFirst();
      if (there) return there.id;
      const id = randomId();
      const row = { id, channel, message, name, created_at: this.#clock.now(), removed: 0, revision };
      await transaction.insertInto('console_threads').values(row).execute();
      return id;
    });
  }

  async #create(name: string, { transaction, revision }: Change): Promise<string> {
    const id = randomId();
    const row = { id, name, created_at: this.#clock.now(), removed: 0, revision };
    await transaction.insertInto('console_channels').values(row).execute();
    return id;
  }
}

/** A transaction and the revision it gets. */
export interface Change {
  readonly transaction: Transaction<Tables>;
  readonly revision: number;
}

/**
 * Makes one change in a transaction with a new revision. Revisions become visible in order, so a page that has
 * revision 7 misses nothing when it asks for changes after 7.
 */
export function withRevision<Result>(
  database: Database,
  work: (change: Change) => Promise<Result>,
): Promise<Result> {
  return inTransaction(database, async (transaction) => {
    const { value } = await transaction
      .updateTable('console_revision')
      .set((of) => ({ value: of('value', '+', 1) }))
      .returning('value')
      .executeTakeFirstOrThrow();
    return work({ transaction, revision: Number(value) });
  });
}

/** The newest change's revision. */
export async function newestRevision(database: Database): Promise<number> {
  const { value } = await database.selectFrom('console_revision').select('value').executeTakeFirstOrThrow();
  return Number(value);
}
