import type { MessageAddress, PlatformName } from '../port/index.ts';
import type { Database } from './database.ts';

/** So many are read at a time. */
const pageSize = 100;

/** The `removals` table: messages that are to be removed, until the platform has removed them or refuses to. */
export interface StoredRemovals {
  /** Puts messages on record, each once. */
  add(messages: readonly MessageAddress[]): Promise<void>;
  /** Those of a platform, some at a time. */
  of(platform: PlatformName): AsyncIterable<readonly MessageAddress[]>;
  done(message: MessageAddress): Promise<void>;
}

/** The `removals` table of a database. */
export function storedRemovals(database: Database): StoredRemovals {
  return {
    async add(messages) {
      if (messages.length === 0) return;
      const rows = messages.map((address) => ({
        platform: address.platform,
        channel: address.channel,
        message: address.message,
        address: JSON.stringify(address),
      }));
      await database
        .insertInto('removals')
        .values(rows)
        .onConflict((conflict) => conflict.columns(['platform', 'channel', 'message']).doNothing())
        .execute();
    },
    async *of(platform) {
      let last: MessageAddress | undefined;
      for (let count = pageSize; count === pageSize; ) {
        const { channel = '', message = '' } = last ?? {};
        const rows = await database
          .selectFrom('removals')
          .select('address')
          .where('platform', '=', platform)
          .where(({ eb, refTuple, tuple }) =>
            eb(refTuple('channel', 'message'), '>', tuple(channel, message)),
          )
          .orderBy('channel')
          .orderBy('message')
          .limit(pageSize)
          .execute();
        count = rows.length;
        const page = rows.map(({ address }) => JSON.parse(address) as MessageAddress);
        last = page.at(-1);
        if (count > 0) yield page;
      }
    },
    async done({ platform, channel, message }) {
      await database
        .deleteFrom('removals')
        .where('platform', '=', platform)
        .where('channel', '=', channel)
        .where('message', '=', message)
        .execute();
    },
  };
}
