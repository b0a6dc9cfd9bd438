import { type Capabilities, type Capability, everyWorkspace, type PlatformName } from '../port/index.ts';
import type { Database } from './database.ts';
import { openKeyv } from './keyv.ts';

const day = 86_400_000;
/** How long a finding is trusted, in milliseconds: platforms change, and permissions may be granted later. */
const believedFor: Record<Capability, number> = { works: 90 * day, refused: 7 * day };

/** One platform's capability findings, stored in the database. */
export function createCapabilities(
  database: Database,
  platform: PlatformName,
  now: () => number,
): Capabilities {
  const keyv = openKeyv(database, `capability-${platform}`, now);
  const read = (workspace: string, feature: string) => keyv.get<Capability>(`${workspace} ${feature}`);
  return {
    async find(workspace, feature) {
      return (await read(workspace, feature)) ?? read(everyWorkspace, feature);
    },
    async note(workspace, feature, seen) {
      await keyv.set(`${workspace} ${feature}`, seen, believedFor[seen]);
    },
  };
}
