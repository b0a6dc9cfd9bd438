import type { Clock } from '../../../lib/clock.ts';
import type { Button } from '../../../port/index.ts';
import type { ConsoleMessagesTable, Database } from '../../../store/index.ts';
import { richText } from '../api/markdown.ts';
import type { RichNode, WireCommand } from '../api/wire.ts';
import { type Change, type Place, withRevision } from './channels.ts';

const messagesPerPage = 50;

/** A message's data besides its text, stored as JSON. */
export interface Extras {
  readonly buttons?: readonly Button[];
  readonly mention?: true;
  readonly link?: string;
  /** Its files and its link are hidden until they're clicked. */
  readonly spoiler?: true;
  readonly command?: WireCommand;
  /** The name of the persona that says it. */
  readonly persona?: string;
  /** The beginning of the message it replies to. */
  readonly repliesTo?: string;
  /** Its text is still being written, or was when the process exited. */
  readonly unfinished?: true;
  /** Key of the `complete` call that was applied to it. */
  readonly completed?: string;
}

/** A message to store. */
export interface NewMessage {
  readonly place: Place;
  readonly author: 'you' | 'bot';
  /** The one session that may see it. */
  readonly session?: string | undefined;
  /** Idempotency key: the same key at a place posts once. */
  readonly key: string;
  readonly text: string;
  readonly extras: Extras;
  /** Ids of stored files to attach. */
  readonly files: readonly string[];
}

export type MessageRow = ConsoleMessagesTable;

/** Messages in the database. */
export class Messages {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Id of the message with this key at this place. */
  async findByKey(place: Place, key: string): Promise<number | undefined> {
    const row = await this.#database
      .selectFrom('console_messages')
      .select('id')
      .where('key', '=', keyAt(place, key))
      .executeTakeFirst();
    return row && Number(row.id);
  }

  /** Finds a message visible to this session; without `session`, any message. */
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

  /**
   * Posts a message; `isNew` is false if its key was already posted and nothing was done. `check` is called once the
   * database lets it be posted; if it throws, nothing is.
   */
  post(
    message: NewMessage,
    check: () => void = () => {},
  ): Promise<{ readonly id: number; readonly isNew: boolean }> {
    const key = keyAt(message.place, message.key);
    return withRevision(this.#database, async (change) => {
      check();
      const there = await change.transaction
        .selectFrom('console_messages')
        .select('id')
        .where('key', '=', key)
        .executeTakeFirst();
      if (there) return { id: Number(there.id), isNew: false };
      await change.transaction
        .insertInto('console_messages')
        .values(this.#row(message, key, change))
        .execute();
      await claimFiles(change, message.files);
      await touchThread(change, message.place.thread);
      return { id: change.revision, isNew: true };
    });
  }

  /**
   * Edits a message; `edited` gets its current extras, and undefined changes nothing. False if it no longer
   * exists.
   */
  edit(
    id: number,
    edited: (extras: Extras) => { text: string; extras: Extras; files?: readonly string[] } | undefined,
  ): Promise<boolean> {
    return withRevision(this.#database, async (change) => {
      const row = await change.transaction
        .selectFrom('console_messages')
        .select(['extras', 'thread'])
        .where('id', '=', id)
        .where('removed', '=', 0)
        .executeTakeFirst();
      if (!row) return false;
      const content = edited(extrasOf(row));
      if (!content) return true;
      await change.transaction
        .updateTable('console_messages')
        .set({ text: content.text, extras: JSON.stringify(content.extras), revision: change.revision })
        .where('id', '=', id)
        .execute();
      await claimFiles(change, content.files ?? [], id);
      await touchThread(change, row.thread ?? undefined);
      return true;
    });
  }

  /** Removes a message; returns the ids of its files. */
  remove(id: number): Promise<string[]> {
    return withRevision(this.#database, async (change) => {
      const { transaction, revision } = change;
      const files = await transaction
        .deleteFrom('console_files')
        .where('message', '=', id)
        .returning('id')
        .execute();
      const row = await transaction
        .updateTable('console_messages')
        .set({ removed: 1, text: '', extras: '{}', revision })
        .where('id', '=', id)
        .returning('thread')
        .executeTakeFirst();
      await touchThread(change, row?.thread ?? undefined);
      return files.map((file) => file.id);
    });
  }

  /**
   * A page of a place's newest messages visible to a session, oldest first; with `before`, the messages before
   * that id.
   */
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

/** A stored message's extras. */
export function extrasOf(row: { readonly extras: string }): Extras {
  return JSON.parse(row.extras) as Extras;
}

function keyAt(place: Place, key: string): string {
  return `${place.thread ?? place.channel} ${key}`;
}

async function claimFiles(
  change: Change,
  files: readonly string[],
  message = change.revision,
): Promise<void> {
  for (const [position, id] of files.entries()) {
    await change.transaction
      .updateTable('console_files')
      .set({ message, position })
      .where('id', '=', id)
      .execute();
  }
}

/** Marks a message's thread as changed: its card shows the number of messages and the last one. */
async function touchThread(change: Change, thread: string | undefined): Promise<void> {
  if (thread === undefined) return;
  await change.transaction
    .updateTable('console_threads')
    .set({ revision: change.revision })
    .where('id', '=', thread)
    .execute();
}

/** The newest state of a message that is being written. */
export interface Draft {
  readonly id: number;
  readonly place: Place;
  readonly session: string | undefined;
  readonly text: string;
  readonly body: readonly RichNode[];
  readonly buttons: readonly Button[];
  /** Greater for a later state, of any message. */
  readonly version: number;
}

/**
 * Messages that are being written. Their newest state is kept in memory; the database gets it about once a
 * second.
 */
export class Drafts {
  readonly #drafts = new Map<number, Draft>();
  #version = 0;

  get(id: number): Draft | undefined {
    return this.#drafts.get(id);
  }

  set(draft: Omit<Draft, 'version' | 'body'>): void {
    this.#drafts.set(draft.id, { ...draft, body: richText(draft.text), version: ++this.#version });
  }

  delete(id: number): void {
    this.#drafts.delete(id);
  }

  /** Version of the newest draft. */
  get version(): number {
    return this.#version;
  }

  /** Drafts visible to this session that changed after `version`. */
  since(version: number, session: string): Draft[] {
    return [...this.#drafts.values()].filter(
      (draft) => draft.version > version && (draft.session === undefined || draft.session === session),
    );
  }
}
