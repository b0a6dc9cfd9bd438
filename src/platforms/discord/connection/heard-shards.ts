import type { Coordination } from '../../../coordination/index.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import type { Records } from '../../../store/index.ts';
import { shardOf } from '../servers/known-servers.ts';
import { keyOf, type ShardRow, shardRows } from './shard-row.ts';

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
