import { Removals } from '../../src/app/deletions/removals.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { PlatformAdapters } from '../../src/port/index.ts';
import { createLiveAnswers, type Database, storedRemovals } from '../../src/store/index.ts';

/** What the bot has to remove, or to close, on record in a database. */
export function removalsOf(database: Database, adapters: PlatformAdapters, clock: Clock): Removals {
  const answers = createLiveAnswers(database);
  return new Removals({
    ...{ stored: storedRemovals(database), answers, adapters, clock },
    log: { warn: () => {} },
  });
}
