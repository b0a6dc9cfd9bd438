import type { Bot } from '../app/bot.ts';
import type { Clock } from '../lib/clock.ts';
import type { ReadinessCheck } from '../ops/index.ts';
import type { Platform, PlatformName } from '../port/index.ts';
import { type Database, type databaseFileWatch, writeProbe } from '../store/index.ts';

/** What `/readyz` looks at. */
export interface ReadinessDependencies {
  readonly bot: Bot;
  readonly clock: Clock;
  readonly database: Database;
  readonly databaseFile: ReturnType<typeof databaseFileWatch>;
  readonly platforms: ReadonlyMap<PlatformName, Platform>;
  /** Aborted once the process is told to stop: a load balancer then sends it nothing more. */
  readonly stopping: AbortSignal;
}

/** The checks behind `/readyz`: each platform, the service's key, work that can't go on, and the database. */
export function readiness({
  bot: { keyWatch, localFaults },
  clock,
  database,
  databaseFile,
  platforms,
  stopping,
}: ReadinessDependencies): Readonly<Record<string, ReadinessCheck>> {
  const takesWrites = writeProbe(database, clock);
  const ofPlatforms = [...platforms].map(([name, platform]): [string, ReadinessCheck] => [
    name,
    async () => platform.notReady(),
  ]);
  return {
    ...Object.fromEntries(ofPlatforms),
    process: async () => (stopping.aborted ? 'stopping' : undefined),
    service: async () => keyWatch.notReady(),
    work: async () => localFaults.notReady(),
    database: async () => (await databaseFile()) ?? takesWrites(),
  };
}
