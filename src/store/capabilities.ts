import { BoundedMap } from '../lib/bounded-map.ts';
import { systemClock } from '../lib/clock.ts';
import { isLocal, nowOrLater } from '../lib/local-faults.ts';
import { type Capabilities, type Capability, everyWorkspace, type PlatformName } from '../port/index.ts';
import type { Database } from './database.ts';
import { openKeyv } from './records.ts';

const day = 86_400_000;
/** How long a finding is trusted, in milliseconds: platforms change, and permissions may be granted later. */
const believedFor: Record<Capability, number> = { works: 90 * day, refused: 7 * day };

/** How many findings are remembered for while the database is away. */
const remembered = 5_000;

/**
 * One platform's capability findings, stored in the database. A post doesn't fail because they can't be read: while
 * the database is away those count that this process has seen, and what's found out is stored later.
 */
export function createCapabilities(
  database: Database,
  platform: PlatformName,
  now: () => number,
): Capabilities {
  const keyv = openKeyv(database, `capability-${platform}`, now);
  const lastSeen = new BoundedMap<string, Capability | undefined>({ most: remembered });
  const read = (workspace: string, feature: string) => keyv.get<Capability>(`${workspace} ${feature}`);
  return {
    async find(workspace, feature) {
      const key = `${workspace} ${feature}`;
      try {
        const seen = (await read(workspace, feature)) ?? (await read(everyWorkspace, feature));
        lastSeen.set(key, seen);
        return seen;
      } catch (error) {
        if (!isLocal(error)) throw error;
        return lastSeen.get(key);
      }
    },
    async note(workspace, feature, seen) {
      const key = `${workspace} ${feature}`;
      lastSeen.set(key, seen);
      const store = async () => void (await keyv.set(key, seen, believedFor[seen]));
      await nowOrLater(store, { clock: systemClock });
    },
  };
}
