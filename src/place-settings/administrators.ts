import type { Address, Asker, Locale } from '../port/index.ts';
import type { Database } from '../store/index.ts';

/** An administrator and where they were seen last: there they can be told something. */
export interface KnownAdministrator {
  readonly person: string;
  readonly locale: Locale;
  readonly address: Address;
}

/** So often a seen administrator is written down anew, in milliseconds. */
const noteEvery = 3_600_000;

/** The administrator of each workspace who used the bot last. */
export class Administrators {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Notes where an administrator is; without effect for other people. */
  async see({ address, requester }: Asker): Promise<void> {
    if (!requester.administrator) return;
    const { platform, workspace } = address;
    const now = this.#now();
    const known = await this.#database
      .selectFrom('administrators')
      .select(['person', 'seen_at'])
      .where('platform', '=', platform)
      .where('workspace', '=', workspace)
      .executeTakeFirst();
    if (known?.person === requester.id && now < Number(known.seen_at) + noteEvery) return;
    // A ticket is of use for minutes only.
    const { ticket: _, ...lasting } = address;
    const row = {
      person: requester.id,
      locale: requester.locale,
      address: JSON.stringify(lasting),
      seen_at: now,
    };
    await this.#database
      .insertInto('administrators')
      .values({ platform, workspace, ...row })
      .onConflict((conflict) => conflict.columns(['platform', 'workspace']).doUpdateSet(row))
      .execute();
  }

  /** One of each workspace, as far as they were seen since then (milliseconds since the epoch). */
  async seenSince(since: number): Promise<readonly KnownAdministrator[]> {
    const rows = await this.#database
      .selectFrom('administrators')
      .select(['person', 'locale', 'address'])
      .where('seen_at', '>=', since)
      .execute();
    return rows.map(({ person, locale, address }) => ({
      person,
      locale: locale as Locale,
      address: JSON.parse(address) as Address,
    }));
  }
}
