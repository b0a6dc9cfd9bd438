import { createHash } from 'node:crypto';
import type { ExpressionBuilder, Selectable } from 'kysely';
import {
  isQuestion,
  type Message,
  type MessageAddress,
  type PlatformName,
  type Removal,
} from '../port/index.ts';
import type { Database } from './database.ts';
import { type RemovalsTable, type Tables, unanswered } from './tables.ts';

/** So many are read at a time. */
const pageSize = 100;

export type StoredRemovals = ReturnType<typeof storedRemovals>;

/** The `removals` table: messages that are to be removed or to show something else, until they are or the platform refuses to. */
export function storedRemovals(database: Database) {
  return {
    /** Puts them on record, once for each message: the newest text is shown, unless the message is to be removed. */
    async add(removals: readonly Removal[]): Promise<void> {
      const named = removals.filter(({ message }) => message.message !== '');
      const rows = new Map(named.map((removal) => [removalKey(removal), removal]));
      if (rows.size === 0) return;
      await database
        .insertInto('removals')
        .values([...rows.values()].map((removal) => ({ ...keyOf(removal), ...contentOf(removal) })))
        .onConflict((conflict) =>
          conflict
            .columns(['platform', 'channel', 'message'])
            .doUpdateSet(({ ref }) => ({
              address: ref('excluded.address'),
              shows: ref('excluded.shows'),
              job: ref('excluded.job'),
            }))
            .where('removals.shows', 'is not', null),
        )
        .execute();
    },
    /** Those of a platform, some at a time. */
    async *of(platform: PlatformName): AsyncIterable<readonly Removal[]> {
      let last = { channel: '', message: '' };
      for (let count = pageSize; count === pageSize;) {
        const rows = await database
          .selectFrom('removals')
          .select(['channel', 'message', 'address', 'shows', 'job', 'noted_at'])
          .where('platform', '=', platform)
          .where(({ eb, refTuple, tuple }) =>
            eb(refTuple('channel', 'message'), '>', tuple(last.channel, last.message)),
          )
          .orderBy('channel')
          .orderBy('message')
          .limit(pageSize)
          .execute();
        count = rows.length;
        last = rows.at(-1) ?? last;
        if (count > 0) yield rows.map(removalOf);
      }
    },
    /** Those that are for the question of a job: it's closed, or the next one is asked. */
    async ofQuestion(job: string): Promise<readonly Removal[]> {
      const rows = await database
        .selectFrom('removals')
        .select(['address', 'shows', 'job'])
        .where('job', '=', job)
        .where('shows', 'is not', null)
        .execute();
      return rows.map(removalOf);
    },
    /** Whether it's still to be done: it may have been since it was read, and a question may be answered before it's shown. */
    async isLeft(removal: Removal): Promise<boolean> {
      const row = await database
        .selectFrom('removals')
        .select('message')
        .where(isRowOf(removal))
        .$if(isQuestion(removal.shows ?? {}), (query) =>
          query.where('job', 'in', ({ selectFrom }) =>
            selectFrom('jobs').select('id').where('state', 'in', unanswered).where('deleted', 'is', null),
          ),
        )
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Nothing is left to do of it; another one for the same message stays. */
    async done(removal: Removal): Promise<void> {
      await database.deleteFrom('removals').where(isRowOf(removal)).execute();
    },
  };
}

/** The same for the same message. */
export function removalKey(removal: Removal): string {
  return Object.values(keyOf(removal)).join(' ');
}

/** What only a token reaches may have the same id as another in its channel: Discord's `@original`. */
function keyOf({ message: { platform, channel, message, platformData } }: Removal) {
  const digest =
    platformData && createHash('sha256').update(JSON.stringify(platformData)).digest('base64url');
  return { platform, channel, message: [message, digest?.slice(0, 16)].filter(Boolean).join(' ') };
}

function contentOf({ message, shows, job }: Removal) {
  return {
    address: JSON.stringify(message),
    shows: shows ? JSON.stringify(shows) : null,
    job: job ?? null,
  };
}

/** Whether a row is the one of a removal: for the same message there may be another one by now. */
function isRowOf(removal: Removal) {
  const { shows } = contentOf(removal);
  return ({ eb, and }: ExpressionBuilder<Tables, 'removals'>) =>
    and([and(keyOf(removal)), eb('shows', shows === null ? 'is' : '=', shows)]);
}

function removalOf(
  row: Pick<Selectable<RemovalsTable>, 'address' | 'shows' | 'job'> & Partial<Selectable<RemovalsTable>>,
): Removal {
  const message = JSON.parse(row.address) as MessageAddress;
  const noted = typeof row.noted_at === 'number' && { notedAt: row.noted_at };
  if (row.shows === null) return { message, ...noted };
  return {
    message,
    ...noted,
    shows: JSON.parse(row.shows) as Message,
    ...(row.job !== null && { job: row.job }),
  };
}
