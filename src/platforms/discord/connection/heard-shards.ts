import { isDeepStrictEqual } from 'node:util';
import type { SessionInfo } from '@discordjs/ws';
import type { Coordination } from '../../../coordination/index.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import type { Records } from '../../../store/index.ts';
import { shardOf } from '../servers/known-servers.ts';
import type { KeptSession } from './shard.ts';

/** A shard on record. */
export interface ShardRow extends Partial<KeptSession> {
  readonly id: number;
  readonly count: number;
  /** The process that has it; absent once that has let it go. */
  readonly holder?: string;
  /** The processes to which Discord could send what follows in its session, since that got further or was let go. */
  readonly holders?: readonly string[];
  /** The process that goes on with its session, until what was missed there is on record. */
  readonly catchingUp?: string | undefined;
  /** What its session depends on: with other settings the bot logs in anew. */
  readonly settings?: readonly unknown[];
}

/** The beginning of all their keys. */
export const shardRows = 'gateway session ';

/** How many processes in turn have a session that gets no further: its next event may be what they die of. */
const mostHolders = 3;

/** Where it's on record. */
export function keyOf({ id, count }: Pick<ShardRow, 'id' | 'count'>): string {
  return `${shardRows}${id}/${count}`;
}

/** Those who have had a session since it got as far as this. */
export function holdersAt(
  { sessionId, sequence }: SessionInfo,
  before: ShardRow | undefined,
): readonly string[] {
  const isThere = before?.session?.sessionId === sessionId && sequence <= before.session.sequence;
  return (isThere && before.holders) || [];
}

/** Whether its session is given up. */
export function isStuck(row: ShardRow | undefined): boolean {
  return row?.session !== undefined && (row.holders?.length ?? 0) >= mostHolders;
}

/**
 * The session to go on with, if its settings are still these. One with others stays on record until there is another:
 * Discord may refuse the new ones.
 */
export function keptIn(
  { session, identity, settings: its }: Partial<ShardRow>,
  settings: readonly unknown[],
): KeptSession | undefined {
  return session && identity && isDeepStrictEqual(its, settings) ? { session, identity } : undefined;
}

/** For so long a look at the rows counts, in milliseconds: many may ask at once. */
const lookEvery = 250;
/** Discord keeps a session for about so long, in milliseconds; what was missed in it can't be learnt later than that. */
const longestUnheard = 90_000;

interface HeardShardsDependencies {
  readonly records: Pick<Records, 'startingWith'>;
  readonly coordination: { readonly others: Pick<Coordination['others'], 'present'> };
  readonly clock: Clock;
}

/** A shard as it was found. */
interface Found extends Pick<ShardRow, 'id' | 'count'> {
  readonly isHeard: boolean;
}

/**
 * Of which shards some process of the bot hears what happens, whichever has them. Nobody does from when a process dies until
 * another has resumed the session and put on record what was missed. It's not waited for longer than that can be learnt.
 */
export class HeardShards {
  readonly #dependencies: HeardShardsDependencies;
  /** Since when nobody has heard more of each session, as far as this process has seen, by the steady clock. */
  #unheardSince: ReadonlyMap<string, number> = new Map();
  #looked: { readonly at: number; readonly found: Promise<readonly Found[]> } | undefined;

  constructor(dependencies: HeardShardsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether what happens in a server is heard. Rejects if the database is away. */
  async hears(serverId: string): Promise<boolean> {
    const found = (await this.#found()).filter(({ id, count }) => shardOf(serverId, count) === id);
    return found.length === 0 || found.some(({ isHeard }) => isHeard);
  }

  /** Resolves once that's so everywhere. Rejects if the database is away. */
  async all(): Promise<void> {
    while (!(await this.#found()).every(({ isHeard }) => isHeard))
      await sleep(this.#dependencies.clock, lookEvery);
  }

  #found(): Promise<readonly Found[]> {
    const at = this.#dependencies.clock.steady();
    if (!this.#looked || at - this.#looked.at >= lookEvery) {
      const found = this.#look();
      this.#looked = { at, found };
      found.catch(() => {
        this.#looked = undefined;
      });
    }
    return this.#looked.found;
  }

  async #look(): Promise<readonly Found[]> {
    const { records, coordination, clock } = this.#dependencies;
    const [all, present] = await Promise.all([
      records.startingWith<ShardRow>(shardRows),
      coordination.others.present(),
    ]);
    const isHeld = ({ holder }: ShardRow) => holder !== undefined && present.has(holder);
    // Nobody takes those of another total any more.
    const counts = new Set(all.filter(isHeld).map(({ count }) => count));
    const rows = counts.size === 0 ? all : all.filter(({ count }) => counts.has(count));
    const before = this.#unheardSince;
    const now = clock.steady();
    // Where there's no session, nothing was missed in it.
    const unheard = rows.filter((row) => row.session && !(isHeld(row) && row.catchingUp !== row.holder));
    this.#unheardSince = new Map(unheard.map((row) => [farIn(row), before.get(farIn(row)) ?? now]));
    return rows.map((row) => {
      const since = this.#unheardSince.get(farIn(row)) ?? Number.NEGATIVE_INFINITY;
      return { id: row.id, count: row.count, isHeard: now - since >= longestUnheard };
    });
  }
}

/** A shard's session, as far as it has come: once it has got further, it was heard in between. */
function farIn(row: ShardRow): string {
  return [keyOf(row), row.session?.sessionId, row.session?.sequence].join(' ');
}
