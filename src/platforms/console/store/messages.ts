import type { Clock } from '../../../lib/clock.ts';
import type { Button } from '../../../port/index.ts';
import type { ConsoleMessagesTable, Database } from '../../../store/index.ts';
import type { WireCommand } from '../api/wire.ts';
import type { Place } from './channels.ts';
import { type Change, withRevision } from './with-revision.ts';

/** How many messages one look shows. */
export const messagesPerPage = 50;

/** What stands beside a message's text. Plain data. */
export interface Extras {
  readonly buttons?: readonly Button[];
  readonly mention?: true;
  readonly link?: string;
  readonly command?: WireCommand;
  /** Its text is still being written, or was when the process ended. */
  readonly unfinished?: true;
  /** Key of the completion that made it what it is. */
  readonly completed?: string;
}

/** A message to be put on record. */
export interface NewMessage {
  readonly place: Place;
  readonly author: 'you' | 'bot';
  /** The one session that may see it. */
  readonly session?: string | undefined;
  /** Makes it the same message however often it is posted. */
  readonly key: string;
  readonly text: string;
  readonly extras: Extras;
  /** Stored files that it holds from now on. */
  readonly files: readonly string[];
}

export type MessageRow = ConsoleMessagesTable;

/** Messages on record. */
export class Messages {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** The message with this key at this place. */
  async findByKey(place: Place, key: string): Promise<number | undefined> {
    const row = await this.#database
      .selectFrom('console_messages')
      .select('id')
      .where('key', '=', keyAt(place, key))
      .executeTakeFirst();
    return row && Number(row.id);
  }

  /** A message that is there, and that this session may see; `undefined` as session sees all. */
  async find(id: number, session?: string): Promise<MessageRow | undefined> {
    const row = await this.#database
      .selectFrom('console_messages')
      .selectAll()
      .where('id', '=', id)
      .where('removed', '=', 0)
      .executeTakeFirst();
    const hidden = session !== undefined && row?.session != null && row.session !== session;
    return hidden ? undefined : row;
  }

  /** Posts; `isNew` is false where the message had been posted before and nothing was done. */
  post(message: NewMessage): Promise<{ readonly id: number; readonly isNew: boolean }> {
    const key = keyAt(message.place, message.key);
    return withRevision(this.#database, async (made) => {
      const there = await made.transaction
        .selectFrom('console_messages')
        .select('id')
        .where('key', '=', key)
        .executeTakeFirst();
      if (there) return { id: Number(there.id), isNew: false };
      await made.transaction
        .insertInto('console_messages')
        .values(this.#row(message, key, made))
        .execute();
      await claimFiles(made, message.files);
      await touchThread(made, message.place.thread);
      return { id: made.revision, isNew: true };
    });
  }

  /** Changes a message; `with` is given what it was. False where it is no longer there. */
  edit(
    id: number,
    edited: (extras: Extras) => { text: string; extras: Extras; files?: readonly string[] } | undefined,
  ): Promise<boolean> {
    return withRevision(this.#database, async (made) => {
      const row = await made.transaction
        .selectFrom('console_messages')
        .select(['extras', 'thread'])
        .where('id', '=', id)
        .where('removed', '=', 0)
        .executeTakeFirst();
      if (!row) return false;
      const content = edited(extrasOf(row));
      if (!content) return true;
      await made.transaction
        .updateTable('console_messages')
        .set({ text: content.text, extras: JSON.stringify(content.extras), revision: made.revision })
        .where('id', '=', id)
        .execute();
      await claimFiles(made, content.files ?? [], id);
      await touchThread(made, row.thread ?? undefined);
      return true;
    });
  }

  /** Removes a message; answers the ids of the files it held. */
  remove(id: number): Promise<string[]> {
    return withRevision(this.#database, async (made) => {
      const { transaction, revision } = made;
      const files = await transaction
        .selectFrom('console_files')
        .select('id')
        .where('message', '=', id)
        .execute();
      await transaction.deleteFrom('console_files').where('message', '=', id).execute();
      const row = await transaction
        .updateTable('console_messages')
        .set({ removed: 1, text: '', extras: '{}', revision })
        .where('id', '=', id)
        .returning('thread')
        .executeTakeFirst();
      await touchThread(made, row?.thread ?? undefined);
      return files.map((file) => file.id);
    });
  }

  /** The newest messages of a place that a session may see, oldest first; those before `before` where given. */
  async page(place: Place, session: string, before?: number): Promise<{ rows: MessageRow[]; more: boolean }> {
    const rows = await this.#database
      .selectFrom('console_messages')
      .selectAll()
      .where('channel', '=', place.channel)
      .where('thread', place.thread === undefined ? 'is' : '=', place.thread ?? null)
      .where('removed', '=', 0)
      .where((of) => of.or([of('session', 'is', null), of('session', '=', session)]))
      .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
      .orderBy('id', 'desc')
      .limit(messagesPerPage + 1)
      .execute();
    return { rows: rows.slice(0, messagesPerPage).reverse(), more: rows.length > messagesPerPage };
  }

  #row(message: NewMessage, key: string, { revision }: Change): MessageRow {
    return {
      id: revision,
      channel: message.place.channel,
      thread: message.place.thread ?? null,
      author: message.author,
      session: message.session ?? null,
      key,
      text: message.text,
      extras: JSON.stringify(message.extras),
      created_at: this.#clock.now(),
      removed: 0,
      revision,
    };
  }
}

/** What stands beside a stored message's text. */
export function extrasOf(row: { readonly extras: string }): Extras {
  return JSON.parse(row.extras) as Extras;
}

function keyAt(place: Place, key: string): string {
  return `${place.thread ?? place.channel} ${key}`;
}

async function claimFiles(made: Change, files: readonly string[], message = made.revision): Promise<void> {
  for (const [position, id] of files.entries()) {
    await made.transaction
      .updateTable('console_files')
      .set({ message, position })
      .where('id', '=', id)
      .execute();
  }
}

/** A thread shows how many messages it has and the last of them, so it changes with each. */
async function touchThread(made: Change, thread: string | undefined): Promise<void> {
  if (thread === undefined) return;
  await made.transaction
    .updateTable('console_threads')
    .set({ revision: made.revision })
    .where('id', '=', thread)
    .execute();
}
